"""Mistakes in a loop that trains a module, from its calls, gradients and optimizer steps."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import torch

from grader.checking.assertions import type_text
from grader.checking.failure import Failure, number
from grader.misconceptions.case import Case, Match
from grader.misconceptions.followed import Followed, Stretch, flat, follow
from grader.misconceptions.numbers import constant_factor
from grader.misconceptions.replicas import match_replicas
from grader.misconceptions.source import Place, dotted
from grader.observation import Observation
from grader.observed_modules import OptimizerStep
from grader.student.handles import Handle

OTHER_RATE = 0.03
_FORCING = ("tensor", "as_tensor", "requires_grad_", "requires_grad=", "Parameter", "__new__")


def trains_module(call: Observation | None) -> bool:
    """Whether a call got a module to train."""
    return call is not None and bool(call.args) and isinstance(call.args[0], Handle)


def match_module_training(case: Case, failure: Failure) -> list[Match]:
    """The name that fits one failed check of a loop that trains a module."""
    call = failure.observation
    if call is None:
        return []
    if failure.kind == "type":
        return [_other_type(case, failure)]
    loop = follow(case)
    if loop is None:
        return []
    for rule in _RULES:
        match = rule(case, loop)
        if match is not None:
            return [match]
    return match_replicas(case)


def _other_type(case: Case, failure: Failure) -> Match:
    got = failure.got
    items = got if isinstance(got, list | tuple) else []
    tensors = [item for item in items if isinstance(item, torch.Tensor)]
    if tensors:
        kept = sum(tensor.requires_grad for tensor in tensors)
        account = f"the list holds {len(tensors)} tensors where floats are due"
        if kept:
            account += f", and {'each' if kept == len(tensors) else kept} still has a grad_fn"
        evidence = {"tensors": len(tensors), "with_graph": kept}
        return Match("loss-tensor-kept", account, evidence, case.whole_function())
    what = type_text(got)
    if items:
        other = next(item for item in items if not isinstance(item, float))
        what = f"a list that holds {type_text(other)}"
    account = f"a list of floats is due, and {what} comes back"
    return Match("wrong-return-type", account, {"got": what}, case.whole_function())


def _line(case: Case, event: Any) -> Place | None:
    """The student's line of a call or a step."""
    return Place(event.filename, event.line) if event.filename else case.whole_function()


def _made(case: Case, step: OptimizerStep) -> Place | None:
    """The line that makes an optimizer of this kind, else that of its step."""

    def makes(node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] == step.kind

    return case.source.find(case.exercise.name, makes) or _line(case, step)


# ---------------------------------------------------------------------------- nothing moves


def _other_model(case: Case, loop: Followed) -> Match | None:
    if loop.seen.passes and any(one.own for one in loop.seen.passes):
        return None
    if loop.copies:
        account = (
            f"a copy of the model was called {len(loop.copies)} times, the model itself never"
        )
        return Match("copy-trained", account, {"calls": 0}, _line(case, loop.copies[0]))
    account = "the model that was passed in was never called, and its parameters never moved"
    return Match("given-model-ignored", account, {"calls": 0}, case.whole_function())


def _no_recording(case: Case, loop: Followed) -> Match | None:
    if loop.stretches or loop.record.raised is not None:
        return None
    account = f"the model was called {len(loop.seen.passes)} times, each time with grad mode off"
    line = _line(case, loop.seen.passes[0])
    return Match("training-under-no-grad", account, {"calls": len(loop.seen.passes)}, line)


def _no_gradient(case: Case, loop: Followed) -> Match | None:
    if any(stretch.arrived for stretch in loop.stretches) or loop.record.raised is not None:
        return None
    operations = case.trace(loop.record)
    evidence = {"calls": len(loop.stretches)}
    if any(operation.name == "backward" for operation in operations):
        forced = [op for op in operations if op.name in _FORCING]
        account = "the loss was told to require grad, but no path leads from it to a parameter"
        place = case.place_of(forced[-1]) if forced else case.whole_function()
        return Match("requires-grad-forced", account, evidence, place)
    account = f"the model was called {len(loop.stretches)} times, and no gradient ever came to it"
    return Match("backward-missing", account, evidence, case.whole_function())


def _nothing_moves(case: Case, loop: Followed) -> Match | None:
    if loop.seen.moved or not loop.stretches:
        return None
    steps = loop.steps
    came = sum(stretch.arrived for stretch in loop.stretches)
    if not steps:
        account = f"gradients came {came} times, and no optimizer ever took a step"
        return Match("step-missing", account, {"gradients": came}, case.whole_function())
    evidence = {"gradients": came, "steps": len(steps)}
    if all(step.own == 0 for step in steps):
        first = steps[0]
        account = (
            f"the optimizer took {len(steps)} steps and holds {first.others} tensors, none of "
            "which is a parameter of this model"
        )
        return Match("optimizer-on-other-parameters", account, evidence, _made(case, first))
    if all(step.slopes == 0 for step in steps):
        late = [stretch for stretch in loop.stretches if stretch.late]
        if len(late) == len(loop.stretches):
            account = "each step comes before backward(), and finds no gradient to use"
            return Match("step-before-backward", account, evidence, _line(case, steps[0]))
        account = (
            f"gradients came {came} times, and at each of the {len(steps)} steps every one of them "
            "was None or 0 again"
        )
        return Match("gradient-reset-before-update", account, evidence, _line(case, steps[0]))
    return None


# ---------------------------------------------------------------------------- which samples


def _started_anew(case: Case, loop: Followed) -> Match | None:
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


def _order(case: Case, loop: Followed) -> Match | None:
    rows, n = loop.rows, len(loop.X)
    if not rows or any(-1 in row or not row for row in rows):
        return None
    line = _line(case, loop.stretches[0].call)
    sizes = sorted({len(row) for row in rows})
    steps = len(loop.steps)
    evidence: dict[str, Any] = {"visited": [list(row) for row in rows[: 2 * n]], "samples": n}
    if sizes[-1] == n and n > 1 and len(rows) == loop.epochs:
        account = f"the model was called with all {n} samples at once, {len(rows)} times in all"
        return Match("one-step-per-epoch", account, evidence, line)
    if sizes[-1] > 1:
        account = f"the model was called with up to {sizes[-1]} samples at once"
        return Match("several-samples-a-step", account, evidence, line)
    if loop.steps and len(rows) == n * loop.epochs and steps == loop.epochs:
        account = f"{len(rows)} samples were visited, and the optimizer took {steps} steps"
        return Match("one-step-per-epoch", account, evidence, _line(case, loop.steps[0]))
    visits = [row[0] for row in rows]
    due = list(range(n)) * loop.epochs
    if visits == due:
        return None
    if len(visits) > 1 and set(visits) == {visits[0]}:
        account = f"all {len(visits)} calls of the model got sample {visits[0]}; {n} were given"
        return Match("first-sample-only", account, evidence, line)
    rounds = [visits[i : i + n] for i in range(0, len(visits), n)]
    shown = ", ".join(map(str, visits[:n]))
    if len(visits) == len(due) and all(sorted(one) == list(range(n)) for one in rounds):
        again = follow(case)
        backwards = visits == due[::-1]
        drawn = any(one != rounds[0] for one in rounds) or _draws(case, loop)
        if not backwards and (drawn or (again is not None and again.rows != rows)):
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


# ---------------------------------------------------------------------------- the steps


def _some_parameters(case: Case, loop: Followed) -> Match | None:
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
    return Match(
        "some-parameters-not-updated", account, {"unmoved": still}, _made(case, first)
    )


def _not_reset(case: Case, loop: Followed) -> Match | None:
    """In .grad, at a step, is more than what came since the step before."""
    stepped = [stretch for stretch in loop.stretches if stretch.steps and stretch.arrived]
    left = None
    for earlier, stretch in zip(stepped, stepped[1:], strict=False):
        if stretch.late:
            continue
        for place, (fresh, total) in enumerate(zip(stretch.fresh, stretch.total, strict=True)):
            if fresh is None or total is None or torch.allclose(fresh, total, atol=1e-7):
                continue
            gap = (total - fresh).abs()
            index = tuple(int(i) for i in torch.nonzero(gap == gap.max())[0])
            left = earlier, stretch, place, index
            break
        if left is not None:
            break
    if left is None:
        return None
    earlier, stretch, place, index = left
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
    place = _reset_line(case) or case.whole_function()
    return Match("gradient-not-reset", account, evidence, place)


def _reset_line(case: Case) -> Place | None:
    """`optimizer.zero_grad` without its parentheses."""

    def bare(node: ast.AST) -> bool:
        return isinstance(node, ast.Expr) and isinstance(node.value, ast.Attribute)

    return case.source.find(case.exercise.name, bare)


def _late(case: Case, loop: Followed) -> Match | None:
    """Each step uses the gradient that came in the stretch before."""
    pairs = list(zip(loop.stretches, loop.stretches[1:], strict=False))
    if len(pairs) < 2 or not all(stretch.late for stretch in loop.stretches if stretch.steps):
        return None
    if not any(stretch.steps for stretch in loop.stretches):
        return None
    account = "in each round the step comes first, and the gradient of that sample after it"
    first = loop.steps[0]
    return Match("step-before-backward", account, {"steps": len(loop.steps)}, _line(case, first))


def _rule(case: Case, loop: Followed) -> Match | None:
    """Another optimizer, another rate, a sign: what the moves have to do with the gradients."""
    chosen = [s for s in loop.stretches if s.steps and s.arrived and not s.late]
    if not chosen:
        return None
    first = chosen[0].steps[0]
    line = _made(case, first)
    factors = [_factor(stretch) for stretch in chosen]
    evidence = {"optimizer": first.kind, "lr": loop.lr, "its_lr": first.lr}
    right = [f is not None and abs(f / loop.lr - 1) < 2e-3 for f in factors]
    if all(right):
        return None
    if first.kind != "SGD":
        account = f"the steps are those of `{first.kind}`, not of plain gradient descent"
        return Match("not-plain-sgd", account, evidence, line)
    extras = {k: v for k, v in first.options.items() if k != "maximize"}
    if extras:
        said = ", ".join(f"{name}={number(value)}" for name, value in extras.items())
        account = f"the optimizer adds something to the plain step: {said}"
        return Match("not-plain-sgd", account, evidence | extras, line)
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
        return Match("not-plain-sgd", account, evidence | {"steps": 2}, line)
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


def _other_gradient(case: Case, loop: Followed) -> Match | None:
    """The gradient that came is the right one turned round, or divided by the samples' number."""
    right = getattr(case.library, case.exercise.name)
    model = next(
        c.args[0] for r in case.outcome.results for c in r.calls
        if c.args and isinstance(c.args[0], Handle) and c.args[0].blueprint is not None
    )  # fmt: skip
    shares = []
    for stretch, row in zip(loop.stretches, loop.rows, strict=True):
        if not stretch.arrived or len(row) != 1 or row[0] < 0:
            return None
        i = row[0]
        replica = model.blueprint.build(stretch.before)
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


_RULES: tuple[Callable[[Case, Followed], Match | None], ...] = (
    _other_model, _no_recording, _no_gradient, _nothing_moves, _started_anew, _order,
    _some_parameters, _late, _not_reset, _rule, _other_gradient,
)  # fmt: skip
