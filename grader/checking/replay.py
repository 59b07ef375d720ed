"""Snippets that replay a failing call: what `--show-input` prints."""

from __future__ import annotations

import keyword
import re
from typing import Any

import torch

from grader.assignment import Assignment, Exercise
from grader.checking.collection import VISIBLE
from grader.checking.judging import Judgement
from grader.observation import Observation
from grader.submission import Submission

MOST_NUMBERS = 400


def replay_snippets(
    assignment: Assignment, submission: Submission, judgement: Judgement
) -> dict[str, str]:
    """For each visible check that failed: Python that makes the same call, by check id."""
    exercises = {exercise.name: exercise for exercise in assignment.exercises}
    snippets: dict[str, str] = {}
    for outcome in judgement.exercises:
        for result in outcome.results:
            call = result.failure.observation if result.failure else None
            if call is None or result.check.visibility != VISIBLE:
                continue
            snippets[result.check.id] = _snippet(call, exercises.get(call.function), submission)
    return snippets


def _parameters(signature: str) -> list[str]:
    inside = signature.partition("(")[2].rpartition(")")[0]
    return [part.partition("=")[0].strip() for part in inside.split(",") if part.strip()]


def _snippet(call: Observation, exercise: Exercise | None, submission: Submission) -> str:
    names = _parameters(exercise.signature) if exercise else []
    setup: list[str] = []
    arguments: list[str] = []
    given = [
        (names[place] if place < len(names) else f"argument_{place + 1}", arg, "")
        for place, arg in enumerate(call.args)
    ]
    given += [(name, arg, f"{name}=") for name, arg in call.kwargs.items()]
    for name, arg, prefix in given:
        if isinstance(arg, torch.Tensor | list | tuple):
            setup += _assignments(name, arg)
            arguments.append(prefix + name)
        else:
            arguments.append(f"{prefix}{arg!r}")
    made = f"{call.function}({', '.join(arguments)})"
    lines = ["import torch"]
    if any(re.search(r"\b(nan|inf)\b", line) for line in [*setup, made]):
        lines.insert(0, "from math import inf, nan")
    module = submission.name.rpartition(".")[0]
    if submission.is_notebook or not module.isidentifier() or keyword.iskeyword(module):
        lines.append(f"# with {call.function} from {submission.name}")
    else:
        lines.append(f"from {module} import {call.function}")
    lines += setup
    if exercise is not None and exercise.kind == "update" and given:
        # What counts is what became of the tensors, not what came back.
        lines += [made, f"for p in {given[0][0]}:", "    print(p, p.grad)"]
    else:
        lines.append(f"print({made})")
    return "\n".join(lines)


def _assignments(name: str, arg: Any) -> list[str]:
    if isinstance(arg, torch.Tensor):
        return [f"{name} = {_literal(arg)}", *_gradient(name, arg)]
    lines = [f"{name} = ["]
    lines += [
        f"    {_literal(item) if isinstance(item, torch.Tensor) else repr(item)}," for item in arg
    ]
    lines.append("]")
    for place, item in enumerate(arg):
        if isinstance(item, torch.Tensor):
            lines += _gradient(f"{name}[{place}]", item)
    return lines


def _literal(tensor: torch.Tensor) -> str:
    dtype = str(tensor.dtype)
    if tensor.numel() > MOST_NUMBERS:
        return (
            f"torch.randn({tuple(tensor.shape)}, dtype={dtype})  # the like of it: too long to show"
        )
    more = "" if tensor.dtype in (torch.float32, torch.int64, torch.bool) else f", dtype={dtype}"
    more += ", requires_grad=True" if tensor.requires_grad else ""
    return f"torch.tensor({tensor.detach().tolist()}{more})"


def _gradient(name: str, tensor: torch.Tensor) -> list[str]:
    if not tensor.is_leaf or tensor.grad is None or tensor.numel() > MOST_NUMBERS:
        return []
    return [f"{name}.grad = torch.tensor({tensor.grad.tolist()})"]
