"""The small graphs that a teacher puts on the board: a file that only makes tensors.

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = a * 2
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from grader.tape.drawing import Drawing, draw_board
from grader.tape.recording import Taped
from grader.tape.story import Said, ended_text, note_text
from grader.tape.words import count, listed

MOST_NOTES = 3
_TIMES = {2: "twice", 3: "three times", 4: "four times"}


class Board:
    """The named tensors of a file, and what hangs on what."""

    def __init__(self, taped: Taped) -> None:
        self.taped = taped
        tape = taped.tape
        named = {n.name: n.tensor for n in tape.names if n.tensor >= 0}
        self.tensors = {name: tape.tensors[tensor] for name, tensor in named.items()}
        self._behind = {t.node for t in self.tensors.values() if t.node >= 0}
        used = {edge for node in tape.nodes for edge in node.edges if edge >= 0}
        ends = {tape.tensors[n].node: n for n in named.values()}
        self._tops = [n for node, n in ends.items() if node >= 0 and node not in used]

    @property
    def begun(self) -> bool:
        """There is something to draw."""
        return bool(self._tops)

    def drawing(self) -> Drawing:
        """The tape behind every tensor on which no other hangs."""
        return draw_board(self.taped.tape, self._tops)

    def told(self) -> list[Said]:
        """What there is to see."""
        return [*self._ending(), *self._shared(), *self._grads(), *self._ends(), *self._plain()]

    def _ending(self) -> Iterator[Said]:
        raised = self.taped.raised
        if raised is not None:
            yield Said("bad", ended_text(raised, "the file", []))
        for note in self.taped.notes[:MOST_NOTES]:
            yield Said("bad", note_text(note))

    def _shared(self) -> Iterator[Said]:
        drawing = self.drawing()
        uses = Counter(target for arrows in drawing.arrows for target in arrows)
        for place, box in enumerate(drawing.boxes):
            users = uses[place]
            if users > 1 and box.names:
                times = _TIMES.get(users, f"{users} times")
                yield Said("note", f"{box.names[0]} is used {times}, and there is still no cycle: "
                                   "an arrow only leads to what was there before.")  # fmt: skip
        if any(box.kind == "constant" for box in drawing.boxes):
            yield Said("note", "(None, 0) in next_functions stands for a constant.")

    def _grads(self) -> Iterator[Said]:
        leaf = {name for name, t in self.tensors.items() if t.node >= 0 and self._is_leaf(t.node)}
        leaves = [name for name in self.tensors if name in leaf]
        computed = [n for n, t in self.tensors.items() if t.node >= 0 and n not in leaf]
        if leaves and computed:
            kept = f"It stays None in what is computed: {listed(computed)}."
            yield Said("note", f"backward() fills .grad in leaves: {listed(leaves)}. {kept}")

    def _ends(self) -> Iterator[Said]:
        tops = {self.taped.tape.tensors[top].node for top in self._tops}
        for name, tensor in self.tensors.items():
            if tensor.node in tops and not self._is_leaf(tensor.node):
                tops.discard(tensor.node)  # once, whatever else it is called
                elements = count(tensor.shape)
                if elements != 1:
                    yield Said("note", f"{name} has {elements:,} elements, so {name}.backward() "
                                       "alone raises: it starts from one number.")  # fmt: skip

    def _plain(self) -> Iterator[Said]:
        plain = [name for name, tensor in self.tensors.items() if not tensor.requires_grad]
        if plain:
            verb = "do" if len(plain) > 1 else "does"
            yield Said("note", f"{listed(plain)} {verb} not require grad, so nothing is recorded "
                               f"behind {'them' if len(plain) > 1 else 'it'}.")  # fmt: skip

    def _is_leaf(self, node: int) -> bool:
        return self.taped.tape.nodes[node].leaf >= 0
