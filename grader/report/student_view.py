"""The student's rendering of a report: nothing of a hidden check but exercise, points, mistake.

What the student's code could have told itself about a hidden input goes too: what it printed,
the line it chose to fail at, the time it took.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import convert, structs, to_builtins

from grader.misconceptions.catalogue import Misconception
from grader.report.model import ExerciseEntry, FindingEntry, Report
from grader.report.plain import plain

Document = dict[str, Any]

HIDDEN = "hidden"  # as in a check's metadata; the checks themselves would bring torch along
UNNAMED_TITLE = "a check on other inputs failed"
UNNAMED_MESSAGE = (
    "The checks that you can see draw some inputs; this one draws others, of other sizes and "
    "values. It demands nothing that the handout does not say."
)
UNNAMED_HINT = (
    "Call your function with inputs of your own (one sample, many, other sizes, large and small "
    "values) and compare with what you get by hand."
)
REVIEW = "A person will look at this submission before its points are final."


def student_report(report: Report, catalogue: Mapping[str, Misconception] | None = None) -> Report:
    """The report as its student may see it.

    `catalogue` holds the general words about each mistake; they replace what was said with the
    numbers of a hidden check. Findings whose evidence was drawn again on public inputs
    (`hidden` false) stay as they are. Hints stop at the assignment's `max_hints`.
    """
    words = catalogue or {}
    return structs.replace(
        report,
        exercises=tuple(
            _exercise(entry, words, report.assignment.max_hints) for entry in report.exercises
        ),
        review=(REVIEW,) if report.review else (),
    )


def student_document(
    document: Document, catalogue: Mapping[str, Misconception] | None = None
) -> Document:
    """The whole JSON document as its student may see it."""
    report = student_report(convert(document.get("grade"), Report), catalogue)
    numbers: Counter[str] = Counter()
    tests = [_test(test, numbers) for test in document["tests"]]
    return {**document, "tests": tests, "grade": plain(to_builtins(report))}


def _exercise(
    entry: ExerciseEntry, words: Mapping[str, Misconception], max_hints: int
) -> ExerciseEntry:
    findings: list[FindingEntry] = []
    named = {found.bug for found in entry.findings if found.bug and not found.hidden}
    for found in entry.findings:
        if found.hidden:
            if found.bug in named:
                # Said already, with numbers that may be seen.
                continue
            found = _redacted(entry.name, found, words)
        found = structs.replace(found, hints=found.hints[:max_hints])
        if found not in findings:
            findings.append(found)
    return structs.replace(entry, findings=tuple(findings))


def _redacted(
    exercise: str, found: FindingEntry, words: Mapping[str, Misconception]
) -> FindingEntry:
    known = words.get(found.bug) if found.bug else None
    return FindingEntry(
        bug=found.bug,
        title=known.title if known else UNNAMED_TITLE,
        message=known.explanation if known else UNNAMED_MESSAGE,
        hints=known.hints if known else (UNNAMED_HINT,),
        handout=known.handout if known else "",
        check=f"hidden/{exercise}",
        hidden=True,
    )


def _test(test: dict[str, Any], numbers: Counter[str]) -> dict[str, Any]:
    facts = test["metadata"]
    if facts["visibility"] != HIDDEN:
        return test
    exercise = facts["exercise"]
    numbers[exercise] += 1
    shown = {
        "nodeid": f"hidden/{exercise}::{numbers[exercise]}",
        "lineno": 0,
        "outcome": test["outcome"],
        "metadata": {**facts, "title": "a hidden check"},
    }
    for stage in ("setup", "call", "teardown"):
        if stage in test:
            shown[stage] = {"duration": 0.0, "outcome": test[stage]["outcome"]}
    return shown
