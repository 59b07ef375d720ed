"""An invented class, straight into a store: nobody in it exists, and nothing of it was graded."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec

from grader.classroom.intake import Entry
from grader.classroom.store import Store
from grader.people import Person
from grader.report.document import bare_document
from grader.report.model import (
    AssignmentRef,
    ExerciseEntry,
    FindingEntry,
    NoteEntry,
    Report,
    SubmissionRef,
)

NAME = "invented"
TREES = ("Alder", "Birch", "Cedar", "Elm", "Hazel", "Larch", "Maple", "Oak", "Rowan", "Yew")
DIGEST = "0" * 64
MESSAGE = "Your line is wrong.\n" + "Here stand the numbers that show it, as long as usual.\n" * 3
HINTS = tuple(
    f"The hint number {level}, of about the length that hints have." for level in (1, 2, 3)
)

# exercise: (titles of its checks, the last one hidden; how hard it is; mistakes made in it)
EXERCISES: dict[str, tuple[tuple[str, ...], float, tuple[tuple[str, str], ...]]] = {
    "relu": (
        ("keeps what is positive", "has the right gradient", "works on any shape"),
        0.1,
        (
            ("relu-leaky", "a part of the negative values still comes through"),
            ("relu-absolute", "negative values come out as positive"),
        ),
    ),
    "logistic": (
        ("squeezes each number into 0 to 1", "has the right slope", "works on any shape"),
        0.12,
        (("exponent-sign", "the sign of the exponent is turned around"),),
    ),
    "cross_entropy": (
        ("is the mean of the samples' losses", "has the right gradient", "is a mean for any size"),
        0.3,
        (
            ("log-base-ten", "the logarithm is not the natural one"),
            ("broadcast-to-matrix", "two shapes broadcast to a table of all pairs"),
            ("loss-not-averaged", "the losses are added, not averaged"),
        ),
    ),
    "forward": (
        ("gives one value a sample", "lets gradients flow back", "works for other widths"),
        0.22,
        (
            ("graph-cut", "the path back to the arguments is cut"),
            ("bias-missing", "a bias is left out"),
        ),
    ),
    "sgd": (
        ("moves every parameter in place", "leaves no gradient behind", "takes other rates"),
        0.4,
        (
            ("gradient-not-reset", "the gradient is not reset"),
            ("update-not-in-place", "the caller's parameters never get the new values"),
            ("gradient-ascent", "the step goes uphill"),
        ),
    ),
    "init_params": (
        ("gives leaves that require grad", "hidden units differ"),
        0.12,
        (("symmetric-initialization", "the hidden units start out the same and stay the same"),),
    ),
    "train": (
        ("visits the samples in order", "ends where right training ends", "learns from any start"),
        0.35,
        (
            ("losses-per-epoch", "the list holds one loss for each pass, not one for each step"),
            ("backward-missing", "backward() is never called"),
        ),
    ),
}


def invent(out: Path, count: int, *, seed: int = 1) -> Store:
    """A store in `out` with `count` submissions, a few of each kind of trouble among them."""
    store = Store(out, create=True)
    store.note("assignment", NAME)
    store.note("title", "XOR by hand (an invented class)")
    store.note("exercises", " ".join(EXERCISES))
    chance = random.Random(seed)
    entries = [_entry(number, chance) for number in range(1, count + 1)]
    store.expect(entries)
    for number, entry in enumerate(entries, 1):
        if number % 50 != 49:  # these have no result yet
            store.save(entry.id, "key", document_of(entry.id, number, chance))
    return store


def document_of(name: str, number: int, chance: random.Random) -> dict[str, Any]:
    """One submission's JSON document; some are unreadable, and on some the grader failed."""
    if number % 40 == 17:
        note = NoteEntry("unreadable", "line 9 is no valid Python (expected ':')")
        return bare_document(report(name, "unreadable", notes=(note,)))
    if number % 50 == 31:
        note = NoteEntry("grader_failed", "a process of the grader's ended")
        return bare_document(report(name, "grader_failed", notes=(note,)))
    able = chance.betavariate(4, 1.5)
    entries, tests = [], []
    for exercise in EXERCISES:
        entry, its_tests = _exercise(exercise, able, chance)
        entries.append(entry)
        tests += its_tests
    review = ()
    if number % 33 == 7:
        review = (f"the source reaches for the interpreter's frames ({name}.py, line 12)",)
    return graded(report(name, "graded", exercises=tuple(entries), review=review), tests)


def report(name: str, status: Any, **more: Any) -> Report:
    entries: tuple[ExerciseEntry, ...] = more.get("exercises", ())
    return Report(
        assignment=AssignmentRef(NAME, "XOR by hand (an invented class)", DIGEST),
        submission=SubmissionRef(name),
        status=status,
        complete=status == "graded",
        score=sum(entry.score for entry in entries),
        max_score=sum(entry.max_score for entry in entries),
        versions={"grader": "0"},
        **more,
    )


def graded(report: Report, tests: list[dict[str, Any]]) -> dict[str, Any]:
    """The document of a report with a verdict."""
    return {**bare_document(report), "tests": msgspec.to_builtins(tests)}


def check_of(exercise: str, place: int, title: str, hidden: bool, full: bool) -> dict[str, Any]:
    """An entry of a document's `tests`: one point each."""
    outcome = "passed" if full else "failed"
    return {
        "nodeid": f"{'hidden' if hidden else 'checks'}/test_{exercise}.py::test_{place}",
        "lineno": place,
        "outcome": outcome,
        "metadata": {
            "exercise": exercise,
            "title": title,
            "points": 1.0,
            "earned": float(full),
            "visibility": "hidden" if hidden else "visible",
            "follow_through": [],
        },
        **{
            stage: {"duration": 0.0012345678901234, "outcome": outcome}
            for stage in ("setup", "call", "teardown")
        },
    }


def _entry(number: int, chance: random.Random) -> Entry:
    def person(number: int) -> Person:
        name = f"Invented {TREES[number % 10]} {number:04}"
        return Person(f"u{number:05}", name, f"invented-{number}@class.invalid")

    people = [person(number)] if chance.random() < 0.95 else []
    if chance.random() < 0.05:
        people.append(person(number + 100_000))
    earlier = (f"{number}_first_try.py",) if number % 25 == 3 else ()
    return Entry(
        f"u{number:05}", Path(f"u{number}.py"), tuple(people), chance.random() < 0.06, earlier
    )


def _exercise(
    name: str, able: float, chance: random.Random
) -> tuple[ExerciseEntry, list[dict[str, Any]]]:
    titles, hard, known = EXERCISES[name]
    tried = chance.random() > 0.04
    fails = chance.random() < hard * 2.2 * (1.1 - able)
    full = [tried and not (fails and chance.random() < 0.6) for _ in titles]
    tests = [
        check_of(name, place, title, place == len(titles), is_full)
        for place, (title, is_full) in enumerate(zip(titles, full, strict=True), 1)
    ]
    score = float(sum(full))
    findings: tuple[FindingEntry, ...] = ()
    if tried and not all(full):
        slug, title = chance.choice(known)
        findings = (FindingEntry(slug, title, MESSAGE, {"got": 1.0}, hints=HINTS),)
        if chance.random() < 0.15:
            findings = (FindingEntry(None, "it raised an error", "It raised.", {"raised": "E"}),)
        elif chance.random() < 0.08:
            stopped = {"stopped": "TimeLimit"}
            findings = (FindingEntry(None, "it did not finish in time", "Too long.", stopped),)
    if all(full):
        status = "passed"
    else:
        status = ("partial" if score else "failed") if tried else "not_attempted"
    return ExerciseEntry(name, score, float(len(titles)), status, findings), tests  # type: ignore[arg-type]
