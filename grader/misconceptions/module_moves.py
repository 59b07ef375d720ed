"""How a loop that trains a module moves it: resets, rates, other rules than the plain step."""

from __future__ import annotations

import ast

import torch

from grader.checking.failure import number
from grader.misconceptions.case import Case, Match
from grader.misconceptions.followed import Followed, Stretch, flat, follow, line_of, maker_of
from grader.misconceptions.numbers import constant_factor
from grader.misconceptions.rules import OTHER_RULE
from grader.misconceptions.source import Place
from grader.student.handles import Handle

OTHER_RATE = 0.03


def some_parameters(case: Case, loop: Followed) -> Match | None:
    """The optimizer holds a part of the model's parameters, and the others never moved."""
    count = len(loop.seen.names)
    if not loop.steps or any(step.own in (0, count) for step in loop.steps):
        return None
    still = [name for name in loop.seen.names if name not in loop.seen.moved]
    if not still:
        return None
    first = loop.steps[0]
    account = (
        f"the optimizer holds {first.own} of the model's {count} parameters; "
        f"{' and '.join(still)} never moved"
    )
    return Match("some-parameters-not-updated", account, {"unmoved": still}, maker_of(case, first))


def not_reset(case: Case, loop: Followed) -> Match | None:
    """In .grad, at a step, is more than what came since the step before."""
    left = None
    since = 0  # stretches whose gradients no step has used yet
    for stretch in loop.used:
        since += 1
        if not stretch.steps or stretch.late:
            continue
        together, since = since, 0
        if together > 1 and _adds_up(loop.used, stretch, together):
            account = f"the step follows the gradients of {together} samples, added up"
            line = line_of(case, stretch.steps[0])
            return Match("several-samples-a-step", account, {"samples": together}, line)
        if stretch is loop.used[0]:
            continue
        for place, (fresh, total) in enumerate(zip(stretch.fresh, stretch.total, strict=True)):
            if fresh is None or total is None or torch.allclose(fresh, total, atol=1e-7):
                continue
            gap = (total - fresh).abs()
            index = tuple(int(i) for i in torch.nonzero(gap == gap.max())[0])
            left = stretch, place, index
            break
        if left is not None:
            break
    if left is None:
        return None
    stretch, place, index = left
    fresh, total = stretch.fresh[place], stretch.total[place]
    assert fresh is not None
    assert total is not None
    where = f"{loop.seen.names[place]}.grad[{', '.join(map(str, index))}]"
    new, held = float(fresh[index]), float(total[index])
    evidence = {"fresh": new, "held": held, "parameter": loop.seen.names[place]}
    account = (
        f"backward() brought {number(new)} for {where}, and the step then found "
        f"{number(held)} there: {number(held - new)} more, from the steps before"
    )
    line = _reset_line(case) or case.whole_function()
    return Match("gradient-not-reset", account, evidence, line)


def _adds_up(stretches: list[Stretch], last: Stretch, count: int) -> bool:
    """What .grad held is the sum of what came in these stretches, and no more."""
    end = next(i for i, stretch in enumerate(stretches) if stretch is last) + 1
    came = sum(flat(stretch.fresh, last.before) for stretch in stretches[end - count : end])
    return bool(torch.allclose(flat(last.total, last.before), torch.as_tensor(came), atol=1e-6))


def _reset_line(case: Case) -> Place | None:
    """`optimizer.zero_grad` without its parentheses."""

    def bare(node: ast.AST) -> bool:
        return isinstance(node, ast.Expr) and isinstance(node.value, ast.Attribute)

    return case.source.find(case.exercise.name, bare)


def late_gradient(case: Case, loop: Followed) -> Match | None:
    """Each step uses the gradient that came in the stretch before."""
    if len(loop.stretches) < 3 or not all(
        stretch.late for stretch in loop.stretches if stretch.steps
    ):
        return None
    if not any(stretch.steps for stretch in loop.stretches):
        return None
    account = "in each round the step comes first, and the gradient of that sample after it"
    first = loop.steps[0]
    return Match("step-before-backward", account, {"steps": len(loop.steps)}, line_of(case, first))


def other_rule(case: Case, loop: Followed) -> Match | None:
    """Another optimizer, another rate, a sign: what the moves have to do with the gradients."""
    chosen = [s for s in loop.stretches if s.steps and s.arrived and not s.late]
    if not chosen:
        return None
    first = chosen[0].steps[0]
    line = maker_of(case, first)
    factors = [_factor(stretch) for stretch in chosen]
    evidence = {"optimizer": first.kind, "lr": loop.lr, "its_lr": first.lr}
    right = [f is not None and abs(f / loop.lr - 1) < 2e-3 for f in factors]
    if all(right):
        return None
    if first.kind != "SGD":
        account = f"the steps are those of `{first.kind}`, not of plain gradient descent"
        return Match(OTHER_RULE, account, evidence, line)
    extras = {k: v for k, v in first.options.items() if k != "maximize"}
    if extras:
        said = ", ".join(f"{name}={number(value)}" for name, value in extras.items())
        account = f"the optimizer adds something to the plain step: {said}"
        return Match(OTHER_RULE, account, evidence | extras, line)
    if any(f is None for f in factors):
        return None
    known = [f for f in factors if f is not None]
    if max(known) - min(known) > 2e-3 * max(map(abs, known)):
        return None
    factor = known[0]
    if abs(factor / loop.lr + 1) < 2e-3:
        account = "every step goes along the gradient, uphill, and not against it"
        return Match("gradient-ascent", account, evidence, line)
    if all(len(stretch.steps) == 2 for stretch in chosen):
        account = "the optimizer takes two steps for each sample"
        return Match(OTHER_RULE, account, evidence | {"steps": 2}, line)
    other = follow(case, lr=OTHER_RATE)
    again = _factors(other) if other is not None else []
    if not again:
        return None
    if abs(again[0] - factor) < 2e-3 * abs(factor):
        account = f"with lr {loop.lr:g} and with lr {OTHER_RATE:g} the steps are "
        account += f"{number(abs(factor))} times the gradient"
        return Match("learning-rate-ignored", account, evidence, line)
    share = factor / loop.lr
    if abs(again[0] / OTHER_RATE - share) < 2e-3 * abs(share) and 0 < share < 1:
        account = f"every step is 1/{number(1 / share)} of the right one"
        return Match("divided-by-batch-size", account, evidence | {"factor": share}, line)
    return None


def _factors(loop: Followed) -> list[float]:
    chosen = [s for s in loop.stretches if s.steps and s.arrived and not s.late]
    found = [_factor(stretch) for stretch in chosen]
    return [f for f in found if f is not None] if len(found) == len(chosen) else []


def _factor(stretch: Stretch) -> float | None:
    """The one c with every move = -c times what .grad held."""
    moves = flat(stretch.moves, stretch.before)
    grads = flat(stretch.total, stretch.before)
    return constant_factor(moves, -grads)


def other_gradient(case: Case, loop: Followed) -> Match | None:
    """The gradient that came is the right one turned round, or divided by the samples' number."""
    right = getattr(case.library, case.exercise.name)
    blueprint = next(
        c.args[0].blueprint for r in case.outcome.results for c in r.calls
        if c.args and isinstance(c.args[0], Handle) and c.args[0].blueprint is not None
    )  # fmt: skip
    shares = []
    for stretch, row in zip(loop.used, loop.rows(loop.used), strict=True):
        if len(row) != 1 or row[0] < 0:
            return None
        i = row[0]
        replica = blueprint.build(stretch.before)
        right(replica, loop.X[i : i + 1], loop.y[i : i + 1], 1, 1.0)
        due = [b - p.detach() for b, p in zip(stretch.before, replica.parameters(), strict=True)]
        share = constant_factor(flat(stretch.fresh, due), flat(due, due))
        if share is None:
            return None
        shares.append(share)
    if not shares or max(shares) - min(shares) > 5e-3 * max(map(abs, shares)):
        return None
    share, line = shares[0], case.whole_function()
    n = len(loop.X)
    if abs(share + 1) < 5e-3:
        account = "the gradients are those of minus the loss, so every step goes uphill"
        return Match("gradient-ascent", account, {"factor": share}, line)
    if n > 1 and abs(share * n - 1) < 5e-3:
        account = f"every gradient is 1/{n} of the right one, for {n} samples"
        return Match("divided-by-batch-size", account, {"factor": share}, line)
    return None
