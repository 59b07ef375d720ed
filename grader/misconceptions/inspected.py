"""Mistakes in saying what a recorded graph holds."""

from __future__ import annotations

from typing import Any

import torch

from grader.checking.assertions import type_text
from grader.checking.failure import Failure
from grader.checking.inspected import items_of
from grader.misconceptions.case import Case, Match
from grader.misconceptions.cuts import CUTS
from grader.misconceptions.effects import changed_argument
from grader.misconceptions.recognising import recognised
from grader.misconceptions.source import Place
from grader.misconceptions.values import match_values
from grader.observation import Observation, Opaque
from grader.student.computed import Computed

ABOUT_THE_ANSWER = ("leaves", "operations", "type")


def match_inspection(case: Case, failure: Failure) -> list[Match]:
    """The name that fits one failed check of a function that looks at a graph."""
    call = failure.observation
    if call is None:
        return []
    if failure.kind == "changed":
        return [changed_argument(case, failure, call)]
    # What one graph shows by chance, another one does not.
    wrong = [f.observation for _, f in case.failing if f.kind in ABOUT_THE_ANSWER]
    named = recognised(case, [one for one in wrong if one is not None], in_all=True)
    named = named or match_values(case)
    if named:
        return named
    if failure.kind == "leaves" and (copies := _copies(case, failure, call)) is not None:
        return [copies]
    if failure.kind == "type":
        return [_type(case, failure, call)]
    return []


def _copies(case: Case, failure: Failure, call: Observation) -> Match | None:
    """As many tensors as there are leaves, with the leaves' values, and none of them is one."""
    output = call.args[0] if call.args else None
    own = call.own
    if not isinstance(output, Computed) or not own or any(place >= 0 for place in own):
        return None
    known = [one.tensor.detach() for one in output.leaves]
    if not all(any(_equal(tensor, one) for one in known) for tensor in call.tensors):
        return None
    count = len(own)
    account = f"the {count} tensors that come back hold the values of leaves, and are none of them"
    if count == 1:
        account = "the tensor that comes back holds the values of a leaf, and is another tensor"
    return Match("copies-returned", account, {"copies": count}, _place_of_copy(case, call))


def _place_of_copy(case: Case, call: Observation) -> Place | None:
    for operation in case.trace(call):
        if operation.name in CUTS:
            return case.place_of(operation)
    return case.whole_function()


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and bool((a.detach() == b).all())


def _type(case: Case, failure: Failure, call: Observation) -> Match:
    items: Any = items_of(call.returned)
    what = type_text(call.returned)
    account = f"a list is due, and {what} comes back"
    if call.returned is None:
        account = "nothing comes back: the function ends without returning anything"
    elif isinstance(call.returned, Opaque) and items is None and "generator" in what:
        account = "a generator comes back: a function with `yield` gives no list"
    elif items is not None:
        account = failure.message
    return Match("wrong-return-type", account, {"got": what}, case.whole_function())
