"""What is drawn of a tape: boxes and arrows, for the terminal's tree and for the picture alike.

An arrow leads from what was computed to what it was computed from, the way of backward().
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from grader.student.worker.tape_records import Tape, TapeNode
from grader.tape.history import Cut, History
from grader.tape.words import operation_text, place_text, places_text

Kind = Literal["result", "operation", "leaf", "constant", "cut"]
FLOAT = "float32"


@dataclass(frozen=True)
class Box:
    """One thing that is drawn. `names` are what it is called, `place` where it was made.

    `beside` is data that came in there. `lost` boxes lie behind a cut.
    """

    kind: Kind
    title: str
    names: tuple[str, ...] = ()
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    place: str = ""
    beside: tuple[str, ...] = ()
    lost: bool = False


def untaped(box: Box) -> str:
    """Why nothing is recorded behind a result."""
    return "no tensor" if box.shape is None else "no grad_fn"


@dataclass
class Drawing:
    """Boxes, the arrows from each to others by index, and those that nothing leads to."""

    boxes: list[Box] = field(default_factory=list)
    arrows: list[list[int]] = field(default_factory=list)
    tops: list[int] = field(default_factory=list)

    def add(self, box: Box, arrows: Sequence[int] = ()) -> int:
        """The new box's index."""
        self.boxes.append(box)
        self.arrows.append(list(arrows))
        return len(self.boxes) - 1

    def users(self) -> list[int]:
        """How many other boxes lead to each."""
        counts = [0] * len(self.boxes)
        for arrows in self.arrows:
            for target in set(arrows):
                counts[target] += 1
        return counts


def draw(history: History, result: str, cuts: Sequence[Cut] = (), *, lines: bool = True) -> Drawing:
    """The tape behind the history's root, called `result`, with what `cuts` took away.

    `lines` says where each operation was made.
    """
    drawer = _Drawer(history.tape)
    top = drawer.top(history.root, result)
    kept = len(drawer.drawing.boxes)
    for cut in cuts:
        drawer.cut(cut, top, history.root_node >= 0)
    boxes = drawer.drawing.boxes
    boxes[kept:] = [replace(box, lost=True) for box in boxes[kept:]]
    if not lines:
        boxes[:] = [replace(box, place="") for box in boxes]
    return drawer.drawing


def draw_board(tape: Tape, tensors: Sequence[int]) -> Drawing:
    """The tape behind several tensors, each edge (None, 0) as a box of its own."""
    drawer = _Drawer(tape, constants=True)
    for tensor in tensors:
        drawer.top(tensor, "")
    return drawer.drawing


class _Drawer:
    def __init__(self, tape: Tape, constants: bool = False) -> None:
        self.drawing = Drawing()
        self._tape = tape
        self._constants = constants
        self._places: dict[int, int] = {}
        self._names = _names(tape)
        self._beside = {} if constants else _beside(tape)

    def top(self, root: int, result: str) -> int:
        """Draw all behind a tensor; -1 is something else that is called `result`."""
        tensor = self._tape.tensors[root] if root >= 0 else None
        if tensor is not None and tensor.node >= 0:
            place = self._node(tensor.node)
        elif tensor is not None:
            place = self.drawing.add(Box("result", result, (), tensor.shape, tensor.dtype))
        else:
            place = self.drawing.add(Box("result", result))
        self.drawing.tops.append(place)
        return place

    def cut(self, cut: Cut, top: int, recorded: bool) -> None:
        """Draw a cut where its values come in again, and what is lost behind it.

        Where that is not known, and the result has a history of its own, it stands alone.
        """
        drawing = self.drawing
        what = operation_text(cut.name, cut.recording)
        place = drawing.add(Box("cut", what, place=places_text(cut.spots)))
        entered = [self._places[node] for node in cut.enters if node in self._places]
        if not entered and not recorded:
            entered = [top]
        if not entered:
            drawing.tops.append(place)
        for user in entered:
            drawing.arrows[user].insert(0, place)
        drawing.arrows[place] = [self._node(node) for node in cut.behind]

    def _node(self, root: int) -> int:
        """The box of a node, with all that it leads to. Deep graphs: no recursion."""
        drawing = self.drawing
        waiting = [root]
        nodes = self._tape.nodes
        while waiting:
            number = waiting[-1]
            if number in self._places:
                waiting.pop()
                continue
            behind = [e for e in nodes[number].edges if e >= 0 and e not in self._places]
            if behind:
                waiting.extend(reversed(behind))
                continue
            waiting.pop()
            self._places[number] = drawing.add(self._box(number), self._targets(nodes[number]))
        return self._places[root]

    def _targets(self, node: TapeNode) -> list[int]:
        targets = []
        for edge in node.edges:
            if edge >= 0:
                targets.append(self._places[edge])
            elif self._constants:
                targets.append(self.drawing.add(Box("constant", "(None, 0)")))
        return targets

    def _box(self, number: int) -> Box:
        node = self._tape.nodes[number]
        names = self._names.get(number, ())
        title = node.name.rpartition("::")[2]
        kind: Kind = "leaf" if node.leaf >= 0 else "operation"
        beside = self._beside.get(number, ())
        return Box(kind, title, names, node.shape, node.dtype, place_text(node.spot), beside)


def _names(tape: Tape) -> dict[int, tuple[str, ...]]:
    """Names by the node that made what they stand for."""
    found: dict[int, tuple[str, ...]] = {}
    for named in tape.names:
        node = tape.tensors[named.tensor].node if named.tensor >= 0 else -1
        if node >= 0 and named.name not in found.get(node, ()):
            found[node] = (*found.get(node, ()), named.name)
    return found


def _beside(tape: Tape) -> dict[int, tuple[str, ...]]:
    """Names of the data without a history that an operation took, by its node."""
    plain = {
        named.tensor: named.name
        for named in reversed(tape.names)
        if named.tensor >= 0 and not tape.tensors[named.tensor].requires_grad
    }
    found: dict[int, tuple[str, ...]] = {}
    for made in tape.operations:
        taken = tuple(dict.fromkeys(plain[t] for t in made.inputs if t in plain))
        for tensor in made.outputs:
            node = tape.tensors[tensor].node
            if node >= 0 and taken:
                found.setdefault(node, taken)
    return found
