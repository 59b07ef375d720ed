"""Where a call's recorded operations lost the history, or took another dtype in."""

from __future__ import annotations

from grader.misconceptions.case import Case
from grader.misconceptions.source import Place
from grader.observation import Observation


def first_of_dtype(case: Case, call: Observation, dtype: str) -> Place | None:
    """The line that first brought this dtype in, where the arguments had none of it."""
    for operation in case.trace(call):
        gave = any(out.dtype.startswith(dtype) for out in operation.outputs)
        had = any(given.dtype.startswith(dtype) for given in operation.inputs)
        if gave and not had:
            return case.place_of(operation)
    return None


CUTS = ("detach", "detach_", "data", "item", "numpy", "tolist", "__array__", "__float__",
        "tensor", "as_tensor", "from_numpy", "clone")  # fmt: skip


# These lose the history of what they are given, and nothing that mattered.
NO_CUTS = frozenset(
    {"gt", "lt", "ge", "le", "eq", "ne", "backward", "grad", "grad=", "zeros_like", "ones_like",
     "full_like", "empty_like", "sign", "__bool__"}
)  # fmt: skip


def first_cut(case: Case, call: Observation) -> Place | None:
    """The first line that took something with history and passed it on without."""
    for operation in case.trace(call):
        if not any(given.requires_grad for given in operation.inputs):
            continue
        if operation.name in NO_CUTS:
            continue
        if operation.outputs and not any(out.requires_grad for out in operation.outputs):
            return case.place_of(operation)
        if not operation.outputs and operation.kind in ("float", "int", "ndarray", "list"):
            return case.place_of(operation)
    return None


MAKES_LEAVES = frozenset(
    {"tensor", "as_tensor", "new_tensor", "requires_grad_", "requires_grad=", "Parameter"}
)


def copied_line(case: Case, call: Observation) -> Place | None:
    """The line that made another leaf of one that was passed in."""
    trace = case.trace(call)
    for operation in trace:
        took = any(given.requires_grad for given in operation.inputs)
        fresh = [out for out in operation.outputs if out.is_leaf and out.requires_grad]
        if took and fresh and not operation.in_place and operation.name in MAKES_LEAVES:
            return case.place_of(operation)
    remade = any(
        op.name in ("requires_grad_", "requires_grad=")
        or (op.name in MAKES_LEAVES and any(out.requires_grad for out in op.outputs))
        for op in trace
    )
    return first_cut(case, call) if remade else None
