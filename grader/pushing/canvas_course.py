"""An assignment in Canvas and who is in it. Reading changes nothing there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from canvasapi.course import Course  # type: ignore[import-untyped]
from canvasapi.requester import Requester  # type: ignore[import-untyped]

from grader.pushing.config import CanvasPlatform
from grader.pushing.faults import Hopeless
from grader.pushing.plan import Due
from grader.pushing.recipients import Find, table
from grader.pushing.session import GuardedSession

_NOT_POINTS = ("pass_fail", "not_graded")


class Student(msgspec.Struct, frozen=True):
    """A student of the assignment, as Canvas knows them; `group` where Canvas grades groups."""

    user: str
    name: str
    keys: dict[str, str]
    excused: bool
    group: str = ""


class Target(msgspec.Struct, frozen=True):
    """An assignment in Canvas that takes points, and who is in it."""

    most: float
    students: tuple[Student, ...]

    def find(self, by: str) -> Find:
        """From Canvas' own `by` (id, sis_user_id, login_id, integration_id) to its user."""
        return table((one.keys[by], one.user) for one in self.students if one.keys.get(by))


class CanvasRequester(Requester):  # type: ignore[misc]
    """The library's, with our session."""

    def __init__(self, url: str, token: str, session: GuardedSession) -> None:
        super().__init__(url, token)
        self._session = session


def address(platform: CanvasPlatform) -> str:
    """How the ledger calls an assignment."""
    url = platform.url.rstrip("/")
    return f"{url}/courses/{platform.course}/assignments/{platform.assignment}"


def read_target(requester: Any, course: int, number: int) -> Target:
    """The assignment and its students, all pages of them. Raises Hopeless, or a Fault."""
    assignment = Course(requester, {"id": course}).get_assignment(number)
    most = _checked(assignment)
    alone = getattr(assignment, "grade_group_students_individually", False)
    grouped = bool(getattr(assignment, "group_category_id", None)) and not alone
    listed = assignment.get_submissions(include=["user", "group"])
    students = [_student(one, grouped) for one in listed if _is_named(one)]
    if not students:
        raise Hopeless(
            "Canvas names no student of this assignment",
            "Nobody is in it, or it is anonymous until its grades are posted.",
        )
    return Target(most, tuple(students))


def groups_at_odds(due: Sequence[Due], students: Iterable[Student]) -> dict[str, str]:
    """User -> why not, where Canvas gives one grade to a group and we would send it several."""
    group_of = {one.user: one.group for one in students if one.group}
    scores: dict[str, set[float]] = {}
    for one in due:
        if one.user in group_of:
            scores.setdefault(group_of[one.user], set()).add(one.score)
    return {
        one.user: f"{one.shown}: Canvas grades the group {group_of[one.user]} as one, "
        f"and its members have {len(scores[group_of[one.user]])} different scores"
        for one in due
        if one.user in group_of and len(scores[group_of[one.user]]) > 1
    }


def _checked(assignment: Any) -> float:
    kind = getattr(assignment, "grading_type", "points")
    if kind in _NOT_POINTS:
        raise Hopeless(f"the assignment in Canvas is graded as {kind}, which takes no points")
    if getattr(assignment, "moderated_grading", False) and not getattr(
        assignment, "grades_published", False
    ):
        raise Hopeless("the assignment in Canvas is moderated, and its grades are not released")
    most = getattr(assignment, "points_possible", None)
    if isinstance(most, bool) or not isinstance(most, int | float) or not 0 < most < 1e6:
        raise Hopeless("the assignment in Canvas has no points to be had", "Set its points there.")
    return float(most)


def _is_named(submission: Any) -> bool:
    return getattr(submission, "user_id", None) is not None


def _student(submission: Any, grouped: bool) -> Student:
    user = getattr(submission, "user", None) or {}
    group = (getattr(submission, "group", None) or {}) if grouped else {}
    number = str(submission.user_id)
    keys = {key: str(user.get(key) or "") for key in ("sis_user_id", "login_id", "integration_id")}
    return Student(
        number, str(user.get("name") or ""), {**keys, "id": number},
        bool(getattr(submission, "excused", False)), str(group.get("id") or ""),
    )  # fmt: skip
