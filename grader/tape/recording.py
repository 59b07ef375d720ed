"""Have a tape recorded: what an assignment's functions make together, or a file's own tensors.

The code runs in a worker; what comes back passes the gate before anything looks at it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from grader.assignment import Assignment, Limits
from grader.checking.draw import Draw
from grader.composition import Composition
from grader.observation import LoadNote, Raised
from grader.student.backend import Budget, Worker, WorkerBackend
from grader.student.worker import messages as m
from grader.student.worker.tape_records import Step, Tape, TapeTensor
from grader.student.worker.values import Packer
from grader.submission import Submission
from grader.tape.checked import GarbledTape, checked

DRAWN_FOR = "tape"


@dataclass(frozen=True)
class Taped:
    """A recorded tape, what was raised meanwhile, and the source whose lines it names."""

    name: str
    tape: Tape
    raised: Raised | None
    notes: tuple[LoadNote, ...]
    lines: dict[str, list[str]]
    composition: Composition | None = None

    @property
    def gave(self) -> tuple[str, ...]:
        """The names of the steps' results that are there."""
        given = () if self.composition is None else [step.gives for step in self.composition.calls]
        names = {named.name for named in self.tape.names}
        return tuple(name for name in given if name in names)

    @property
    def root(self) -> int:
        """The tensor that the tape is followed back from: the last result; -1 for none.

        Before there was a result, the last thing that was recorded.
        """
        if self.gave:
            return next(n.tensor for n in self.tape.names if n.name == self.gave[-1])
        made = [tensor for operation in self.tape.operations for tensor in operation.outputs]
        return next((t for t in reversed(made) if self.tape.tensors[t].node >= 0), -1)

    def tensor(self, name: str) -> TapeTensor | None:
        """What a name stands for, if that is a tensor."""
        found = [n.tensor for n in self.tape.names if n.name == name and n.tensor >= 0]
        return self.tape.tensors[found[0]] if found else None

    def source(self, filename: str, line: int) -> str:
        """A line's text without its margin, or nothing."""
        lines = self.lines.get(filename, [])
        return lines[line - 1].strip() if 1 <= line <= len(lines) else ""


def record_steps(
    submission: Submission,
    assignment: Assignment,
    composition: Composition,
    start: Callable[[], Worker],
    isolation: str,
    seed: int | None = None,
) -> Taped:
    """The tape of the steps, run on drawn tensors. Raises GraderFailed where no worker comes up."""
    seed = assignment.seed if seed is None else seed
    request = m.Record(
        id="tape",
        given=_given(composition, seed),
        steps=[Step(s.function, list(s.args), s.gives) for s in composition.calls],
        seed=seed,
        seconds=assignment.limits.call_seconds,
    )
    return _recorded(submission, assignment.limits, request, composition, start, isolation)


def record_board(
    submission: Submission, start: Callable[[], Worker], isolation: str, limits: Limits
) -> Taped:
    """The tape of the tensors that a file makes as it is loaded. Raises GraderFailed."""
    request = m.Record("board", seconds=limits.call_seconds)
    return _recorded(submission, limits, request, None, start, isolation)


def _recorded(
    submission: Submission,
    limits: Limits,
    request: m.Record,
    composition: Composition | None,
    start: Callable[[], Worker],
    isolation: str,
) -> Taped:
    cells = [m.Cell(submission.filename(cell), cell.source) for cell in submission.cells]
    load = m.Load(
        cells=cells,
        statement_seconds=limits.statement_seconds,
        total_seconds=limits.load_seconds,
        output_limit=limits.output_kb * 1000,
        lines=composition is None,
    )
    backend = WorkerBackend(start, load, Budget(limits.submission_seconds), isolation)
    try:
        loaded = backend.load()
        answer = backend.record(request)
    finally:
        backend.close()
    tape, raised = answer.tape, answer.raised
    files = {cell.filename for cell in cells}
    try:
        tape = checked(tape, files)
    except GarbledTape as error:
        tape, raised = Tape(), Raised("Garbled", [], str(error), [])
    return Taped(
        name=submission.name,
        tape=tape,
        raised=raised,
        notes=tuple(loaded.notes),
        lines={cell.filename: cell.source.splitlines() for cell in cells},
        composition=composition,
    )


def _given(composition: Composition, seed: int) -> dict[str, m.Value]:
    draw = Draw(seed, DRAWN_FOR)
    packer = Packer()
    leaves = {
        name: draw.normal(*shape).requires_grad_() for name, shape in composition.leaves.items()
    }
    data = {name: draw.uniform(*shape) for name, shape in composition.data.items()}
    labels: dict[str, torch.Tensor] = {
        name: draw.labels(*shape) for name, shape in composition.labels.items()
    }
    return {name: packer.pack(tensor) for name, tensor in {**leaves, **data, **labels}.items()}
