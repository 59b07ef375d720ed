"""Snippets that replay a failing call: what `--show-input` prints."""

from __future__ import annotations

from typing import Any

import torch

from grader.assignment import Assignment
from grader.checking.collection import VISIBLE
from grader.checking.judging import Judgement
from grader.observation import Observation
from grader.submission import Submission

MOST_NUMBERS = 400


def replay_snippets(
    assignment: Assignment, submission: Submission, judgement: Judgement
) -> dict[str, str]:
    """For each visible check that failed: Python that makes the same call, by check id."""
    names = {exercise.name: _parameters(exercise.signature) for exercise in assignment.exercises}
    snippets: dict[str, str] = {}
    for outcome in judgement.exercises:
        for result in outcome.results:
            call = result.failure.observation if result.failure else None
            if call is None or result.check.visibility != VISIBLE:
                continue
            snippets[result.check.id] = _snippet(call, names.get(call.function, []), submission)
    return snippets


def _parameters(signature: str) -> list[str]:
    inside = signature.partition("(")[2].rpartition(")")[0]
    return [part.partition("=")[0].strip() for part in inside.split(",") if part.strip()]


def _snippet(call: Observation, names: list[str], submission: Submission) -> str:
    lines = ["import torch"]
    module = submission.name.rpartition(".")[0]
    if submission.is_notebook or not module.isidentifier():
        lines.append(f"# with {call.function} from {submission.name}")
    else:
        lines.append(f"from {module} import {call.function}")
    arguments: list[str] = []
    for place, arg in enumerate(call.args):
        name = names[place] if place < len(names) else f"argument_{place + 1}"
        if isinstance(arg, torch.Tensor | list | tuple):
            lines += _assignments(name, arg)
            arguments.append(name)
        else:
            arguments.append(repr(arg))
    lines.append(f"print({call.function}({', '.join(arguments)}))")
    return "\n".join(lines)


def _assignments(name: str, arg: Any) -> list[str]:
    if isinstance(arg, torch.Tensor):
        return [f"{name} = {_literal(arg)}", *_gradient(name, arg)]
    lines = [f"{name} = ["]
    lines += [f"    {_literal(item) if isinstance(item, torch.Tensor) else repr(item)}," for item in arg]
    lines.append("]")
    for place, item in enumerate(arg):
        if isinstance(item, torch.Tensor):
            lines += _gradient(f"{name}[{place}]", item)
    return lines


def _literal(tensor: torch.Tensor) -> str:
    dtype = str(tensor.dtype)
    if tensor.numel() > MOST_NUMBERS:
        return f"torch.randn({tuple(tensor.shape)}, dtype={dtype})  # the like of it: too long to show"
    more = "" if tensor.dtype in (torch.float32, torch.int64, torch.bool) else f", dtype={dtype}"
    more += ", requires_grad=True" if tensor.requires_grad else ""
    return f"torch.tensor({tensor.detach().tolist()}{more})"


def _gradient(name: str, tensor: torch.Tensor) -> list[str]:
    if not tensor.is_leaf or tensor.grad is None or tensor.numel() > MOST_NUMBERS:
        return []
    return [f"{name}.grad = torch.tensor({tensor.grad.tolist()})"]
