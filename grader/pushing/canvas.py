"""Canvas: points, and a comment with the student's page, by `canvasapi`.

The library knows the addresses, the pages of a list and the shape of what Canvas answers. Its
`upload_comment` is not used: it attaches in a request of its own that nobody can tell apart from
the last one, and it does not carry our token through the upload's third step.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from canvasapi.assignment import Assignment  # type: ignore[import-untyped]
from canvasapi.exceptions import CanvasException  # type: ignore[import-untyped]
from canvasapi.submission import Submission  # type: ignore[import-untyped]
from msgspec import structs

from grader.misconceptions.catalogue import Misconception
from grader.pushing.canvas_course import (
    CanvasRequester,
    Target,
    address,
    groups_at_odds,
    read_target,
)
from grader.pushing.canvas_upload import uploaded
from grader.pushing.config import CanvasConfig
from grader.pushing.faults import Hopeless, NotTaken, Refused, Unauthorized, Unclear, sensible
from grader.pushing.hidden import Hidden
from grader.pushing.ledger import Entry
from grader.pushing.plan import Due, Plan
from grader.pushing.retrying import MOST_ASKED, SETTLING, Clock, Patience
from grader.pushing.session import GuardedSession
from grader.report.exporters.lines import seen, short
from grader.report.exporters.moodle_feedback import may_be_seen
from grader.report.exporters.numbers import written
from grader.report.exporters.records import Mark, Request

_GRADE, _COMMENT = "grade", "comment"
_NAMED = 5  # so many are named one by one
_SAME = 0.0051  # points: Canvas may round to two decimals
_T = TypeVar("_T")


class CanvasChannel:
    """How points get to one assignment."""

    settling = SETTLING

    def __init__(
        self, config: CanvasConfig, token: str, request: Request, clock: Clock, hidden: Hidden
    ) -> None:
        platform = config.platform
        hidden.add(token)
        url = platform.url.rstrip("/")
        self.target = address(platform)
        self._ids = {"course_id": platform.course, "assignment_id": platform.assignment}
        self._request = request
        self._sending = config.sending
        self._clock = clock
        self._requester = CanvasRequester(
            url, token,
            GuardedSession((url,), hidden=hidden, clock=clock, timeout=config.sending.timeout,
                           allow_http=platform.allow_http),
        )  # fmt: skip

    def open(self) -> Target:
        """Read the assignment and its students; changes nothing.

        Raises Hopeless where it takes no points as we have them, a Fault where Canvas is not there.
        """
        course, number = self._ids["course_id"], self._ids["assignment_id"]

        def read() -> Target:
            with sensible("Canvas", CanvasException):
                return read_target(self._requester, course, number)

        return self._patiently(read)

    def content(self, due: Due) -> str:
        """Points, comment, and what the page is about: its looks alone are no news."""
        page = self._page(due.mark)
        told = _told(due.mark, self._request.catalogue) if page else []
        return _digest([
            written(due.score), self._text(due.mark), page is not None, told,
        ])  # fmt: skip

    def prepare(self, due: Due, stamp: float) -> str:
        """Upload the page, where there is one, and say what is to be put where."""
        text, page = self._text(due.mark), self._page(due.mark)
        sign = _digest([self.target, due.user, self.content(due), stamp])[:10]
        file = None
        if page is not None:
            path = (f"courses/{self._ids['course_id']}/assignments/{self._ids['assignment_id']}"
                    f"/submissions/{due.user}/comments/files")  # fmt: skip
            file = self._known(lambda: uploaded(self._requester, path, page))
        if text or file is not None:
            text = f"{text}\n\n[{sign}]".strip()
        return json.dumps({"grade": written(due.score), "text": text, "sign": sign, "file": file})

    def send(self, entry: Entry, parts: tuple[str, ...]) -> str:
        """One PUT with points and comment, or with what of the two is missing."""
        body = json.loads(entry.body)
        wanted = parts or (_GRADE, _COMMENT)
        told: dict[str, Any] = {}
        if _GRADE in wanted:
            told["submission"] = {"posted_grade": body["grade"]}
            told["prefer_points_over_scheme"] = True
        if _COMMENT in wanted and body["text"]:
            told["comment"] = {"text_comment": body["text"]}
            if body["file"] is not None:
                told["comment"]["file_ids"] = [body["file"]]
        submission = Submission(self._requester, {**self._ids, "user_id": entry.user})

        def put() -> None:
            with sensible("Canvas", CanvasException):
                submission.edit(**told)

        self._known(put)
        missing = _missing(body, submission)
        if missing:
            raise Refused(f"Canvas took it, but shows no such {' and no such '.join(missing)}")
        return "200"

    def look(self, entry: Entry) -> tuple[str, ...]:
        """What of a delivery Canvas does not show."""
        assignment = Assignment(
            self._requester,
            {"id": self._ids["assignment_id"], "course_id": self._ids["course_id"]},
        )

        def read() -> Any:
            with sensible("Canvas", CanvasException):
                return assignment.get_submission(entry.user, include=["submission_comments"])

        return _missing(json.loads(entry.body), self._known(read))

    def holds_newer(self, fault: Refused) -> bool:
        return False  # Canvas' own interface knows no times

    def fitted(self, plan: Plan, target: Target) -> Plan:
        """The plan less those whom Canvas excused, or whose group it would give one of our grades.

        With a note about each page that is not there, or that no student may see.
        """
        excused = {one.user for one in target.students if one.excused}
        at_odds = groups_at_odds(plan.due, target.students)
        due = tuple(one for one in plan.due if one.user not in excused | set(at_odds))
        held = [f"{one.shown}: excused in Canvas" for one in plan.due if one.user in excused]
        notes = self._about_pages([one.mark for one in due])
        return structs.replace(
            plan, due=due, problems=plan.problems + tuple(at_odds.values()),
            held=plan.held + tuple(held), notes=plan.notes + tuple(notes),
        )  # fmt: skip

    def _about_pages(self, marks: Sequence[Mark]) -> list[str]:
        lacking: dict[str, None] = {}
        notes: dict[str, None] = {}
        for mark in marks if self._sending.page else ():
            page = self._request.pages(mark.id)
            if page is None:
                lacking[mark.id] = None
            elif not may_be_seen(page, mark):
                notes[f"{mark.shown}: its page says what students must not see; left out"] = None
        if lacking:
            names = ", ".join(list(lacking)[:_NAMED]) + (", ..." if len(lacking) > _NAMED else "")
            notes[f"{len(lacking)} without a page of this result in reports/: {names}"] = None
        return list(notes)

    def _text(self, mark: Mark) -> str:
        return short(mark, self._request.catalogue) if self._sending.comment else ""

    def _page(self, mark: Mark) -> bytes | None:
        page = self._request.pages(mark.id) if self._sending.page else None
        return page if page is not None and may_be_seen(page, mark) else None

    def _patiently(self, read: Callable[[], _T]) -> _T:
        patience: Patience = self._sending
        for attempt in range(1, patience.tries + 1):
            try:
                return self._known(read)
            except (NotTaken, Unclear) as fault:
                wait = patience.before(attempt, fault.asked, self._clock)
                if attempt == patience.tries or wait > MOST_ASKED:
                    raise
                self._clock.sleep(wait)
            except Refused as fault:
                raise Hopeless(f"Canvas does not show the assignment: {fault}") from None
        raise AssertionError

    def _known(self, call: Callable[[], _T]) -> _T:
        try:
            return call()
        except Unauthorized as fault:
            if fault.token:
                raise Hopeless(f"Canvas does not take the token: {fault}") from None
            raise


def _missing(body: dict[str, Any], submission: Any) -> tuple[str, ...]:
    """What of a delivery a submission in Canvas does not show."""
    missing = []
    score = getattr(submission, "entered_score", None)  # before Canvas' own deduction for lateness
    if score is None:
        score = getattr(submission, "score", None)
    if not isinstance(score, int | float) or abs(score - float(body["grade"])) > _SAME:
        missing.append(_GRADE)
    comments = getattr(submission, "submission_comments", None) or ()
    if body["text"] and not any(_is_ours(body, one) for one in comments):
        missing.append(_COMMENT)
    return tuple(missing)


def _is_ours(body: dict[str, Any], comment: dict[str, Any]) -> bool:
    files = [one.get("id") for one in comment.get("attachments") or ()]
    return f"[{body['sign']}]" in str(comment.get("comment") or "") or (
        body["file"] is not None and body["file"] in files
    )


def _told(mark: Mark, catalogue: Mapping[str, Misconception]) -> list[Any]:
    """Which files the page is of and what it finds, without what differs between two gradings."""
    grade = seen(mark, catalogue).document["grade"]
    files = [one["sha256"] for one in grade["submission"]["files"]]
    found = [
        [entry["name"], found["bug"], found["title"], found["hidden"]]
        for entry in grade["exercises"]
        for found in entry["findings"]
    ]
    return [files, found]


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
