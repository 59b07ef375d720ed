"""The floor of `bench_class.py`: the calls alone, in one warm process.

    python benchmarks/bare_calls.py --assignment NAME FILES...

The calls that the checks make of the reference are recorded once. Then each submission's source
is run in a fresh module and the same calls are made of it, gradients included: no check, no wire,
no isolation, no report. Writes a JSON object: seconds a submission by the clock and of CPU time,
and how many calls that is.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import statistics
import sys
import time
import types
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from grader.assignment import Assignment, find_assignment
from grader.checking.collection import Bench, Check, with_checks
from grader.checking.judging import judge
from grader.student.in_process import InProcessBackend
from grader.student.proxy import Student
from grader.student.worker import messages as m
from grader.student.worker.values import Unpacker
from grader.submission import read_submission


@dataclass(frozen=True)
class Recorded:
    """A call's name and decoded arguments, or a backward of an earlier one."""

    id: str
    function: str
    args: list[Any]
    kwargs: dict[str, Any]
    grads: list[torch.Tensor | None]


class Recorder(InProcessBackend):
    """Remembers what it was asked."""

    def __init__(self, request: m.Load) -> None:
        super().__init__(request)
        self.requests: list[m.Call | m.Backward] = []

    def call(self, request: m.Call) -> m.Answer:
        self.requests.append(request)
        return super().call(request)

    def backward(self, request: m.Backward) -> m.Gradients:
        self.requests.append(request)
        return super().backward(request)


def main() -> int:
    parser = argparse.ArgumentParser(description="The calls of the checks alone, in one process.")
    parser.add_argument("--assignment", default="xor_by_hand")
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    calls = recorded(find_assignment(options.assignment))
    sources = [source_of(file) for file in options.files]
    for source in sources[:5]:
        replay(source, calls)  # warm
    clock, cpu, made = [], [], 0
    for source in sources:
        began, spent = time.perf_counter(), time.process_time()
        made += replay(source, calls)
        clock.append(time.perf_counter() - began)
        cpu.append(time.process_time() - spent)
    json.dump(
        {
            "submissions": len(sources),
            "calls": made / len(sources),
            "wall": statistics.mean(clock),
            "cpu": statistics.mean(cpu),
        },
        sys.stdout,
    )
    return 0


def source_of(file: Path) -> list[Any]:
    submission = read_submission(file)
    return [compile(c.source, submission.filename(c), "exec") for c in submission.cells]


def recorded(assignment: Assignment) -> list[Recorded]:
    """The calls that the checks make of the assignment's model answer, in order."""
    found: list[Recorded] = []

    def inside(checks: list[Check], bench: Bench, config: object) -> None:
        submission = read_submission(assignment.oracle)
        backend = Recorder(
            m.Load(cells=[m.Cell(submission.filename(c), c.source) for c in submission.cells])
        )

        def start(stand_ins: tuple[str, ...]) -> Student:
            backend.load()
            return Student(backend, assignment.seed)

        judge(assignment, checks, bench, start)
        found.extend(map(_decoded, backend.requests))

    with_checks(assignment, inside)
    return found


def _decoded(request: m.Call | m.Backward) -> Recorded:
    if isinstance(request, m.Backward):
        grads = [None if g is None else Unpacker().unpack(g) for g in request.grads]
        return Recorded(request.call, "", [], {}, grads)
    unpacker = Unpacker()
    args = [unpacker.unpack(value) for value in request.args]
    kwargs = {name: unpacker.unpack(value) for name, value in request.kwargs.items()}
    return Recorded(request.id, request.function, args, kwargs, [])


def replay(cells: Sequence[Any], calls: Sequence[Recorded]) -> int:
    """Run the source in a fresh module and make the calls. How many came to their end."""
    module = types.ModuleType("submission")
    kept: dict[str, tuple[list[torch.Tensor], list[torch.Tensor]]] = {}
    made = 0
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for cell in cells:
            with contextlib.suppress(BaseException):
                exec(cell, module.__dict__)
        for call in calls:
            with contextlib.suppress(Exception):
                if call.function:
                    kept[call.id] = _called(module.__dict__[call.function], call)
                else:
                    _backward(*kept[call.id], call.grads)
                made += 1
    return made


def _called(function: Callable[..., Any], call: Recorded) -> tuple[list[Any], list[Any]]:
    leaves: list[torch.Tensor] = []
    args = [_copy(arg, leaves) for arg in call.args]
    out = function(*args, **call.kwargs)
    return [out] if isinstance(out, torch.Tensor) else [], leaves


def _copy(thing: Any, leaves: list[torch.Tensor]) -> Any:
    if isinstance(thing, torch.Tensor):
        copy = thing.detach().clone().requires_grad_(thing.requires_grad)
        if thing.is_leaf and thing.grad is not None:
            copy.grad = thing.grad.clone()
        leaves.append(copy)
        return copy
    if isinstance(thing, list):
        return [_copy(item, leaves) for item in thing]
    return thing


def _backward(
    outputs: list[torch.Tensor], leaves: list[torch.Tensor], grads: list[torch.Tensor | None]
) -> None:
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    torch.autograd.grad(outputs, wanted, grads, retain_graph=True, allow_unused=True)


if __name__ == "__main__":
    sys.exit(main())
