"""The messages between the trusted side and a worker: a closed set of plain records."""

from __future__ import annotations

from typing import Union

import msgspec

from .given_records import Computation, Origin
from .tape_records import Step, Tape


class Struct(msgspec.Struct, frozen=True, array_like=True):
    """Base of every record on the wire: positional, immutable."""


class TensorValue(Struct, frozen=True, tag="tensor"):
    """A tensor with the facts that values do not show. `storage` numbers shared storage."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes
    requires_grad: bool = False
    is_leaf: bool = True
    grad: TensorValue | None = None
    storage: int = -1
    graph: int = -1  # index of its grad_fn in the answer's graph


class ArrayValue(Struct, frozen=True, tag="array"):
    """A NumPy array."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


class ListValue(Struct, frozen=True, tag="list"):
    items: list[Value]


class TupleValue(Struct, frozen=True, tag="tuple"):
    items: list[Value]


class DictValue(Struct, frozen=True, tag="dict"):
    items: list[tuple[Value, Value]]


class OpaqueValue(Struct, frozen=True, tag="opaque"):
    """Anything else: its type's name and a short text, no more."""

    type_name: str
    text: str = ""


class HandleValue(Struct, frozen=True, tag="handle"):
    """An object that stays in the worker: a module, an optimizer, a loss function."""

    id: str  # the call that gave it, and which of that call's objects it is: `...#2:0`
    type_name: str


class SetValue(Struct, frozen=True, tag="set"):
    items: list[Value]


Value = Union[  # noqa: UP007 - msgspec resolves the forward references of this spelling
    None, bool, int, float, str, TensorValue, ArrayValue, ListValue, TupleValue, DictValue,
    SetValue, OpaqueValue, HandleValue,
]  # fmt: skip


class ComputedValue(Struct, frozen=True, tag="computed"):
    """An argument with a history: named leaves, then each computation's result, itself last."""

    names: list[str]
    leaves: list[TensorValue]
    computations: list[Computation]


Argument = Value | ComputedValue


class Cell(Struct, frozen=True):
    """A piece of source compiled on its own; `filename` is what tracebacks will call it."""

    filename: str
    source: str


class Load(Struct, frozen=True, tag="load"):
    """Run a submission's top-level statements. `stand_ins` are bound over the student's own."""

    cells: list[Cell]
    stand_ins: list[str] = []
    library: str = ""
    statement_seconds: float = 2.0
    total_seconds: float = 8.0
    output_limit: int = 1_000_000
    skip: list[int] = []  # numbers of top-level statements that ended a worker before
    lines: bool = False  # have the graph remember which line made what


class Call(Struct, frozen=True, tag="call"):
    """Call one function of the submission."""

    id: str
    function: str
    args: list[Argument] = []
    kwargs: dict[str, Value] = {}
    seed: int = 0
    seconds: float = 5.0
    banned: list[str] = []  # record and refuse these library calls
    graph: bool = False  # send the recorded graph of what is returned
    trace: bool = False  # send the operations that the student's lines asked for
    grad: bool = True
    again: str = ""  # use the tensor objects of this earlier call, with the values given here


class Backward(Struct, frozen=True, tag="backward"):
    """Gradients of an earlier call's tensors, for given gradients of its outputs."""

    id: str
    call: str
    grads: list[TensorValue | None] = []
    seconds: float = 5.0


class Record(Struct, frozen=True, tag="record"):
    """Call functions in a row in the worker; without steps: what the file made as it loaded."""

    id: str
    given: dict[str, Value] = {}
    steps: list[Step] = []
    seed: int = 0
    seconds: float = 5.0


class Batch(Struct, frozen=True, tag="batch"):
    """Several requests in one frame; each is answered in a frame of its own, in order."""

    requests: list[Call | Backward]


Request = Load | Call | Backward | Record | Batch


class Frame(Struct, frozen=True):
    """One line of a traceback in the student's own source."""

    filename: str
    line: int
    function: str


class Local(Struct, frozen=True):
    """What a name held when something was raised, or after a line ran."""

    name: str
    type: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    requires_grad: bool = False
    is_leaf: bool = True
    node: str = ""  # name of its grad_fn


class Raised(Struct, frozen=True):
    """An exception out of the student's code, as plain data."""

    type: str
    families: list[str]  # names of its classes, most derived first
    message: str
    frames: list[Frame]  # the student's own lines, outermost first
    locals: list[Local] = []  # of the innermost of them
    library_function: str = ""  # the function outside the student's file that raised
    attribute: str = ""  # of an AttributeError: what was asked for,
    owner: str = ""  # and the type it was asked of


class ArgumentFacts(Struct, frozen=True):
    """What became of one tensor argument, in the order in which arguments are flattened."""

    changed: bool
    requires_grad: bool
    is_leaf: bool
    after: TensorValue | None = None  # only where something about it changed
    reached: bool = False  # a graph path leads from what was returned to it
    writes: int = 0  # how often autograd saw it written in place
    rebound: bool = False  # its slot in the caller's list holds another object now


class Node(Struct, frozen=True):
    """One recorded operation; `leaf` is the flattened index of the argument it accumulates into."""

    name: str
    inputs: list[int]
    leaf: int = -1
    shape: tuple[int, ...] = ()


class BannedCall(Struct, frozen=True):
    """A library call that the assignment does not allow, and where it was made."""

    name: str
    frames: list[Frame]


class Warned(Struct, frozen=True):
    category: str
    message: str
    filename: str
    line: int


class Operation(Struct, frozen=True):
    """One operation that a line of the student's asked for; names in its operands are empty."""

    filename: str
    line: int
    function: str
    name: str
    inputs: list[Local]
    outputs: list[Local]
    grad_mode: bool
    in_place: bool = False  # what it gave back is one of its operands
    raised: bool = False
    kind: str = ""  # the type of what it gave back, where that is no tensor


class Answer(Struct, frozen=True, tag="answer"):
    """What happened in one call."""

    id: str
    returned: Value = None
    raised: Raised | None = None
    arguments: list[ArgumentFacts] = []
    grad_mode: bool = True
    banned: list[BannedCall] = []
    warnings: list[Warned] = []
    stdout: str = ""
    stderr: str = ""
    graph: list[Node] = []
    trace: list[Operation] = []
    output_cut: bool = False
    seconds: float = 0.0
    origins: list[Origin] = []
    arrays: list[ArrayValue | None] = []  # array arguments after the call, where they changed
    modules: bytes = b""  # facts of the modules that took part: see module_records


class Gradients(Struct, frozen=True, tag="gradients"):
    """The answer to a `Backward`: one entry a tensor argument, None where no path leads."""

    id: str
    grads: list[TensorValue | None] = []
    raised: Raised | None = None


class Recorded(Struct, frozen=True, tag="recorded"):
    """The answer to a `Record`: the tape, up to where something was raised."""

    id: str
    tape: Tape = Tape()
    raised: Raised | None = None


class Ready(Struct, frozen=True, tag="ready"):
    """A worker's first word: torch is imported."""

    torch: str


class Progress(Struct, frozen=True, tag="progress"):
    """The top-level statement that a worker is about to run."""

    number: int
    filename: str
    line: int


class LoadNote(Struct, frozen=True):
    """A top-level statement that failed or overran, or a thing worth saying about loading."""

    kind: str
    message: str
    filename: str = ""
    line: int = 0


class Loaded(Struct, frozen=True, tag="loaded"):
    """The answer to a `Load`."""

    functions: list[str]
    notes: list[LoadNote] = []
    stdout: str = ""
    warnings: list[Warned] = []


Reply = Answer | Gradients | Recorded | Loaded | Ready | Progress
