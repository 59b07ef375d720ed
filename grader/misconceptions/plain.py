"""The best plain account of what no name fits: where most, expected and got, the relation."""

from __future__ import annotations

from typing import Any

import torch

from grader.checking.failure import Failure, index_text, number, shape_text
from grader.checking.judging import CheckResult
from grader.misconceptions.case import Case, Match
from grader.misconceptions.initializer import part_name
from grader.misconceptions.numbers import relation
from grader.misconceptions.source import Place
from grader.misconceptions.words import place_text
from grader.observation import Observation, Raised

STOPPED_TITLES = {
    "TimeLimit": "it did not finish in time",
    "Died": "it ended its own process",
    "AnswerTooLarge": "it answered with more than is allowed",
    "Garbled": "it gave an answer that cannot be read",
    "SubmissionTimeLimit": "the time for the whole submission was used up",
    "HandleLost": "an object of yours was lost",
}


def account_plainly(case: Case, result: CheckResult, failure: Failure) -> Match:
    """What is known, without a name."""
    call = failure.observation
    if failure.kind in ("raised", "raised-in-backward") and call is not None:
        return _raised(case, result, failure, call)
    lines = [_headline(case, failure)]
    evidence: dict[str, Any] = {**failure.evidence}
    got, want = failure.got, failure.expected
    if isinstance(got, torch.Tensor) and isinstance(want, torch.Tensor):
        known = relation(got, want)
        if known:
            lines.append(known)
            evidence["relation"] = known
    return Match(None, "\n".join(lines), evidence, case.whole_function(), result, _title(failure))


def _title(failure: Failure) -> str:
    return {
        "values": "other values than expected",
        "gradient": "another gradient than expected",
        "gradient-missing": "no gradient comes back",
        "gradcheck": "the gradient does not fit the values",
        "shape": "another shape than expected",
        "dtype": "another dtype than expected",
        "type": "another type than expected",
        "changed": "an argument was changed",
        "step": "another update than expected",
        "reset": "a gradient is left",
        "tracking": "parameters are tracked no longer",
        "losses": "other losses than expected",
        "numbers": "other numbers than expected",
        "gradient-left": "another gradient is left than expected",
        "leaves": "other leaves than expected",
        "operations": "other operations than expected",
        "shared": "shared memory",
    }.get(failure.kind, "not as asked")


def _headline(case: Case, failure: Failure) -> str:
    evidence = failure.evidence
    name = ""
    if failure.argument is not None:
        made = case.exercise.kind == "initializer"
        name = part_name(case, failure.argument) if made else case.argument_name(failure.argument)
    if failure.kind in ("values", "gradient") and "differ" in evidence:
        what = f"of the gradient for {name} " if failure.kind == "gradient" else ""
        count = f"{evidence['differ']} of {evidence['of']} values {what}differ"
        if evidence["of"] == 1:
            count = f"the one value {what}differs"
        where = (
            f"{name}{index_text(tuple(evidence['index']))}" if name else place_text(case, failure)
        )
        most = f", most at {where}" if where else ""
        return (
            f"{count}{most}: got {number(evidence['got'])}, "
            f"expected {number(evidence['expected'])} "
            f"(difference {number(evidence['difference'])}, allowed {number(evidence['allowed'])})."
        )
    if failure.kind == "gradient-missing":
        return f"No gradient comes back to {name}."
    joint = "" if failure.message.startswith("[") else ": "
    text = f"{name}{joint}{failure.message}" if name else failure.message
    gradient = evidence.get("gradient")
    rate = _rate(failure.observation) if failure.kind == "step" else ""
    if gradient is not None and rate:
        text += f" (gradient {number(gradient)}, lr {rate})"
    return text


def _rate(call: Observation | None) -> str:
    last = call.args[-1] if call is not None and len(call.args) > 1 else None
    return number(last) if isinstance(last, float) else ""


def _raised(case: Case, result: CheckResult, failure: Failure, call: Observation) -> Match:
    raised = (
        call.backward_raised[-1]
        if failure.kind != "raised" and call.backward_raised
        else call.raised
    )
    if raised is None:
        return Match(None, failure.message, {}, case.whole_function(), result, "it raised an error")
    place = case.place_of(raised.frames[-1]) if raised.frames else None
    evidence: dict[str, Any]
    if raised.type == "MissingFunction":
        account = f"There is no function called {case.exercise.name} in what you handed in."
        return Match(
            None, account, {"raised": raised.type}, None, result, "the function is missing"
        )
    if raised.type in STOPPED_TITLES:
        return _stopped(case, result, call, raised, place)
    overrun = _overrun(case, raised)
    if overrun is not None:
        title, account = overrun
        evidence = {"raised": raised.type, "limit": title}
        return Match(None, account, evidence, place or case.whole_function(), result, title)
    first = raised.message.strip().splitlines()[0][:200] if raised.message.strip() else ""
    account = f"It raised {raised.type}" + (f": {first}" if first else ".")
    seen = [
        f"{local.name} is {local.dtype} {shape_text(local.shape)}"
        for local in raised.locals
        if local.dtype and local.type in ("Tensor", "Parameter", "ndarray")
    ]
    if seen:
        account += f"\nThere {', '.join(seen[:4])}."
    evidence = {"raised": raised.type, "text": first}
    return Match(
        None, account, evidence, place or case.whole_function(), result, "it raised an error"
    )


def _overrun(case: Case, raised: Raised) -> tuple[str, str] | None:
    """(title, account) of an error that says that a limit on memory or files was reached."""
    limits = case.assignment.limits
    if raised.type == "MemoryError" or "allocate memory" in raised.message:
        allowed = f"{limits.memory_mb:,} MB of memory"
        return "it needed more memory than is allowed", f"A submission may use {allowed}."
    if "OSError" in raised.families and "File too large" in raised.message:
        allowed = f"{limits.files_mb} MB to files"
        return "it wrote more than is allowed", f"A submission may write {allowed}."
    return None


def _stopped(
    case: Case, result: CheckResult, call: Observation, raised: Raised, place: Place | None
) -> Match:
    limit = case.assignment.limits
    account = {
        "TimeLimit": f"It ran longer than the {limit.call_seconds:g} s that one call may take.",
        "Died": f"During the call {raised.message}.",
        "AnswerTooLarge": f"The answer was larger than is allowed: {raised.message}.",
        "Garbled": f"The answer could not be read: {raised.message}.",
        "SubmissionTimeLimit": f"Before this call {raised.message}.",
        "HandleLost": f"An earlier call ended its process: {raised.message}.",
    }[raised.type]
    if place is not None and raised.type == "TimeLimit":
        account += " It was at this line when it was stopped."
    evidence = {"stopped": raised.type}
    return Match(
        None, account, evidence, place or case.whole_function(), result, STOPPED_TITLES[raised.type]
    )
