"""The recorded graph of a call's outputs: which leaves it reaches, which operations it holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from . import messages as m

MAX_NODES = 5_000


def reached_leaves(outputs: Sequence[torch.Tensor], leaves: Sequence[torch.Tensor]) -> set[int]:
    """Indices of `leaves` that a path of recorded operations leads to."""
    numbers = {id(leaf): index for index, leaf in enumerate(leaves) if leaf.requires_grad}
    found = {numbers[id(out)] for out in outputs if id(out) in numbers}
    for node in _walk(outputs):
        variable = getattr(node, "variable", None)
        if variable is not None and id(variable) in numbers:
            found.add(numbers[id(variable)])
    return found


def recorded_graph(outputs: Sequence[torch.Tensor], leaves: Sequence[torch.Tensor]) -> list[m.Node]:
    """The operations behind `outputs`, each once, outputs' own first."""
    numbers = {id(leaf): index for index, leaf in enumerate(leaves)}
    nodes = _walk(outputs)
    places = {node: index for index, node in enumerate(nodes)}
    graph: list[m.Node] = []
    for node in nodes:
        variable = getattr(node, "variable", None)
        inputs = [places[child] for child, _ in node.next_functions if child in places]
        leaf = numbers.get(id(variable), -2) if variable is not None else -1
        shape = tuple(variable.shape) if variable is not None else ()
        graph.append(m.Node(node.name()[:100], inputs, leaf, shape))
    return graph


def _walk(outputs: Sequence[torch.Tensor]) -> list[Any]:
    waiting = [out.grad_fn for out in outputs if out.grad_fn is not None]
    seen: dict[Any, None] = {}
    while waiting and len(seen) < MAX_NODES:
        node = waiting.pop(0)
        if node in seen:
            continue
        seen[node] = None
        waiting.extend(child for child, _ in node.next_functions if child is not None)
    return list(seen)
