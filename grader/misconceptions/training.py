"""Mistakes in a training loop: the pieces that it calls are right, or stood in for."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import torch

from grader.checking.assertions import type_text
from grader.checking.failure import Failure, number
from grader.misconceptions.case import Case, Match
from grader.misconceptions.source import Place
from grader.misconceptions.values import match_values
from grader.observation import Observation, Operation


def match_training(case: Case, failure: Failure) -> list[Match]:
    """The name that fits one failed check of a training loop."""
    call = failure.observation
    if call is None:
        return []
    if failure.kind == "type":
        return [_losses_of_another_type(case, call)]
    visits = visited(case)
    for test in (_order, _values, _nothing_moved):
        matches = test(case, call, visits)
        if matches is not None:
            return matches
    return []


def _losses_of_another_type(case: Case, call: Observation) -> Match:
    items = call.returned if isinstance(call.returned, list | tuple) else []
    tensors = [item for item in items if isinstance(item, torch.Tensor)]
    if tensors:
        kept = sum(tensor.requires_grad for tensor in tensors)
        account = f"the list holds {len(tensors)} tensors where floats are due"
        if kept:
            account += f", and {'each' if kept == len(tensors) else kept} still has a grad_fn"
        place = _operation(case, call, "append") or case.whole_function()
        return Match(
            "loss-tensor-kept", account, {"tensors": len(tensors), "with_graph": kept}, place
        )
    what = type_text(call.returned)
    if items:
        other = next(item for item in items if not isinstance(item, float))
        what = f"a list that holds {type_text(other)}"
    account = f"a list of floats is due, and {what} comes back"
    return Match("wrong-return-type", account, {"got": what}, case.whole_function())


class Visits:
    """Which sample each recorded loss belongs to, from a run with lr = 0; twice, other seeds."""

    def __init__(self, count: int, epochs: int, first: list[int] | None, second: list[int] | None,
                 losses: list[float]) -> None:  # fmt: skip
        self.count = count
        self.epochs = epochs
        self.first = first
        self.second = second
        self.losses = losses


def visited(case: Case) -> Visits | None:
    """Run the loop with lr = 0 and read from each loss which sample it is of."""
    base = next((c for c in _all_calls(case) if len(c.args) >= 5), None)
    if base is None:
        return None
    params, X, Y = base.args[0], base.args[1], base.args[2]
    count, epochs = len(X), 2
    own = _own_losses(case, params, X, Y)
    sequences: list[list[int] | None] = []
    losses: list[float] = []
    for turn in range(2):
        case.student.begin(f"visits {turn} {case.exercise.name}")
        record = case.student.run(case.exercise.name, [_fresh(params), X, Y, epochs, 0.0])
        got = record.returned
        if record.raised is not None or not isinstance(got, list) or not got:
            return None
        if not all(isinstance(loss, float) for loss in got):
            return None
        losses = list(got)
        sequences.append(_decode(got, own))
    return Visits(count, epochs, sequences[0], sequences[1], losses)


def _own_losses(case: Case, params: Any, X: torch.Tensor, Y: torch.Tensor) -> list[float]:
    """Each sample's own loss at the start."""
    right = getattr(case.library, case.exercise.name)
    losses: list[float] = []
    for i in range(len(X)):
        losses += right(_fresh(params), X[i : i + 1], Y[i : i + 1], 1, 0.0)
    return losses


def _decode(losses: list[float], own: list[float]) -> list[int] | None:
    sequence = []
    for loss in losses:
        gaps = [abs(loss - one) for one in own]
        best = min(range(len(own)), key=gaps.__getitem__)
        if gaps[best] > 1e-4:
            return None
        sequence.append(best)
    return sequence


def _order(case: Case, call: Observation, visits: Visits | None) -> list[Match] | None:
    if visits is None or visits.first is None or visits.second is None:
        return None
    first, n = visits.first, visits.count
    evidence: dict[str, Any] = {"visited": first[: 2 * n], "samples": n}
    shown = ", ".join(map(str, first[:n]))
    place = case.whole_function()
    if first == list(range(n)) * visits.epochs or not _confirmed(case, call):
        return None
    rounds = [first[i : i + n] for i in range(0, len(first), n)]
    complete = len(first) == n * visits.epochs
    same_again = visits.second == first
    if len(first) >= 2 and set(first) == {0}:
        account = f"all {len(first)} steps visit sample 0; {n} samples were given"
        return [Match("first-sample-only", account, evidence, place)]
    draws = _operation(case, call, "randperm", "randint", "manual_seed", "shuffle")
    if complete and same_again and _seeds_in_loop(case):
        if len(set(first)) == 1:
            account = f"all {len(first)} steps visit sample {first[0]}; {n} samples were given"
            return [Match("seed-reset-in-loop", account, evidence, place)]
        if all(one == rounds[0] for one in rounds):
            account = f"each pass visits the samples in the same drawn order: {shown}"
            return [Match("seed-reset-in-loop", account, evidence, draws or place)]
    permuted = complete and all(sorted(one) == list(range(n)) for one in rounds)
    # Drawn, not merely another fixed order: it changes, or something that draws was seen.
    drawn = not same_again or draws is not None or any(one != rounds[0] for one in rounds)
    if permuted and drawn:
        account = f"your first pass visits the samples in this order: {shown}"
        return [Match("samples-shuffled", account, evidence, draws or place)]
    return None


def _confirmed(case: Case, call: Observation) -> bool:
    """Right training along the visits that the losses tell of ends where this loop ends.

    Losses alone can lie: of the best so far, or of another sample than was stepped on.
    """
    base = next((c for c in _all_calls(case) if len(c.args) >= 5 and float(c.args[4]) > 0), None)
    if base is None:
        return False
    params, X, Y, _, lr = base.args[:5]
    own = _own_losses(case, params, X, Y)
    case.student.begin(f"confirm {case.exercise.name}")
    still = case.student.run(case.exercise.name, [_fresh(params), X, Y, 2, 0.0], seed=7)
    moved = case.student.run(case.exercise.name, [_fresh(params), X, Y, 2, lr], seed=7)
    if still.raised or moved.raised or not isinstance(still.returned, list):
        return False
    if not all(isinstance(loss, float) for loss in still.returned):
        return False
    sequence = _decode(still.returned, own)
    if sequence is None:
        return False
    right = _fresh(params)
    step = getattr(case.library, case.exercise.name)
    for i in sequence:
        step(right, X[i : i + 1], Y[i : i + 1], 1, lr)
    return all(
        bool(torch.allclose(argument.after.detach(), want.detach(), atol=3e-4))
        for argument, want in zip(moved.arguments, right, strict=False)
    )


def _seeds_in_loop(case: Case) -> bool:
    """The tree may decide here: a seed set before the loop and inside it visit alike."""
    found = case.source.function(case.exercise.name)
    if found is None:
        return False
    for loop in ast.walk(found[1]):
        if isinstance(loop, (ast.For, ast.While)):
            for node in ast.walk(loop):
                if isinstance(node, ast.Call):
                    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
                    if name in ("manual_seed", "seed"):
                        return True
    return False


def _values(case: Case, call: Observation, visits: Visits | None) -> list[Match] | None:
    found = match_values(case)
    return [
        Match(m.slug, m.account, m.evidence, m.place or case.whole_function()) for m in found
    ] or None


def _nothing_moved(case: Case, call: Observation, visits: Visits | None) -> list[Match] | None:
    lr = float(call.args[4]) if len(call.args) > 4 else 0.1
    params = call.arguments[: len(_flat(call.args[0]))]
    if lr == 0 or any(argument.changed for argument in params):
        return None
    operations = case.trace(call)
    if any(operation.name == "backward" for operation in operations):
        return _on_copies(case, call) or _forced(case, operations)
    if not isinstance(call.returned, list | tuple) or not call.returned:
        return None
    account = f"no parameter has moved after {len(call.returned)} losses"
    return [
        Match("backward-missing", account, {"steps": len(call.returned)}, case.whole_function())
    ]


def _on_copies(case: Case, call: Observation) -> list[Match] | None:
    """The losses are those of right training, so something was trained: not what was passed in."""
    params, X, Y, epochs, lr = call.args[:5]
    right = getattr(case.library, case.exercise.name)(_fresh(params), X, Y, epochs, lr)
    got = call.returned
    if not isinstance(got, list | tuple) or len(got) != len(right):
        return None
    if not all(isinstance(loss, float) for loss in got):
        return None
    if any(abs(a - b) > 5e-3 for a, b in zip(got, right, strict=True)):
        return None
    account = "the losses are right, and the parameters that were passed in never moved"
    copied = _operation(case, call, "clone", "detach", "tensor")
    return [Match("update-not-in-place", account, {}, copied or case.whole_function())]


def _forced(case: Case, operations: Sequence[Operation]) -> list[Match] | None:
    """backward ran, and nothing moved: the loss was wrapped anew and told to require grad."""
    for operation in operations:
        made = operation.outputs[0] if operation.outputs else None
        fresh = made is not None and made.requires_grad and made.is_leaf and not operation.in_place
        wraps = operation.name in ("tensor", "as_tensor", "requires_grad_", "requires_grad=")
        wraps = wraps and made is not None and len(made.shape) == made.shape.count(1)
        if wraps and (fresh or (made is not None and made.is_leaf)):
            account = "the loss was told to require grad, but no path leads from it to a parameter"
            return [Match("requires-grad-forced", account, {}, case.place_of(operation))]
    return None


def _all_calls(case: Case) -> list[Observation]:
    return [
        call
        for result in case.outcome.results
        for call in result.calls
        if call.function == case.exercise.name
    ]


def _flat(params: Any) -> list[torch.Tensor]:
    return list(params) if isinstance(params, list | tuple) else [params]


def _fresh(params: Any) -> list[torch.Tensor]:
    return [p.detach().clone().requires_grad_() for p in _flat(params)]


def _operation(case: Case, call: Observation, *names: str) -> Place | None:
    for operation in case.trace(call):
        if operation.name in names:
            return case.place_of(operation)
    return None


def describe_losses(failure: Failure) -> str:
    """The first loss that differs, in words."""
    evidence = failure.evidence
    if evidence.get("what") == "count":
        return f"{evidence['expected']} losses were due, one a step; {evidence['got']} came back"
    return (
        f"loss {evidence['index']} is {number(evidence['got'])}, "
        f"it should be {number(evidence['expected'])}"
    )
