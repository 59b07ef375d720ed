"""What backward() itself complains of: several numbers, a graph used up, nothing recorded."""

from __future__ import annotations

from grader.misconceptions.case import Case, Match
from grader.misconceptions.cuts import first_cut
from grader.misconceptions.source import Place
from grader.misconceptions.unfilled import new_parameter, walks_back
from grader.observation import Observation, Raised


def backward_errors(
    case: Case, call: Observation, raised: Raised, place: Place | None
) -> Match | None:
    text = raised.message
    if "second time" in text:
        # On the way back into a plain function the second backward is the check's own.
        calls_it = case.exercise.kind in ("training", "numbers", "descent")
        return _second_backward(case, call, place) if calls_it or call.raised else None
    if "scalar outputs" in text:
        account = "backward() starts from one number, and got several"
        return Match("backward-on-non-scalar", account, {"raised": raised.type}, place)
    if "does not require grad" in text and (case.exercise.kind == "training" or call.raised):
        return _nothing_recorded(case, call, place)
    return None


def _second_backward(case: Case, call: Observation, place: Place | None) -> Match:
    """Twice over one graph: a loss that holds an old one, or a graph built before the loop."""
    operations = [
        op
        for op in case.trace(call)
        if walks_back(op)
        or (op.outputs and op.outputs[0].requires_grad and not op.in_place and op.grad_mode)
    ]
    at = [i for i, op in enumerate(operations) if walks_back(op)]
    places = {(operations[i].filename, operations[i].line) for i in at}
    forward = at[0] if at else 0
    between = at[-1] - at[-2] - 1 if len(at) > 1 else 0
    # The same line with an update in between, and less forward work than the first time: the loop
    # came round, and part of the graph is old.
    last = [i for i, op in enumerate(case.trace(call)) if walks_back(op)][-2:]
    idle = len(last) == 2 and last[1] - last[0] == 1
    came_round = len(places) == 1 and between < forward and not idle
    slug = "stale-graph" if came_round else "backward-twice"
    account = "backward() came to a part of the graph that an earlier backward() had used up"
    return Match(slug, account, {"backward_calls": len(at)}, place)


def _nothing_recorded(case: Case, call: Observation, place: Place | None) -> Match | None:
    earlier = [op for op in case.trace(call) if op.name == "backward" and not op.raised]
    made = new_parameter(case.trace(call)) if case.exercise.kind == "descent" else None
    if earlier and made is not None:
        account = "the step made a new tensor that requires no grad, and the next loss uses it"
        return Match("update-not-in-place", account, {}, case.place_of(made))
    # At the first backward no update has run yet: whatever is unrecorded is the forward pass.
    off = [op for op in case.trace(call) if not op.grad_mode and op.name != "_set_grad_enabled"]
    if off:
        account = "grad mode was off during the forward pass, so backward() finds no graph"
        switched = [op for op in case.trace(call) if op.name == "_set_grad_enabled"]
        # Without a switch inside it stands above: a decorator of the loop or of what calls it.
        line = case.place_of(switched[0]) if switched else case.whole_function()
        trains = case.exercise.kind in ("training", "descent")
        return Match("training-under-no-grad" if trains else "graph-cut", account, {}, line)
    cut = first_cut(case, call)
    if cut is not None:
        account = f"`{case.source.text(cut)}` passes the loss on without its history"
        return Match("graph-cut", account, {}, cut)
    return None
