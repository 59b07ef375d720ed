"""Whether an exercise was done by hand: calls that went well are made again, and refuse.

The worker refuses the banned library calls meanwhile and says which it met. Its word alone is not
enough: code can tell that it is being watched, or remember an answer. So the inputs are a little
different, and where the first answer was right, this one has to be right too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import torch

from grader.assignment import Exercise, Tolerance
from grader.checking.comparing import difference
from grader.observation import BannedCall, Observation
from grader.student.proxy import Student

LIBRARY_FILE = "<library pieces>"
OTHERWISE = "something that is not by hand"
# Far from what rounding does, and far below what the inputs are moved by.
_CLOSE = Tolerance(rtol=1e-3, atol=1e-3)


def find_banned(
    exercise: Exercise,
    calls: Sequence[Observation],
    student: Student,
    oracle: Any,
    answerable: Collection[str],
    stand_ins: Collection[str] = (),
) -> tuple[BannedCall, Observation] | None:
    """The first banned call in the first or last of `calls`, and the call in which it was met.

    Of a training loop in the first alone: watched steps cost ten times as much as others.

    What was called inside of an exercise in `answerable` costs that one; what a stand-in is made
    of costs nobody.
    """
    last = [] if exercise.kind == "training" else calls[1:][-1:]
    for call in [*calls[:1], *last]:
        was_right = _right(call, exercise, oracle)
        args = nudged(call.args) if was_right else call.args
        banned = list(exercise.banned)
        while True:
            record = student.run(exercise.name, args, call.kwargs, banned=banned)
            own = [found for found in record.banned if not _excused(found, answerable, stand_ins)]
            if own:
                return own[0], record
            # Made inside of what answers for it: look past it.
            elsewhere = {found.name for found in record.banned}
            left = [name for name in banned if name not in elsewhere]
            if not elsewhere or len(left) == len(banned):
                break
            banned = left
        if was_right and not _right(record, exercise, oracle):
            # Unless it is wrong unwatched as well: then it is another mistake, such as a memory.
            control = student.run(exercise.name, args, call.kwargs)
            if _right(control, exercise, oracle):
                return BannedCall(OTHERWISE, []), record
    return None


def _excused(found: BannedCall, answerable: Collection[str], stand_ins: Collection[str]) -> bool:
    library = [frame for frame in found.frames if frame.filename == LIBRARY_FILE]
    if library:
        # Not by way of a stand-in to what else the library has.
        return found.frames[-1] is library[-1] and all(
            frame.function in stand_ins for frame in library
        )
    return any(frame.function in answerable for frame in found.frames)


def nudged(thing: Any) -> Any:
    """The same inputs, every number of them one to three per cent nearer to zero.

    Tensors of zeros and ones are labels and stay; so do plain numbers.
    """
    if isinstance(thing, torch.Tensor):
        return _nudged_tensor(thing)
    if isinstance(thing, list | tuple):
        return type(thing)(nudged(item) for item in thing)
    return thing


def _nudged_tensor(tensor: torch.Tensor) -> torch.Tensor:
    moved = tensor.detach().clone()
    if moved.is_floating_point() and not bool(((moved == 0) | (moved == 1)).all()):
        moved *= _factors(moved)
    moved.requires_grad_(tensor.requires_grad)
    if tensor.is_leaf and tensor.grad is not None:
        moved.grad = tensor.grad.detach() * _factors(tensor.grad)
    return moved


def _factors(tensor: torch.Tensor) -> torch.Tensor:
    steps = torch.arange(tensor.numel(), dtype=tensor.dtype).reshape(tensor.shape)
    return 0.99 - 0.02 * (steps * 0.618 % 1)


def _right(record: Observation, exercise: Exercise, oracle: Any) -> bool:
    """The call gave and did what the oracle gives and does on the same arguments."""
    function = getattr(oracle, exercise.name, None)
    if record.raised is not None or function is None:
        return False
    args = [_copied(arg) for arg in record.args]
    try:
        expected = function(*args, **record.kwargs)
    except Exception:  # inputs that a check meant to be refused
        return False
    wanted = list(_tensors(args))
    if len(wanted) != len(record.arguments):
        return False
    done = all(
        _close(argument.after, want)
        for argument, want in zip(record.arguments, wanted, strict=True)
    )
    return done and _same(record.returned, expected, exercise)


def _same(got: Any, expected: Any, exercise: Exercise) -> bool:
    if isinstance(expected, torch.Tensor):
        return isinstance(got, torch.Tensor) and _close(got, expected)
    if isinstance(expected, list | tuple):
        return (
            isinstance(got, list | tuple)
            and len(got) == len(expected)
            and all(_same(a, b, exercise) for a, b in zip(got, expected, strict=True))
        )
    if isinstance(expected, float):
        return isinstance(got, float) and abs(got - expected) <= 5e-3 * max(1.0, abs(expected))
    return expected is None  # what an update returns is nobody's business


def _close(got: torch.Tensor, expected: torch.Tensor) -> bool:
    if got.numel() != expected.numel() or got.is_complex():
        return False
    return difference(got.detach().reshape(expected.shape), expected.detach(), _CLOSE) is None


def _copied(thing: Any) -> Any:
    if isinstance(thing, torch.Tensor):
        copy = thing.detach().clone().requires_grad_(thing.requires_grad)
        if thing.is_leaf and thing.grad is not None:
            copy.grad = thing.grad.detach().clone()
        return copy
    if isinstance(thing, list | tuple):
        return type(thing)(_copied(item) for item in thing)
    return thing


def _tensors(things: Sequence[Any]) -> Iterator[torch.Tensor]:
    for thing in things:
        if isinstance(thing, torch.Tensor):
            yield thing
        elif isinstance(thing, list | tuple):
            yield from _tensors(thing)
