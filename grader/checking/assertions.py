"""What checks assert. Each failure is data: kind, numbers, the first and greatest difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import torch
from torch.autograd.gradcheck import GradcheckError

from grader.assignment import LOOSE, Tolerance
from grader.checking.comparing import Difference, difference
from grader.checking.failure import Failure, index_text, number, shape_text
from grader.errors import StudentError
from grader.observation import Observation, Opaque

Function = Callable[..., Any]


def assert_matches(
    got: Any,
    expected: torch.Tensor,
    *,
    any_shape: bool = False,
    tolerance: Tolerance = LOOSE,
    dtype: bool = True,
) -> None:
    """`got` is a tensor of `expected`'s dtype, shape and values. Raises Failure.

    `any_shape` asks for the number of elements only.
    """
    assert_tensor(got)
    if dtype and got.dtype != expected.dtype:
        raise Failure(
            "dtype",
            f"{_dtype(expected)} was due, {_dtype(got)} came back",
            {"got": _dtype(got), "expected": _dtype(expected)},
            got,
            expected,
        )
    if got.numel() != expected.numel() or (not any_shape and got.shape != expected.shape):
        raise Failure(
            "shape",
            f"the shape is {shape_text(got.shape)}, it should be {shape_text(expected.shape)}",
            {"got": list(got.shape), "expected": list(expected.shape)},
            got,
            expected,
        )
    found = difference(got.reshape(expected.shape), expected, tolerance)
    if found is not None:
        raise Failure("values", values_text(found), difference_evidence(found), got, expected)


def assert_tensor(got: Any) -> None:
    """`got` is a tensor of numbers. Raises Failure."""
    if not isinstance(got, torch.Tensor):
        name = type_text(got)
        raise Failure("type", f"a tensor was due, {name} came back", {"got": name}, got)


def assert_gradient(
    function: Function,
    oracle: Function,
    *args: torch.Tensor,
    wrt: Sequence[int] | None = None,
    any_shape: bool = False,
    tolerance: Tolerance = LOOSE,
    double: bool = True,
) -> None:
    """The gradients to the arguments `wrt` (default: all) equal the oracle's, and gradcheck agrees.

    In float64; where the function cannot do that, in float32 against the oracle alone. gradcheck
    alone passes the identity, so it is asked only where the values hold. Without `double` the
    arguments keep their own dtypes, and the oracle alone is asked. Raises Failure.
    """
    chosen = range(len(args)) if wrt is None else wrt
    if not double:
        given = [arg.detach().clone().requires_grad_(i in chosen) for i, arg in enumerate(args)]
        _compare_gradients(function(*given), oracle(*given), given, chosen, any_shape, tolerance)
        return
    doubles = _leaves(args, chosen, torch.float64)
    try:
        out = function(*doubles)
        exact = isinstance(out, torch.Tensor) and out.dtype == torch.float64
    except StudentError as error:
        if error.observation.stopped:
            raise
        exact = False
    if not exact:
        singles = _leaves(args, chosen, torch.float32)
        _compare_gradients(
            function(*singles), oracle(*singles), singles, chosen, any_shape, tolerance
        )
        return
    _compare_gradients(out, oracle(*doubles), doubles, chosen, any_shape, tolerance)
    _gradcheck(function, doubles)


def _leaves(
    args: Sequence[torch.Tensor], chosen: Sequence[int], dtype: torch.dtype
) -> list[torch.Tensor]:
    return [
        arg.detach().to(dtype, copy=True).requires_grad_(index in chosen)
        for index, arg in enumerate(args)
    ]


def _compare_gradients(
    out: Any,
    right: torch.Tensor,
    args: Sequence[torch.Tensor],
    chosen: Sequence[int],
    any_shape: bool,
    tolerance: Tolerance,
) -> None:
    assert_matches(out, right, any_shape=any_shape, tolerance=tolerance)
    wanted = [args[index] for index in chosen]
    # Unequal weights: a sum of equal ones would hide entries that trade places.
    weights = 0.5 + torch.arange(right.numel(), dtype=right.dtype).reshape(right.shape) % 7 / 5
    expected = torch.autograd.grad(right, wanted, weights)
    found: Sequence[torch.Tensor | None] = [None] * len(wanted)
    if out.requires_grad:
        found = torch.autograd.grad(out, wanted, weights.reshape(out.shape), allow_unused=True)
    missing = [index for index, grad in zip(chosen, found, strict=True) if grad is None]
    if missing:
        first = missing[0]
        entry = expected[list(chosen).index(first)]
        raise Failure(
            "gradient-missing",
            "no gradient comes back to it",
            {"missing": missing, "expected_first": float(entry.reshape(-1)[0])},
            out,
            right,
            argument=first,
        )
    for index, got, want in zip(chosen, found, expected, strict=True):
        assert got is not None
        gap = difference(got, want, tolerance)
        if gap is not None:
            raise Failure(
                "gradient",
                f"the gradient differs: {values_text(gap)}",
                difference_evidence(gap),
                got,
                want,
                argument=index,
            )


def _gradcheck(function: Function, args: Sequence[torch.Tensor]) -> None:
    def call(*inputs: torch.Tensor) -> Any:
        return function(*inputs)

    options: dict[str, Any] = {"check_undefined_grad": False, "atol": 1e-4, "rtol": 1e-3}
    if torch.autograd.gradcheck(
        call, tuple(args), fast_mode=True, raise_exception=False, **options
    ):
        return
    try:
        # Slow mode looks at every entry: it says which one is wrong, or that none is.
        torch.autograd.gradcheck(call, tuple(args), **options)
    except GradcheckError as error:
        first = str(error).strip().splitlines()[0]
        raise Failure(
            "gradcheck", "small steps say another gradient", {"gradcheck": first}
        ) from None


def assert_unchanged(record: Observation) -> None:
    """The call left its tensor arguments as they were. Raises Failure."""
    for index, argument in enumerate(record.arguments):
        if argument.changed:
            gap = None
            if argument.before.shape == argument.after.shape:
                gap = difference(argument.after, argument.before, Tolerance(0, 0))
            raise Failure(
                "changed",
                "the argument itself was changed by the call",
                {} if gap is None else difference_evidence(gap),
                record.returned,
                argument=index,
            )
    for place, array in enumerate(record.arrays):
        if array.changed:
            text = "the array itself was changed by the call"
            raise Failure("changed", text, {"array": place}, record.returned)


def fail(
    message: str,
    *,
    bug: str | None = None,
    evidence: dict[str, Any] | None = None,
    argument: int | None = None,
    earned: float = 0.0,
    record: Observation | None = None,
) -> NoReturn:
    """A check's own finding, by a misconception's name where it knows one. Raises Failure."""
    raise Failure(
        "fact", message, evidence or {}, argument=argument, bug=bug, earned=earned,
        observation=record,
    )  # fmt: skip


def values_text(found: Difference) -> str:
    where = index_text(found.index)
    at = f"at {where}" if where else "in the one value"
    many = f"{found.count} of {found.total} values differ, most " if found.total > 1 else ""
    return f"{many}{at}: got {number(found.got)}, expected {number(found.expected)}"


def difference_evidence(found: Difference) -> dict[str, Any]:
    return {
        "differ": found.count,
        "of": found.total,
        "index": list(found.index),
        "got": found.got,
        "expected": found.expected,
        "difference": found.absolute,
        "allowed": found.allowed,
    }


def type_text(thing: Any) -> str:
    """What a thing is, for a person: `None`, `a float`, `a list`."""
    if thing is None:
        return "None"
    name = thing.type_name if isinstance(thing, Opaque) else type(thing).__name__
    name = "numpy array" if name == "ndarray" else name
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _dtype(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")
