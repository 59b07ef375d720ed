"""Mistakes in an update that makes its own gradient, and in the numbers recorded meanwhile."""

from __future__ import annotations

from grader.misconceptions.case import Case, Match
from grader.misconceptions.probing import probe_update
from grader.misconceptions.recognising import recognised
from grader.misconceptions.recorded import match_numbers
from grader.misconceptions.rules import Probe
from grader.misconceptions.update import match_update
from grader.misconceptions.values import match_values

OF_THE_UPDATE = frozenset({"step", "reset", "tracking"})


def match_descent(case: Case) -> list[Match]:
    """The names that fit the failed checks; how it moves and what it records are two things."""
    failures = [f for _, f in case.failing if f.bug is None and not f.kind.startswith("raised")]
    first = next((f for f in failures if f.kind not in OF_THE_UPDATE), None)
    moved = [f for f in failures if f.kind in OF_THE_UPDATE]
    if first is not None and first.kind == "type":
        return match_numbers(case, first)
    named = recognised(case, case.calls) or match_values(case)
    named = named or recognised(case, [case.traced(call) for call in case.calls[:1]])
    still = not any(a.changed for f in failures if f.observation for a in f.observation.arguments)
    probe = None if named else probe_update(case, 0.4)
    if probe is None or probe.moved or still:
        # Wrong numbers may come of wrong steps.
        named = named or match_update(case, ["step"])
    if named or first is None:
        return named or (_never_differentiated(case, probe) if moved and still else [])
    return match_numbers(case, first)


def _never_differentiated(case: Case, probe: Probe | None) -> list[Match]:
    """Nothing moved, and no backward ran."""
    if probe is None or probe.moved:
        return []
    if any(op.name in ("backward", "grad") for op in case.trace(probe.record)):
        return []
    account = "no number has moved, and no backward() has run"
    return [Match("backward-missing", account, {}, case.whole_function())]
