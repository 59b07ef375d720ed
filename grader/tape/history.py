"""Reading a tape: which leaves a result leads back to, and where the way to the others ends.

An operation cuts a leaf off where what it took led back to that leaf and what it gave does not.
Nothing here judges: a cut is evidence for a message and a picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.student.worker.tape_records import Spot, Tape, TapeOperation
from grader.tape.checked import upwards

# Tried last as the cause of a loss: a mask is made beside the way that matters, as a rule,
COMPARE = frozenset(
    {"gt", "lt", "ge", "le", "eq", "ne", "__gt__", "__lt__", "__ge__", "__le__", "__eq__",
     "__ne__", "__bool__", "isnan", "isfinite", "argmax", "argmin"}
)  # fmt: skip
# and these take a shape from what they are given, no values, or look at it only.
NO_VALUES = frozenset(
    {"zeros_like", "ones_like", "full_like", "empty_like", "rand_like", "randn_like", "new_zeros",
     "new_ones", "new_full", "new_empty", "backward", "grad", "grad=", "zero_", "retain_grad",
     "register_hook", "_version", "data_ptr", "stride", "is_contiguous"}
)  # fmt: skip
# Tensors out of numbers, or of an array: where values come back that went away.
OUT_OF_NUMBERS = frozenset({"tensor", "as_tensor", "asarray", "from_numpy", "new_tensor", "__new__",
                            "scalar_tensor"})  # fmt: skip
DELIBERATE = frozenset({"detach", "detach_", "data"})
NUMBERS = frozenset({"float", "int", "bool", "list", "ndarray", "complex"})


@dataclass(frozen=True)
class Cut:
    """A place where the way back ends.

    `behind` are the nodes that are lost behind it, `enters` those that take what it gave: none
    where its values reach the result without any recorded operation, or on a way not seen.
    """

    name: str
    spots: tuple[Spot, ...]
    leaves: tuple[str, ...]
    recording: bool
    behind: tuple[int, ...]
    enters: tuple[int, ...]


def _in_file(spot: Spot) -> tuple[str, int]:
    return spot.filename, spot.line


class History:
    """One tape, followed back from the tensor `root` (-1 for none) to the named `leaves`."""

    def __init__(self, tape: Tape, root: int, leaves: Sequence[str]) -> None:
        self.tape = tape
        self.root = root
        tensors = {named.name: named.tensor for named in reversed(tape.names)}
        self._leaf_nodes = {
            name: tape.tensors[tensors[name]].node
            for name in leaves
            if tensors.get(name, -1) >= 0 and tape.tensors[tensors[name]].node >= 0
        }
        self._entered: dict[int, list[int]] = {}
        self._given = {named.tensor for named in tape.names if named.tensor >= 0}

    @property
    def root_node(self) -> int:
        """The operation that made the result; -1 where none is recorded."""
        return self.tape.tensors[self.root].node if self.root >= 0 else -1

    @cached_property
    def reach(self) -> list[frozenset[int]]:
        """For each node the leaves' nodes that it leads to."""
        found: list[frozenset[int]] = [frozenset()] * len(self.tape.nodes)
        leaves = set(self._leaf_nodes.values())
        for number in upwards(self.tape.nodes):
            edges = [edge for edge in self.tape.nodes[number].edges if edge >= 0]
            own = frozenset({number}) if number in leaves else frozenset()
            found[number] = own.union(*(found[edge] for edge in edges))
        return found

    @property
    def reached(self) -> tuple[str, ...]:
        """Names of the leaves that the result leads back to."""
        got = self.reach[self.root_node] if self.root_node >= 0 else frozenset()
        return tuple(name for name, node in self._leaf_nodes.items() if node in got)

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of the leaves that it does not lead back to."""
        reached = self.reached
        return tuple(name for name in self._leaf_nodes if name not in reached)

    @property
    def unused(self) -> tuple[str, ...]:
        """Names of missing leaves that no operation took."""
        taken = {node for made in self.tape.operations for node in self._led_to(made.inputs)}
        return tuple(name for name in self.missing if self._leaf_nodes[name] not in taken)

    @property
    def strangers(self) -> int:
        """How many leaves the result leads back to that were not given."""
        nodes = self.tape.nodes
        found = {self.root_node} - {-1}
        waiting = list(found)
        for number in waiting:  # grows
            new = {edge for edge in nodes[number].edges if edge >= 0} - found
            found |= new
            waiting += new
        own = set(self._leaf_nodes.values())
        return sum(nodes[number].leaf >= 0 and number not in own for number in found)

    def first_of_dtype(self, dtype: str) -> Spot | None:
        """The line that first took or gave a tensor of this dtype."""
        for made in self.tape.operations:
            met = {self.tape.tensors[tensor].dtype for tensor in (*made.inputs, *made.outputs)}
            if dtype in met:
                return made.spot
        return None

    @cached_property
    def cuts(self) -> tuple[Cut, ...]:
        """Where the ways to the missing leaves end, in the order in which it happened."""
        found: dict[int, list[str]] = {}
        for leaf in self.missing:
            for number in self._ends(self._leaf_nodes[leaf]):
                found.setdefault(number, []).append(leaf)
        groups: dict[tuple[object, object], list[int]] = {}
        for number in sorted(found):
            made = self.tape.operations[number]
            place = (made.spot.filename, made.spot.function)
            # Where recording is off, each line is the first to lose something: one cut for all.
            what = (made.name, tuple(found[number])) if made.recording else ()
            groups.setdefault((place, what), []).append(number)
        return tuple(self._cut(numbers, found) for numbers in groups.values())

    @property
    def asides(self) -> tuple[TapeOperation, ...]:
        """Deliberate cuts (`.detach()` and the like) beside a way that holds."""
        cut = {spot for found in self.cuts for spot in found.spots}
        return tuple(
            made
            for made in self.tape.operations
            if made.name in DELIBERATE
            and made.spot not in cut
            and self._gives_on(made)
            and self._lost(made)
        )

    def _cut(self, numbers: list[int], found: dict[int, list[str]]) -> Cut:
        operations = [self.tape.operations[number] for number in numbers]
        names = {name for number in numbers for name in found[number]}
        behind = [
            self.tape.tensors[tensor].node
            for made in operations
            for tensor in made.inputs
            if self._leads(tensor, names)
        ]
        enters = [node for number in numbers for node in self._entries(number)]
        return Cut(
            name=operations[0].name,
            spots=tuple(sorted({made.spot for made in operations}, key=_in_file)),
            leaves=tuple(name for name in self._leaf_nodes if name in names),
            recording=operations[0].recording,
            behind=tuple(dict.fromkeys(behind)),
            enters=tuple(dict.fromkeys(enters)),
        )

    def _ends(self, leaf: int) -> list[int]:
        """The operations that cut this leaf's node off, the likeliest kind of them alone."""
        operations = self.tape.operations
        lost = [
            number
            for number, given_up in enumerate(self._losses)
            if leaf in given_up and not self._healed(number, leaf)
        ]
        flowing = [number for number in lost if self._gives_on(operations[number])]
        likely = [n for n in lost if operations[n].name not in COMPARE | NO_VALUES]
        return (
            [n for n in likely if n in flowing]
            or [n for n in likely if operations[n].kind in NUMBERS]
            or likely
            or [n for n in flowing if operations[n].name in COMPARE]
            or flowing
        )

    def _healed(self, number: int, leaf: int) -> bool:
        """Whether what it gave is only taken where the leaf is led to another way."""
        entries = self._entries(number)
        return bool(entries) and all(leaf in self.reach[node] for node in entries)

    def _gives_on(self, made: TapeOperation) -> bool:
        return any(tensor in self._sources for tensor in made.outputs)

    def _led_to(self, tensors: Sequence[int]) -> frozenset[int]:
        nodes = [self.tape.tensors[tensor].node for tensor in tensors]
        return frozenset().union(*(self.reach[node] for node in nodes if node >= 0))

    @cached_property
    def _losses(self) -> list[frozenset[int]]:
        """For each operation the leaves' nodes that it cuts off."""
        return [self._lost(made) for made in self.tape.operations]

    def _lost(self, made: TapeOperation) -> frozenset[int]:
        if made.kind == "NotImplementedType":  # Python asks the other operand next
            return frozenset()
        return self._led_to(made.inputs) - self._led_to(made.outputs)

    def _leads(self, tensor: int, names: set[str]) -> bool:
        wanted = {self._leaf_nodes[name] for name in names}
        return bool(wanted & self._led_to([tensor]))

    @cached_property
    def _sources(self) -> frozenset[int]:
        """The tensors whose values went into the result, history or not."""
        found = {self.root} if self.root >= 0 else set()
        for made in reversed(self.tape.operations):
            if found.intersection(made.outputs):
                found.update(made.inputs)
        return frozenset(found)

    def _entries(self, number: int) -> list[int]:
        """The first recorded operations that took what this one gave."""
        if number not in self._entered:
            self._entered[number] = self._find_entries(number)
        return self._entered[number]

    def _find_entries(self, number: int) -> list[int]:
        operations = self.tape.operations
        dead = set(operations[number].outputs)
        found: list[int] = []
        if not self._gives_on(operations[number]):
            orphans = self._orphans(number)
            tensors = self.tape.tensors
            found = [tensors[tensor].node for tensor in orphans if tensors[tensor].node >= 0]
            dead = {tensor for tensor in orphans if tensors[tensor].node < 0}
        for made in operations[number + 1 :]:
            if not dead.intersection(made.inputs):
                continue
            for tensor in made.outputs:
                node = self.tape.tensors[tensor].node
                if node >= 0 and tensor in self._sources:
                    found.append(node)
                elif node < 0:
                    dead.add(tensor)
        return [] if self.root in dead else found

    def _orphans(self, number: int) -> list[int]:
        """Floats that come from no operation: made of numbers or an array, leaves perhaps."""
        operations = self.tape.operations
        later = [tensor for operation in operations[number + 1 :] for tensor in operation.inputs]
        taken = {tensor for operation in operations[:number] for tensor in operation.inputs}
        return [
            tensor
            for tensor in dict.fromkeys([*later, self.root])
            if tensor >= 0
            and tensor in self._sources
            and tensor not in self._computed
            and tensor not in taken
            and (tensor not in self._given or tensor == self.root)
            and self._is_leaf_or_plain(tensor)
            and self.tape.tensors[tensor].dtype.startswith(("float", "bfloat", "complex"))
        ]

    @cached_property
    def _computed(self) -> frozenset[int]:
        return frozenset(
            tensor
            for operation in self.tape.operations
            if operation.inputs or operation.name not in OUT_OF_NUMBERS
            for tensor in operation.outputs
        )

    def _is_leaf_or_plain(self, tensor: int) -> bool:
        node = self.tape.tensors[tensor].node
        return node < 0 or self.tape.nodes[node].leaf >= 0
