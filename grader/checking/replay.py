"""Snippets that replay a failing call: what `--show-input` prints."""

from __future__ import annotations

import keyword
import re
from typing import Any

import numpy as np
import torch

from grader.assignment import Assignment, Exercise
from grader.checking.collection import VISIBLE
from grader.checking.judging import Judgement
from grader.checking.replay_modules import handle_lines, plain_call
from grader.observation import Observation
from grader.student.computed import Computed
from grader.student.handles import Handle
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
    function, args, names = plain_call(call)
    names = _parameters(exercise.signature) if exercise else names
    setup: list[str] = []
    arguments: list[str] = []
    given = [
        (names[place] if place < len(names) else f"argument_{place + 1}", arg, "")
        for place, arg in enumerate(args)
    ]
    given += [(name, arg, f"{name}=") for name, arg in call.kwargs.items()]
    for name, arg, prefix in given:
        if isinstance(arg, Handle):
            setup += handle_lines(name, arg, call, _assignments)
            arguments.append(prefix + name)
        elif isinstance(arg, torch.Tensor | list | tuple | np.ndarray | Computed):
            setup += _assignments(name, arg)
            arguments.append(prefix + name)
        else:
            arguments.append(f"{prefix}{arg!r}")
    made = f"{call.function}({', '.join(arguments)})"
    if function != call.function:
        made = f"{arguments[0]}({', '.join(arguments[1:])})"
    lines = ["import torch"]
    if any("nn." in line for line in setup):
        lines.append("from torch import nn")
    if any(isinstance(arg, np.ndarray) for _, arg, _ in given):
        lines.insert(0, "import numpy as np")
    if any(re.search(r"\b(nan|inf)\b", line) for line in [*setup, made]):
        lines.insert(0, "from math import inf, nan")
    module = submission.name.rpartition(".")[0]
    if submission.is_notebook or not module.isidentifier() or keyword.iskeyword(module):
        lines.append(f"# with {function} from {submission.name}")
    else:
        lines.append(f"from {module} import {function}")
    lines += setup
    if exercise is not None and exercise.kind == "update" and given:
        # What counts is what became of the tensors, not what came back.
        lines += [made, f"for p in {given[0][0]}:", "    print(p, p.grad)"]
    elif exercise is not None and exercise.kind in ("descent", "numbers") and given:
        seen = [f"{name}, {name}.grad" for name, arg, _ in given if isinstance(arg, torch.Tensor)]
        lines += [f"print({made})", *(f"print({one})" for one in seen)]
    else:
        lines.append(f"print({made})")
    return "\n".join(lines)


def _assignments(name: str, arg: Any) -> list[str]:
    if isinstance(arg, Computed):
        return arg.code(name)
    if isinstance(arg, np.ndarray):
        if arg.size > MOST_NUMBERS:
            made = f"np.random.randn(*{arg.shape}).astype('{arg.dtype}')"
            return [f"{name} = {made}  # the like of it: too long to show"]
        return [f"{name} = np.array({arg.tolist()}, dtype='{arg.dtype}')"]
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
