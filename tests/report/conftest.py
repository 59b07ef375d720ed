"""Reports of real runs, made once for all tests in here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec import structs

from grader.assignment import Assignment, find_assignment
from grader.checking.collection import Bench, Check, with_checks
from grader.checking.judging import judge
from grader.misconceptions.finding import Advice, Finding
from grader.report.build import build_report
from grader.report.document import Document, make_document
from grader.report.model import Report
from grader.student.backend import WorkerBackend
from grader.student.launch import WorkerProcess
from grader.student.proxy import Student
from grader.student.worker import messages as m
from grader.submission import Submission, read_submission

ROOT = Path(__file__).resolve().parents[2]
STAFF = ROOT / "solutions" / "xor_by_hand"

HIDDEN_MESSAGE = "At x = 42.4242 you returned 7.7777, expected 8.8888."


@dataclass
class Run:
    """One submission's report and document; `again` is the document of a second run."""

    path: Path
    submission: Submission
    report: Report
    document: Document
    again: Document


PATHS = {
    "reference": STAFF / "reference.py",
    "stub": ROOT / "assignments" / "xor_by_hand" / "xor_by_hand.py",
    "float64": STAFF / "wrong" / "float64_logistic_double.py",
    "banned": STAFF / "wrong" / "built_in_relu_functional.py",
    "notebook": STAFF / "wrong" / "gradient_not_reset_times_zero.ipynb",
}
TWICE = ("float64", "banned")
FINDINGS = {
    "float64": {
        "logistic": [
            Finding(
                "float64-mixing",
                "float64 came out of float32",
                "float32 went in, float64 came out.",
                {"dtype": "float64", "worst": float("nan")},
                file="float64_logistic_double.py",
                line=9,
                hints=("Print .dtype of each thing.", "Convert once.", "Where data enters."),
                handout="1",
                check="checks/test_logistic.py::test_values",
            ),
            Finding(
                None,
                "values differ",
                HIDDEN_MESSAGE,
                {"x": 42.4242, "expected": 8.8888},
                line=9,
                hints=("Try x = 42.4242.",),
                check="hidden/test_logistic.py::test_other_shapes",
                hidden=True,
                output="saw 42.4242",
            ),
        ]
    }
}
ADVICE = {"float64": {"sgd": [Advice("uses-dot-data", "`.data` hides mistakes.", 30)]}}


@pytest.fixture(scope="session")
def runs() -> dict[str, Run]:
    """Real runs of the shipped assignment, by the names in PATHS: hidden checks included.

    "public" is the reference on two exercises, without hidden checks.
    """
    assignment = find_assignment(str(ROOT / "assignments" / "xor_by_hand"), ROOT / "solutions")
    library = assignment.library.read_text(encoding="utf-8")
    done: dict[str, Run] = {}

    def run(
        name: str,
        checks: list[Check],
        bench: Bench,
        config: pytest.Config,
        assignment: Assignment = assignment,
        only: tuple[str, ...] = (),
    ) -> Run:
        submission = read_submission(PATHS[name])
        cells = [m.Cell(submission.filename(cell), cell.source) for cell in submission.cells]
        notes: list[m.LoadNote] = []

        def start(stand_ins: tuple[str, ...]) -> Student:
            backend = WorkerBackend(WorkerProcess, m.Load(cells, list(stand_ins), library))
            loaded = backend.load()
            if not stand_ins:
                notes.extend(loaded.notes)
            return Student(backend, assignment.seed)

        documents = []
        for _ in range(2 if name in TWICE else 1):
            notes.clear()
            judgement = judge(assignment, checks, bench, start, only)
            report = build_report(
                assignment,
                submission,
                judgement,
                findings=FINDINGS.get(name, {}),
                advice=ADVICE.get(name, {}),
                load_notes=notes,
                isolation="process",
                duration=1.5,
            )
            documents.append(make_document(report, judgement, config))
            judgement.close()
        return Run(PATHS[name], submission, report, documents[0], documents[-1])

    def body(checks: list[Check], bench: Bench, config: pytest.Config) -> None:
        for name in PATHS:
            done[name] = run(name, checks, bench, config)

    def public_body(checks: list[Check], bench: Bench, config: pytest.Config) -> None:
        only = ("relu", "logistic")
        done["public"] = run("reference", checks, bench, config, public, only)

    with_checks(assignment, body)
    public = structs.replace(assignment, solutions=None)
    with_checks(public, public_body)
    return done
