"""Where each box of a drawing goes: igraph's layered layout (Sugiyama's method).

igraph, because it lays directed graphs out in layers with few crossings, and comes as a wheel:
graphviz is a program of its own, which few students have. It is an extra, `[pictures]`, and is
imported when a picture is drawn, not before.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

from grader.errors import UsageError
from grader.tape.drawing import Drawing

MOST_BOXES = 220
MOST_BENDS = 1_500


@dataclass(frozen=True)
class Layout:
    """Columns and layers, as numbers from 0: of each box, and of the bends of each arrow.

    `arrows` holds (from, to, bends); a bend is where an arrow passes a layer without a box.
    """

    places: tuple[tuple[float, int], ...]
    arrows: tuple[tuple[int, int, tuple[tuple[float, int], ...]], ...]
    width: float
    layers: int


def fits(drawing: Drawing) -> bool:
    """Whether the drawing is small enough to be laid out at once, and to be read."""
    if len(drawing.boxes) > MOST_BOXES:
        return False
    layers = _layers(drawing)
    passed = sum(
        layers[target] - layers[place] - 1
        for place, targets in enumerate(drawing.arrows)
        for target in set(targets)
    )
    return passed <= MOST_BENDS


def layout(drawing: Drawing) -> Layout:
    """The places of all boxes; arrows lead downwards. Raises UsageError without igraph."""
    igraph = _igraph()
    layers = _layers(drawing)
    pairs = [
        (place, target)
        for place, targets in enumerate(drawing.arrows)
        for target in dict.fromkeys(targets)
    ]
    edges: list[tuple[int, int]] = []
    bends: list[list[int]] = []
    # A vertex in each layer that an arrow passes, so that no box is put there.
    for place, target in pairs:
        path = [place]
        for layer in range(layers[place] + 1, layers[target]):
            layers.append(layer)
            path.append(len(layers) - 1)
        edges += zip(path, [*path[1:], target], strict=True)
        bends.append(path[1:])
    graph = igraph.Graph(n=len(layers), edges=edges, directed=True)
    found = graph.layout_sugiyama(layers=layers, hgap=1, vgap=1, maxiter=200)
    columns = [float(found[vertex][0]) for vertex in range(len(layers))]
    _push_apart(columns, layers)
    left = min(columns, default=0.0)
    spots = [(column - left, layer) for column, layer in zip(columns, layers, strict=True)]
    return Layout(
        places=tuple(spots[: len(drawing.boxes)]),
        arrows=tuple(
            (place, target, tuple(spots[bend] for bend in through))
            for (place, target), through in zip(pairs, bends, strict=True)
        ),
        width=max((column for column, _ in spots), default=0.0) + 1,
        layers=max(layers, default=0) + 1,
    )


def _push_apart(columns: list[float], layers: list[int]) -> None:
    """Leave a whole column between neighbours of a layer: igraph at times leaves half of one."""
    rows: dict[int, list[int]] = {}
    for vertex, layer in enumerate(layers):
        rows.setdefault(layer, []).append(vertex)
    for row in rows.values():
        row.sort(key=lambda vertex: columns[vertex])
        before = [columns[vertex] for vertex in row]
        for left, right in itertools.pairwise(row):
            columns[right] = max(columns[right], columns[left] + 1)
        moved = sum(columns[v] - was for v, was in zip(row, before, strict=True)) / len(row)
        for vertex in row:
            columns[vertex] -= moved


def _layers(drawing: Drawing) -> list[int]:
    """The longest way from a top to each box."""
    users = drawing.users()
    found = [0] * len(users)
    ready = [place for place, count in enumerate(users) if count == 0]
    for place in ready:  # grows
        for target in drawing.arrows[place]:
            found[target] = max(found[target], found[place] + 1)
            users[target] -= 1
            if users[target] == 0:
                ready.append(target)
    return found


def _igraph() -> Any:
    try:
        import igraph  # type: ignore[import-untyped]
    except ImportError:
        raise UsageError(
            "drawing a picture needs igraph, which is not installed",
            "Install it with: pip install 'autograd-grader[pictures]'.",
        ) from None
    return igraph
