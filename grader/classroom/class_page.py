"""OUT/index.html: what the store holds, as the records that the class page is made of."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from grader.classroom.scores import ExerciseScore, scores_of
from grader.classroom.store import Override, Result, Store, Void
from grader.people import Person
from grader.report.class_page.records import (
    Cell,
    Check,
    ClassRecords,
    Decision,
    Handed,
    Mistake,
    Stop,
    Voided,
)
from grader.report.files import write_atomically
from grader.report.student_view import HIDDEN

_STOPPED = ("stopped", "limit")  # keys of a finding's evidence: the run itself was ended
_OVERRUN = "load-overrun"


def write_class_page(store: Store) -> Path:
    """OUT/index.html, for staff. The file that was written."""
    from grader.report.class_page.page import class_page

    file = store.path / "index.html"
    write_atomically(file, class_page(records_of(store)).encode())
    return file


def write_anonymous_page(store: Store, file: Path) -> Path:
    """`file`, to show in a lecture. Raises UsageError where under five have a verdict."""
    from grader.report.class_page.anonymous import anonymous_page

    write_atomically(file, anonymous_page(records_of(store)).encode())
    return file


def records_of(store: Store) -> ClassRecords:
    """The whole class. Each result is read once, and only what the page shows of it is kept."""
    voids, overrides = store.voids(), store.overrides()
    by_submission: dict[str, list[Override]] = defaultdict(list)
    for one in overrides:
        by_submission[one.submission].append(one)
    earlier: dict[str, list[str]] = defaultdict(list)
    for name, attempt in store.superseded():
        earlier[name].append(attempt)
    fallen = {name: before for name, before, _ in store.fallen()}
    tally = _Tally(tuple(store.noted("exercises").split()))
    handed = []
    for name, late in store.expected():
        result = store.result(name)
        if result is not None:
            tally.add(result, by_submission[name], voids)
        handed.append(
            _handed(
                name, result, late, tally, by_submission[name], voids,
                people=store.people(name), earlier=earlier[name], before=fallen.get(name),
                href=_href(store.path, name) if result is not None else "",
            )
        )  # fmt: skip
    return ClassRecords(
        name=store.noted("assignment"),
        title=store.noted("title") or store.noted("assignment"),
        exercises=tally.exercises,
        max_scores=tuple(tally.most.get(name, 0.0) for name in tally.exercises),
        handed=tuple(handed),
        checks=tally.checks_with(voids),
        titles=tally.titles(),
        decisions=_decisions(overrides, tally.given),
        voids=tuple(
            Voided(one.check, tally.title_of(one.check), one.why, one.who, one.at) for one in voids
        ),
        states=len(tally.states),
        complete=tally.complete,
        graded=tally.graded,
    )


class _Tally:
    """What is counted over all results while they pass by."""

    def __init__(self, exercises: tuple[str, ...]) -> None:
        self.exercises = exercises
        self.most: dict[str, float] = {}
        self.given: dict[tuple[str, str], float] = {}
        self.states: set[tuple[str, str]] = set()
        self.complete = True
        self.graded = 0.0
        self._checks: dict[str, dict[str, Any]] = {}
        self._judged: Counter[str] = Counter()
        self._full: Counter[str] = Counter()
        self._titles: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, result: Result, overrides: Sequence[Override], voids: Sequence[Void]) -> None:
        grade = result.document["grade"]
        self.graded = max(self.graded, result.graded)
        if result.status != "graded":
            return
        self.states.add((grade["assignment"]["digest"], grade["versions"].get("grader", "")))
        self.complete = self.complete and grade["complete"]
        tried = {one["name"] for one in grade["exercises"] if one["status"] != "not_attempted"}
        for test in result.document["tests"]:
            about, name = test["metadata"], test["nodeid"]
            self._checks.setdefault(name, about)
            if about["exercise"] in tried:
                self._judged[name] += 1
                self._full[name] += about["earned"] >= about["points"]
        for score in scores_of(result, (), voids).exercises:
            self.most[score.name] = max(self.most.get(score.name, 0.0), score.max_score)
        for exercise in grade["exercises"] if overrides else ():
            self.given[result.submission, exercise["name"]] = exercise["score"]
        for exercise in grade["exercises"]:
            for finding in exercise["findings"]:
                if finding["bug"]:
                    self._titles[finding["bug"]][finding["title"]] += 1

    def checks_with(self, voids: Iterable[Void]) -> tuple[Check, ...]:
        voided = {one.check for one in voids}
        return tuple(
            Check(
                id=name,
                title=about["title"],
                exercise=about["exercise"],
                hidden=about["visibility"] == HIDDEN,
                points=about["points"],
                judged=self._judged[name],
                full=self._full[name],
                voided=name in voided,
            )
            for name, about in self._checks.items()
        )

    def titles(self) -> dict[str, str]:
        """The words for each slug that most reports use."""
        return {slug: found.most_common(1)[0][0] for slug, found in self._titles.items()}

    def title_of(self, check: str) -> str:
        about = self._checks.get(check)
        return str(about["title"]) if about else ""


def _handed(
    name: str,
    result: Result | None,
    late: bool,
    tally: _Tally,
    overrides: Sequence[Override],
    voids: Sequence[Void],
    *,
    people: Sequence[Person],
    earlier: Sequence[str],
    before: float | None,
    href: str,
) -> Handed:
    names = tuple(person.shown for person in people)
    known = [text for one in people for text in (one.id, one.name, one.email)]
    also = tuple(text for text in dict.fromkeys(known) if text and text not in (*names, name))
    bare = Handed(
        name, "missing", names, also, href, late, earlier=tuple(earlier), before=before,
        cells=(None,) * len(tally.exercises),
    )  # fmt: skip
    if result is None:
        return bare
    grade = result.document["grade"]
    graded = result.status == "graded"
    scores = scores_of(result, overrides, voids)
    cells = _cells(scores.exercises, grade)
    return Handed(
        name, result.status, names, also, href, late,
        score=scores.score if graded else None,
        max_score=scores.max_score if graded else None,
        cells=tuple(cells.get(one) for one in tally.exercises),
        mistakes=tuple(_mistakes(grade, overrides)),
        stops=tuple(_stops(grade)),
        review=tuple(grade["review"]),
        why="" if graded else "; ".join(note["message"] for note in grade["notes"]),
        overridden=bool(overrides),
        earlier=tuple(earlier),
        before=before,
    )  # fmt: skip


def _cells(scores: Iterable[ExerciseScore], grade: Mapping[str, Any]) -> dict[str, Cell]:
    given = {one["name"]: one["status"] for one in grade["exercises"]}
    found = {}
    for one in scores:
        status = given[one.name]
        if one.max_score <= 0:
            continue  # every check of it was taken out
        if one.score > 0:
            status = "passed" if one.score >= one.max_score else "partial"
        elif status != "not_attempted":
            status = "failed"
        found[one.name] = Cell(one.score, one.max_score, status, one.overridden)
    return found


def _mistakes(grade: Mapping[str, Any], overrides: Iterable[Override]) -> Iterable[Mistake]:
    """Without the names that a TA rejected."""
    rejected = {(one.exercise, one.rejected) for one in overrides if one.rejected}
    for exercise in grade["exercises"]:
        for finding in exercise["findings"]:
            slug = finding["bug"] or ""
            if (exercise["name"], slug) not in rejected:
                yield Mistake(exercise["name"], slug)


def _stops(grade: Mapping[str, Any]) -> Iterable[Stop]:
    for note in grade["notes"]:
        if note["kind"] == _OVERRUN:
            place = f"line {note['line']}: " if note["line"] else ""
            yield Stop("", f"loading, {place}{note['message']}")
    for exercise in grade["exercises"]:
        for finding in exercise["findings"]:
            if any(key in finding["evidence"] for key in _STOPPED):
                yield Stop(exercise["name"], finding["title"])


def _decisions(
    overrides: Sequence[Override], given: Mapping[tuple[str, str], float]
) -> tuple[Decision, ...]:
    """Newest first. Points of an older decision on the same exercise do not hold any more."""
    newest = {(one.submission, one.exercise): one for one in overrides if one.points is not None}
    found = [
        Decision(
            submission=one.submission,
            exercise=one.exercise,
            points=one.points,
            rejected=one.rejected,
            graded=given.get((one.submission, one.exercise)),
            why=one.why,
            who=one.who,
            at=one.at,
            holds=one.points is None or newest[one.submission, one.exercise] is one,
        )
        for one in overrides
    ]
    return tuple(reversed(found))


def _href(out: Path, name: str) -> str:
    """Where the page has a submission's report: for reading where there is one, else as data."""
    for ending in (".html", ".json"):
        if (out / "reports" / f"{name}{ending}").is_file():
            return f"reports/{quote(name, safe='')}{ending}"
    return ""
