"""What a person decides about results, checked against them; and who moved between two."""

from __future__ import annotations

import difflib

from grader.classroom.scores import scores_of
from grader.classroom.store import Result, Store
from grader.errors import UsageError


def check_points(
    store: Store, submission: str, exercise: str, points: float | None
) -> tuple[float, float]:
    """(what counts now, the most) for an exercise. Raises UsageError for what cannot be."""
    result = _result(store, submission)
    scores = scores_of(result, store.overrides(submission), store.voids())
    found = next((one for one in scores.exercises if one.name == exercise), None)
    if found is None:
        names = [one.name for one in scores.exercises]
        raise UsageError(f"{submission} has no exercise {exercise!r}", _near(exercise, names))
    if points is not None and not 0 <= points <= found.max_score:
        raise UsageError(f"{exercise} has 0 to {found.max_score:g} points, not {points:g}")
    return found.score, found.max_score


def check_slug(store: Store, submission: str, exercise: str, slug: str) -> None:
    """The name stands in the report. Raises UsageError."""
    document = _result(store, submission).document
    named = [
        finding["bug"]
        for entry in document["grade"]["exercises"]
        if entry["name"] == exercise
        for finding in entry["findings"]
        if finding["bug"]
    ]
    if slug not in named:
        said = f"It says {', '.join(named)}." if named else "It names nothing there."
        raise UsageError(f"the report of {submission} does not say {slug} in {exercise}", said)


def holders_of(store: Store, check: str) -> int:
    """How many submissions were judged by a check. Raises UsageError for one nobody knows."""
    known: set[str] = set()
    count = 0
    for result in store.results():
        names = {test["nodeid"] for test in result.document["tests"]}
        known |= names
        count += check in names
    if not count:
        raise UsageError(f"no result has a check called {check!r}", _near(check, sorted(known)))
    return count


def moves(before: Store, after: Store) -> list[str]:
    """One line a submission that moved, with the checks through which it did."""
    lines: list[str] = []
    old, new = dict(before.expected()), dict(after.expected())
    for name in sorted(old | new):
        if name not in new:
            lines.append(f"{name}: is in the old results only")
            continue
        if name not in old:
            lines.append(f"{name}: is in the new results only")
            continue
        moved = _moved(before, after, name)
        if moved:
            lines.append(f"{name}: {moved}")
    return lines


def _moved(before: Store, after: Store, name: str) -> str:
    first, second = before.result(name), after.result(name)
    if first is None or second is None:
        return "" if first is second else "was graded in one of the two only"
    if first.status != second.status:
        return f"{first.status} -> {second.status}"
    was = scores_of(first, before.overrides(name), before.voids())
    now = scores_of(second, after.overrides(name), after.voids())
    tests_was, tests_now = _earned(first), _earned(second)
    through = [
        f"{check} {tests_was.get(check, 0):g} -> {tests_now.get(check, 0):g}"
        for check in sorted(tests_was | tests_now)
        if tests_was.get(check) != tests_now.get(check)
    ]
    if was.score == now.score and was.max_score == now.max_score and not through:
        return ""
    sign = f"{now.score - was.score:+g}"
    scores = f"{was.score:g} of {was.max_score:g} -> {now.score:g} of {now.max_score:g} ({sign})"
    decided = [
        f"{b.name} decided {a.score:g} -> {b.score:g}"
        for a in was.exercises
        for b in now.exercises
        if a.name == b.name and (a.overridden or b.overridden) and a.score != b.score
    ]
    return "; ".join([scores, *through, *decided])


def _earned(result: Result) -> dict[str, float]:
    return {test["nodeid"]: float(test["metadata"]["earned"]) for test in result.document["tests"]}


def _result(store: Store, submission: str) -> Result:
    result = store.result(submission)
    if result is None:
        names = [name for name, _ in store.expected()]
        near = _near(submission, names)
        raise UsageError(f"{store.path} has no result of {submission!r}", near)
    return result


def _near(name: str, known: list[str]) -> str:
    found = difflib.get_close_matches(name, known, n=1)
    return f"Did you mean {found[0]}?" if found else ""
