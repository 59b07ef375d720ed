"""Mistakes in what is returned and stays with the submission, and in numbers about a module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from grader.checking.assertions import type_text
from grader.checking.failure import Failure, number
from grader.misconceptions.case import Case, Match
from grader.misconceptions.cuts import first_of_dtype
from grader.misconceptions.replicas import match_replicas
from grader.misconceptions.source import Place
from grader.observation import Observation
from grader.student.handles import WITH_PARAMETERS, Handle

OWN_TYPES = "submission."  # how the types are called that a submission defines


def match_object(case: Case, failure: Failure) -> list[Match]:
    """The name that fits one failed check of an exercise that returns a module or a function."""
    call = failure.observation
    if call is None:
        return []
    if failure.kind == "changed":
        return [_argument_changed(case, failure, call)]
    if failure.kind == "type":
        return [_other_thing(case, failure, call)]
    own = _recognised(case)
    if own:
        return own
    if failure.kind == "parameters":
        return _other_parameters(case, failure, call)
    if failure.kind == "not-requiring-grad":
        place = _first_line(case, call, "requires_grad_", "requires_grad=")
        return [Match("requires-grad-missing", failure.message, failure.evidence, place)]
    if failure.kind == "dtype":
        return _other_dtype(case, failure, call)
    if failure.kind in ("values", "shape", "gradient"):
        return match_replicas(case, _method(case, call, "forward"))
    if failure.kind == "gradient-missing":
        return [_no_gradient(case, failure, call)]
    return []


def match_score(case: Case, failure: Failure) -> list[Match]:
    """The name that fits one failed check of a number about a module."""
    call = failure.observation
    if call is None:
        return []
    own = _recognised(case)
    if own:
        return own
    if failure.kind == "type":
        return [_other_thing(case, failure, call)]
    model = call.args[0] if call.args else None
    seen = call.module(model) if isinstance(model, Handle) else None
    if failure.kind == "values" and seen is not None and not seen.passes:
        account = "the model that was passed in was never called"
        return [Match("given-model-ignored", account, {"calls": 0}, case.whole_function())]
    if failure.kind == "values":
        # The operations of one call are recorded only where its values alone have no name.
        return match_replicas(case) or _recognised(case, [case.traced(call)])
    if failure.kind == "changed":
        return [Match("argument-changed", failure.message, failure.evidence, case.whole_function())]
    if failure.kind == "tracking":
        slug = "grad-mode-left-off" if "grad_mode" in failure.evidence else (
            "parameter-no-longer-tracked"
        )  # fmt: skip
        names = ("requires_grad_", "requires_grad=", "_set_grad_enabled")
        return [Match(slug, failure.message, failure.evidence, _last_line(case, call, *names))]
    return []


def _recognised(case: Case, calls: Sequence[Observation] = ()) -> list[Match]:
    """What the assignment sees in these records, or in those of the exercise's own calls."""
    calls = calls or [
        call
        for result in case.outcome.results
        if result.lost
        for call in result.calls
        if call.function == case.exercise.name and call.raised is None
    ]
    for recogniser in case.own.recognisers:
        if recogniser.exercise != case.exercise.name:
            continue
        for call in calls:
            try:
                said: Any = recogniser.test(call, "")
            except Exception:
                said = False
            if said:
                place = None
                if recogniser.at is not None:
                    place = case.source.find(case.exercise.name, recogniser.at)
                account = said if isinstance(said, str) else recogniser.account
                return [Match(recogniser.slug, account, {}, place or case.whole_function())]
    return []


def _method(case: Case, call: Observation, name: str) -> Place | None:
    """A method of the class of one's own that a module is of, if it is of one."""
    own = any(seen.type_name.startswith(OWN_TYPES) for seen in call.modules)
    found = case.source.function(name) if own else None
    return Place(found[0], found[1].lineno, found[1].end_lineno) if found else None


def _other_thing(case: Case, failure: Failure, call: Observation) -> Match:
    got = failure.got
    what = type_text(got)
    evidence = {"got": what}
    if isinstance(got, Handle) and got.type_name == "type":
        account = "a class comes back; what is due is an object of it"
        return Match("class-not-object", account, evidence, case.whole_function())
    if call.function != case.exercise.name:
        account = f"what was returned is called, and {what} comes out of it, not a tensor"
        place = _method(case, call, "forward") or case.whole_function()
        return Match("wrong-return-type", account, evidence, place)
    account = f"{_due(case)} is due, and {what} comes back"
    if got is None:
        account = f"nothing comes back: the function ends without returning {_due(case)}"
    elif isinstance(got, torch.Tensor) and case.exercise.kind == "score":
        account = f"a float is due, and a tensor comes back: {number(got.detach().reshape(-1)[0])}"
    return Match("wrong-return-type", account, evidence, case.whole_function())


def _due(case: Case) -> str:
    return "a float" if case.exercise.kind == "score" else "an object to call"


def _other_parameters(case: Case, failure: Failure, call: Observation) -> list[Match]:
    handle = call.returned
    seen = call.module(handle) if isinstance(handle, Handle) else None
    if seen is None:
        return []
    if not seen.parameters:
        account = "the model has no parameters: what it computes with is not known to it"
        place = _method(case, call, "__init__") or case.whole_function()
        return [Match("parameters-not-registered", account, failure.evidence, place)]
    return []


def _other_dtype(case: Case, failure: Failure, call: Observation) -> list[Match]:
    got = str(failure.evidence.get("got", ""))
    if got != "float64":
        return []
    place = first_of_dtype(case, call, "float64")
    return [
        Match("float64-mixing", failure.message, failure.evidence, place or case.whole_function())
    ]


def _no_gradient(case: Case, failure: Failure, call: Observation) -> Match:
    places = failure.evidence.get("missing", [])
    names = ["its argument"]
    if call.function == WITH_PARAMETERS:
        known = list(call.args[1])
        names = [known[place] for place in places if place < len(known)] or names
    account = f"the numbers are right, but no gradient comes back to {', '.join(names)}"
    line = _cut_line(case, call)
    return Match("graph-cut", account, {"missing": names}, line or case.whole_function())


def _cut_line(case: Case, call: Observation) -> Place | None:
    for operation in case.trace(call):
        if not any(given.requires_grad for given in operation.inputs):
            continue
        if not any(out.requires_grad for out in operation.outputs):
            return case.place_of(operation)
    return None


def _argument_changed(case: Case, failure: Failure, call: Observation) -> Match:
    name = case.argument_name(failure.argument or 0)
    account = f"{name} holds other numbers after the call"
    if "got" in failure.evidence:
        index = failure.evidence["index"]
        where = f"{name}{index}" if index else name
        account = (
            f"{where} was {number(failure.evidence['expected'])} before the call and is "
            f"{number(failure.evidence['got'])} after it"
        )
    place = None
    for operation in case.trace(call):
        if operation.in_place:
            place = case.place_of(operation)
            break
    return Match("argument-changed", account, failure.evidence, place or case.whole_function())


def _first_line(case: Case, call: Observation, *names: str) -> Place | None:
    for operation in case.trace(call):
        if operation.name in names:
            return case.place_of(operation)
    return case.whole_function()


def _last_line(case: Case, call: Observation, *names: str) -> Place | None:
    found = [operation for operation in case.trace(call) if operation.name in names]
    return case.place_of(found[-1]) if found else case.whole_function()
