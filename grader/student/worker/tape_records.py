"""A tape as plain records: operations, the tensors that they took and gave, and the graph's nodes.

Indices lead from record to record; -1 leads nowhere.
"""

from __future__ import annotations

import msgspec


class Struct(msgspec.Struct, frozen=True, array_like=True):
    """Base of the records below: positional, immutable."""


class Step(Struct, frozen=True):
    """Call `function` with what goes by the names in `args`, and call the result `gives`."""

    function: str
    args: list[str]
    gives: str


class Spot(Struct, frozen=True):
    """A line of the student's."""

    filename: str
    line: int
    function: str


class TapeNode(Struct, frozen=True):
    """One recorded operation as autograd knows it; shape and dtype are its first result's.

    `edges` are the nodes that its gradients go on to, -1 for an edge (None, 0). A node of a leaf
    has the index of its tensor in `leaf`.
    """

    name: str
    edges: list[int]
    leaf: int = -1
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    spot: Spot | None = None


class TapeTensor(Struct, frozen=True):
    """A tensor at one moment: an operation in place makes another of it. `node` made it."""

    dtype: str
    shape: tuple[int, ...]
    requires_grad: bool = False
    node: int = -1


class TapeOperation(Struct, frozen=True):
    """One operation that a line asked for; `inputs` and `outputs` are indices of tensors.

    Where it gave no tensor, `kind` is the type of what it gave.
    """

    name: str
    spot: Spot
    inputs: list[int]
    outputs: list[int]
    recording: bool
    kind: str = ""


class Named(Struct, frozen=True):
    """What a name stands for: a tensor, or -1 and the type of what is none."""

    name: str
    tensor: int
    kind: str = ""


class Tape(Struct, frozen=True):
    """Everything that was recorded. `names` are in the order in which they were given."""

    nodes: list[TapeNode] = []
    tensors: list[TapeTensor] = []
    operations: list[TapeOperation] = []
    names: list[Named] = []
    cut: bool = False  # there was more than is kept
