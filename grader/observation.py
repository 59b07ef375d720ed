"""Plain records of what happened when student code ran, on the trusted side.

Every answer is checked as it arrives: a tensor is one of known dtype, shape and length, text is
cut, numbers are plain. What a worker merely asserts (a line, a graph) is kept as evidence for a
message, never as a reason for points.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from grader.student.worker.given_records import Origin
from grader.student.worker.messages import (
    BannedCall,
    Frame,
    LoadNote,
    Local,
    Node,
    Operation,
    Raised,
    Warned,
)

if TYPE_CHECKING:
    from grader.observed_modules import ModuleSeen

__all__ = [
    "Argument", "ArrayArgument", "BannedCall", "Frame", "LoadNote", "Local", "Node",
    "Observation", "Opaque", "Operation", "Origin", "Raised", "Unordered", "Warned",
]  # fmt: skip


@dataclass(frozen=True)
class Opaque:
    """A returned thing that is neither number, text, tensor, array nor a list of those."""

    type_name: str
    text: str = ""


@dataclass(frozen=True)
class Unordered(Opaque):
    """A returned set: its items, in no order that counts."""

    items: tuple[Any, ...] = ()


@dataclass(frozen=True)
class ArrayArgument:
    """One NumPy array argument before and after a call."""

    before: np.ndarray[Any, Any]
    after: np.ndarray[Any, Any]

    @property
    def changed(self) -> bool:
        same = self.before.shape == self.after.shape and self.before.dtype == self.after.dtype
        return not same or self.before.tobytes() != self.after.tobytes()


@dataclass(frozen=True)
class Argument:
    """One tensor argument before and after a call, in the order in which arguments are flattened.

    `before` and `after` carry `.grad`; `after` is `before` where nothing changed.
    """

    before: torch.Tensor
    after: torch.Tensor
    changed: bool
    requires_grad: bool
    is_leaf: bool
    reached: bool
    writes: int = 0
    rebound: bool = False

    @property
    def step(self) -> torch.Tensor:
        """after - before, of the argument's shape; zeros where the shape itself changed."""
        before, after = self.before.detach(), self.after.detach()
        return after - before if before.shape == after.shape else torch.zeros_like(before)


@dataclass(frozen=True)
class Observation:
    """One call: what went in, what came out, what it did besides."""

    id: str
    function: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    returned: Any = None
    raised: Raised | None = None
    arguments: tuple[Argument, ...] = ()
    grad_mode: bool = True
    grad_mode_before: bool = True
    banned: tuple[BannedCall, ...] = ()
    warnings: tuple[Warned, ...] = ()
    stdout: str = ""
    stderr: str = ""
    output_cut: bool = False
    graph: tuple[Node, ...] = ()
    trace: tuple[Operation, ...] = ()
    storages: tuple[int, ...] = ()
    seconds: float = 0.0
    backward_raised: list[Raised] = field(default_factory=list)
    origins: tuple[Origin, ...] = ()
    arrays: tuple[ArrayArgument, ...] = ()
    modules: tuple[ModuleSeen, ...] = ()

    def module(self, handle: Any) -> ModuleSeen | None:
        """A module that took part, by its handle; None for what is no module."""
        return next((seen for seen in self.modules if seen.handle == handle.id), None)

    @property
    def own(self) -> list[int]:
        """For each of `tensors` the argument that it is, the caller's own object; -1 for none."""
        known = {origin.returned: origin.argument for origin in self.origins}
        return [known.get(place, -1) for place in range(len(self.tensors))]

    @property
    def tensors(self) -> list[torch.Tensor]:
        """The tensors in what was returned, flattened in order."""
        return flatten_tensors(self.returned)

    @property
    def stopped(self) -> bool:
        """The call overran its time, killed its process or answered too much."""
        return self.raised is not None and self.raised.type in STOPPED


STOPPED = frozenset(
    {"TimeLimit", "Died", "AnswerTooLarge", "Garbled", "SubmissionTimeLimit", "HandleLost"}
)


def flatten_tensors(thing: Any) -> list[torch.Tensor]:
    """The tensors in nested lists, tuples and dictionaries, in order."""
    if isinstance(thing, torch.Tensor):
        return [thing]
    if isinstance(thing, dict):
        return [tensor for item in thing.values() for tensor in flatten_tensors(item)]
    if isinstance(thing, Unordered):
        thing = thing.items
    if isinstance(thing, (list, tuple)):
        return [tensor for item in thing for tensor in flatten_tensors(item)]
    return []
