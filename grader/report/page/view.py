"""From a student's document to what a page says."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup
from msgspec import convert

from grader.report.model import ExerciseEntry, FindingEntry, Report
from grader.report.page.excerpt import Excerpts
from grader.report.page.panel import Panel
from grader.report.page.records import (
    Advice,
    CheckLine,
    Drawn,
    Exercise,
    Finding,
    PageView,
    Part,
)
from grader.report.page.words import capital, difference, inline, of_points, place, value
from grader.report.pictures.describing import describe
from grader.report.pictures.records import Picture
from grader.report.screen import SIGNS, WORDS, clean, points
from grader.report.terminal import followed_through, next_step, note_line, score_line
from grader.submission import Cell

STRIP_GAP = 0.6  # hundredths of the width
YOUR_LINE = "Your line: "  # said by findings for readers who have no source before them


Draw = Callable[[Picture, str], tuple[Markup | None, float, float]]


def view_of(
    document: dict[str, Any],
    cells: Sequence[Cell],
    pictures: Mapping[str, Sequence[Picture]],
    excerpts: Excerpts,
    draw: Draw,
    panels: Sequence[Panel] = (),
) -> PageView:
    """The view of a student's document; `cells` is the submission's source, as far as known.

    Raises msgspec.ValidationError for a document that is none of ours.
    """
    report = convert(document.get("grade"), Report)
    made = _Maker(report, document["tests"], cells, pictures, excerpts, draw, panels)
    exercises = tuple(made.exercise(n, entry) for n, entry in enumerate(report.exercises, 1))
    short = tuple(one for one in exercises if one.status != "passed")
    unwritten = tuple(one for one in short if one.status == "not_attempted" and not one.findings)
    mend = tuple(one for one in short if one not in unwritten)
    sentence = score_line(report)
    graded = report.status == "graded"
    names = tuple(clean(file.name) for file in report.submission.files)
    most = report.max_score + report.possible
    return PageView(
        title=f"{sentence} - {', '.join(names) or clean(report.submission.id)}",
        heading=clean(report.assignment.title),
        files=names or (clean(report.submission.id),),
        students=tuple(clean(name) for name in report.submission.students),
        status=report.status,
        score=points(report.score) if graded else "",
        most=points(most) if graded else "",
        full=report.full_marks and report.complete,
        sentence=capital(sentence, tuple(entry.name for entry in report.exercises)),
        next=inline(next_step(report, hints=0)) if graded else Markup(""),
        next_id=short[0].id if short else "",
        strip=tuple(_strip(report.exercises)),
        exercises=exercises,
        mend=mend,
        unwritten=unwritten,
        passed=tuple(one for one in exercises if one.status == "passed"),
        stood_in=tuple(clean(line) for line in followed_through(report)),
        advice=tuple(made.advice()),
        notes=tuple(note_line(note) for note in report.notes),
        review=tuple(clean(reason) for reason in report.review),
        voided=tuple(_voided(one.check, one.why) for one in report.voided),
        facts=tuple(_facts(report, document)),
        lacks_pictures=any(picture.inside is None for one in exercises for picture in one.pictures),
    )


class _Maker:
    def __init__(
        self,
        report: Report,
        tests: Sequence[dict[str, Any]],
        cells: Sequence[Cell],
        pictures: Mapping[str, Sequence[Picture]],
        excerpts: Excerpts,
        draw: Draw,
        panels: Sequence[Panel],
    ) -> None:
        self._report = report
        self._tests = tests
        self._cells = cells
        self._pictures = pictures
        self._excerpts = excerpts
        self._draw = draw
        self._panels = panels
        self._names = tuple(entry.name for entry in report.exercises)
        self._decided = {one.exercise: one for one in report.overrides}
        self._file = ", ".join(clean(file.name) for file in report.submission.files)

    def exercise(self, number: int, entry: ExerciseEntry) -> Exercise:
        drawn = (
            self._drawn(picture, f"e{number}p{place}")
            for place, picture in enumerate(self._pictures.get(entry.name, ()), 1)
        )
        later = f"{points(entry.possible)} more after hand-in" if entry.possible else ""
        return Exercise(
            id=f"exercise-{number}",
            name=clean(entry.name),
            status=entry.status,
            word=WORDS[entry.status],
            sign=SIGNS[entry.status],
            score=points(entry.score),
            most=points(entry.max_score),
            said=of_points(entry.score, entry.max_score),
            later=later,
            handout=clean(entry.handout),
            findings=tuple(self._finding(found) for found in entry.findings),
            pictures=tuple(drawn),
            panels=tuple(one for one in self._panels if one.exercise == entry.name),
            checks=tuple(self._checks(entry.name)),
            stood_in=clean(" and ".join(entry.stood_in)),
            decided=self._decision(entry.name),
        )

    def advice(self) -> list[Advice]:
        return [
            Advice(
                clean(entry.name),
                place(said.cell, said.line),
                inline(said.message),
                self._excerpts.line(self._cells, said.cell, said.line),
            )
            for entry in self._report.exercises
            for said in entry.advice
        ]

    def _finding(self, found: FindingEntry) -> Finding:
        code = self._excerpts.around(self._cells, found.cell, found.line, found.end_line)
        lines = [line for line in clean(found.message).split("\n") if line.strip()]
        if code is not None:
            lines = [line for line in lines if not line.startswith(YOUR_LINE)]
        # What comes last in an account of a known mistake is why it matters.
        why = lines.pop() if found.bug and not found.hidden and len(lines) > 1 else ""
        return Finding(
            title=inline(capital(found.title, self._names)),
            place=place(found.cell, found.line, found.end_line),
            lines=tuple(inline(line) for line in lines),
            why=inline(why) if why else None,
            code=code,
            code_file=clean(found.file) or self._file,
            table=tuple(_table(found.evidence)),
            hints=tuple(inline(hint) for hint in found.hints),
            handout=clean(found.handout),
            slug=clean(found.bug or ""),
            output=clean(found.output).strip("\n"),
            seen_by=self._seen_by(found),
            hidden=found.hidden,
        )

    def _seen_by(self, found: FindingEntry) -> str:
        for test in self._tests:
            if test["nodeid"] == found.check and test["metadata"]["visibility"] != "hidden":
                return clean(test["metadata"]["title"])
        return ""

    def _checks(self, exercise: str) -> list[CheckLine]:
        return [
            CheckLine(
                clean(capital(about["title"])),
                f"{points(about['earned'])} of {points(about['points'])}",
                about["earned"] >= about["points"],
                bool(about["follow_through"]),
            )
            for about in (test["metadata"] for test in self._tests)
            if about["exercise"] == exercise
        ]

    def _drawn(self, picture: Picture, name: str) -> Drawn:
        inside, width, height = self._draw(picture, name)
        kind = type(picture).__name__.lower()
        words = describe(picture)
        title = capital(words.title, self._names)
        return Drawn(kind, name, title, words, inside, width, height)

    def _decision(self, exercise: str) -> str:
        found = self._decided.get(exercise)
        if found is None or found.points is None:
            return ""
        return f"A person decided on {points(found.points)} points here: {clean(found.why)}"


def _strip(exercises: Sequence[ExerciseEntry]) -> list[Part]:
    """The exercises side by side, each as wide as its points."""
    total = sum(entry.max_score for entry in exercises) or 1.0
    room = 100 - STRIP_GAP * (len(exercises) - 1)
    parts, x = [], 0.0
    for entry in exercises:
        width = room * entry.max_score / total
        full = min(1.0, entry.score / entry.max_score) if entry.max_score else 0.0
        parts.append(Part(entry.status, round(x, 2), round(width, 2), round(width * full, 2)))
        x += width + STRIP_GAP
    return parts


def _table(evidence: dict[str, Any]) -> list[tuple[str, str]]:
    """What was expected beside what came; with what a step started from, where it was one."""
    came = "after" if "after" in evidence else "got"
    if value(evidence.get("expected")) is None or value(evidence.get(came)) is None:
        return []
    pairs = [("before", "before"), ("gradient", "gradient"), ("lr", "lr"), ("expected", "expected"),
             (came, "yours")]  # fmt: skip
    found = [
        (head, shown) for key, head in pairs if (shown := value(evidence.get(key))) is not None
    ]
    gap = difference(evidence[came], evidence["expected"])
    return [*found, ("difference", gap)] if gap is not None else found


def _voided(check: str, why: str) -> str:
    name = clean(check).removeprefix("checks/")
    what = "A hidden check" if check.startswith("hidden/") else f"The check {name}"
    return f"{what} was taken out for everybody: {clean(why)}"


def _facts(report: Report, document: dict[str, Any]) -> list[tuple[str, str, bool]]:
    """The environment: what this verdict was reached with. True: it takes a line."""
    made = datetime.datetime.fromtimestamp(float(document.get("created", 0.0)), datetime.UTC)
    facts = {clean(name): clean(version) for name, version in report.versions.items()}
    if report.isolation:
        facts["isolation"] = clean(report.isolation)
    facts |= {"seed": str(report.seed), "assignment": report.assignment.digest[:12]}
    return [
        ("graded", f"{made:%Y-%m-%d %H:%M} UTC, in {report.duration:.1f} s", True),
        *((name, fact, False) for name, fact in facts.items()),
        *(
            (clean(file.name), f"sha256 {file.sha256[:16]}", True)
            for file in report.submission.files
        ),
    ]
