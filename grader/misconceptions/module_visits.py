"""Which samples a loop that trains a module visits: order, number, groups."""

from __future__ import annotations

from typing import Any

import torch

from grader.misconceptions.case import Case, Match
from grader.misconceptions.followed import Followed, follow, line_of


def started_anew(case: Case, loop: Followed) -> Match | None:
    """The model's values were replaced before its first call."""
    first = loop.stretches[0] if loop.stretches else None
    if first is None or all(map(torch.equal, first.before, loop.start)):
        return None
    name = next(
        name
        for name, a, b in zip(loop.seen.names, first.before, loop.start, strict=True)
        if not torch.equal(a, b)
    )
    account = f"before the first call of the model, {name} already held other values than given"
    return Match("model-started-anew", account, {"parameter": name}, case.whole_function())


def other_order(case: Case, loop: Followed) -> Match | None:
    """Other samples than one at a time, in order, all of them, as often as asked for."""
    n, steps = len(loop.X), len(loop.steps)
    calls = len(loop.stretches)
    if 0 < steps == loop.epochs < calls == n * loop.epochs:
        account = f"{calls} samples were visited, and the optimizer took {steps} steps"
        return Match("one-step-per-epoch", account, {"steps": steps}, line_of(case, loop.steps[0]))
    rows = loop.rows(loop.used)
    if not rows or any(-1 in row or not row for row in rows):
        return None
    line = line_of(case, loop.used[0].call)
    sizes = sorted({len(row) for row in rows})
    evidence: dict[str, Any] = {"visited": [list(row) for row in rows[: 2 * n]], "samples": n}
    if sizes[-1] == n and n > 1 and len(rows) == loop.epochs:
        account = f"the model was called with all {n} samples at once, {len(rows)} times in all"
        return Match("one-step-per-epoch", account, evidence, line)
    if sizes[-1] > 1:
        account = f"the model was called with up to {sizes[-1]} samples at once"
        return Match("several-samples-a-step", account, evidence, line)
    visits = [row[0] for row in rows]
    due = list(range(n)) * loop.epochs
    if visits == due:
        return None
    if len(visits) == len(due) > 1 and set(visits) == {visits[0]}:
        account = f"all {len(visits)} calls of the model got sample {visits[0]}; {n} were given"
        return Match("first-sample-only", account, evidence, line)
    if loop.epochs > 1 and n > 1 and visits == sorted(due):
        account = f"sample 0 comes {loop.epochs} times in a row, then sample 1, and so on"
        return Match("loops-exchanged", account, evidence, line)
    rounds = [visits[i : i + n] for i in range(0, len(visits), n)]
    shown = ", ".join(map(str, visits[:n]))
    if len(visits) == len(due) and all(sorted(one) == list(range(n)) for one in rounds):
        again = follow(case)
        backwards = visits == due[::-1]
        drawn = any(one != rounds[0] for one in rounds) or _draws(case, loop)
        changes = again is not None and again.rows(again.used) != rows
        if not backwards and (drawn or changes):
            account = f"the first pass visits the samples in this order: {shown}"
            return Match("samples-shuffled", account, evidence, line)
        return None
    if visits == list(range(n)) * (len(visits) // n) and len(visits) % n == 0:
        got = len(visits) // n
        account = f"{loop.epochs} passes over the samples were asked for; {got} were made"
        return Match("epochs-miscounted", account, evidence, case.whole_function())
    missing = sorted(set(range(n)) - set(visits))
    if missing and len(visits) == (n - len(missing)) * loop.epochs:
        which = ", ".join(map(str, missing))
        account = f"of {n} samples, those with these numbers were never visited: {which}"
        return Match("samples-left-out", account, evidence | {"missing": missing}, line)
    return None


def _draws(case: Case, loop: Followed) -> bool:
    names = ("randperm", "randint", "multinomial", "shuffle")
    return any(op.name in names for op in case.trace(loop.record)) or any(
        case.source.calls_anywhere(name) for name in ("shuffle", "sample", "permutation")
    )
