"""LTI 1.3 Assignment and Grade Services: a score posted to a line item, by `pylti1p3next`.

The library knows where a line item's scores and results are, and makes the document. What it
leaves out is done here: an answer that is no JSON, whole seconds in its own timestamps, and which
answers mean what.
"""

from __future__ import annotations

import contextlib
import hashlib
import html
import json
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

import requests
from msgspec import structs
from pylti1p3.assignments_grades import AssignmentsGradesService, TAssignmentsGradersData
from pylti1p3.exception import LtiException
from pylti1p3.grade import Grade

from grader.pushing.config import LtiConfig
from grader.pushing.faults import Hopeless, Refused, Unauthorized, Unclear, sensible
from grader.pushing.hidden import Hidden
from grader.pushing.ledger import Entry
from grader.pushing.lti_access import Connector, Key, registration
from grader.pushing.plan import Due, looked_at
from grader.pushing.retrying import SETTLING, Clock
from grader.pushing.session import GuardedSession
from grader.report.exporters.lti_ags import score_document
from grader.report.exporters.records import Request

_SCOPE = "https://purl.imsglobal.org/spec/lti-ags/scope/"
_SCORE, _RESULT = f"{_SCOPE}score", f"{_SCOPE}result.readonly"
_RESULTS = "application/vnd.ims.lis.v2.resultcontainer+json"
_SAME = 5e-5  # of the maximum. Too strict is safe: the same is sent again
_MOST_RESULTS = 10_000
_PARTS = ("score",)
_T = TypeVar("_T")


class LtiChannel:
    """How scores get to one line item."""

    def __init__(
        self, config: LtiConfig, key: Key, request: Request, clock: Clock, hidden: Hidden
    ) -> None:
        platform = config.platform
        self.target = platform.line_item
        kind = platform.kind or _kind(platform.issuer, request.layout)
        # The same score twice is one score; but Canvas adds its comment each time.
        self.settling = SETTLING if kind == "canvas" else ()
        self._request = structs.replace(request, settings={"platform": kind})
        self._comments = config.sending.comment
        self._reads = platform.read_results
        self._session = GuardedSession(
            (platform.line_item,), hidden=hidden, clock=clock,
            timeout=config.sending.timeout, allow_http=platform.allow_http,
        )  # fmt: skip
        self._connector = Connector(registration(config, key), self._session, clock, hidden)

    def content(self, due: Due) -> str:
        """A digest of everything but the time."""
        return _digest({**self._document(due, 0.0), "timestamp": ""})

    def prepare(self, due: Due, stamp: float) -> str:
        """The body to post; posting it again is the same score at the same time."""
        self._connector.get_access_token([_SCORE])  # without one, nothing is to be sent at all
        body: str = _grade(self._document(due, stamp)).get_value()
        return body

    def send(self, entry: Entry, parts: tuple[str, ...]) -> str:
        """Post a body; what the platform answered. Raises a Fault or Hopeless."""
        grade = _grade(json.loads(entry.body))
        service = self._service(_SCORE)
        self._authorized(lambda: _put(service, grade))
        answer = self._session.last
        if answer is None:
            raise Unclear("no answer")
        if answer.text.lstrip()[:1] == "<":
            raise Unclear(f"{answer.status_code} and a web page, which is no answer to a score")
        return str(answer.status_code)

    def look(self, entry: Entry) -> tuple[str, ...] | None:
        """What of a delivery the platform does not have; None where it does not let us look."""
        if not self._reads:
            return None
        service = self._service(_RESULT)
        try:
            with sensible("results", LtiException):
                results = self._authorized(lambda: self._results(service, entry.user))
        except (Hopeless, Refused) as fault:
            if isinstance(fault, Refused) and fault.status == 404:
                return _PARTS
            self._reads = False  # it was not granted to us: from now on the same is sent again
            return None
        sent = json.loads(entry.body)
        mine = [one for one in results if str(one.get("userId")) == entry.user]
        return () if any(_is_there(sent, one) for one in mine) else _PARTS

    def holds_newer(self, fault: Refused) -> bool:
        """Whether a refusal says that a score of this time, or of a later one, is there."""
        about_time = "timestamp" in fault.words.casefold()
        return fault.status == 409 or (fault.status in (400, 412, 422) and about_time)

    def _document(self, due: Due, stamp: float) -> dict[str, Any]:
        mark = structs.replace(due.mark, score=due.score, max_score=due.most, when=stamp)
        document = score_document(mark, due.user, self._request)
        if looked_at(due.mark):
            document["gradingProgress"] = "FullyGraded"
        if not self._comments or not document["comment"].strip():
            del document["comment"]
        return document

    def _service(self, scope: str) -> AssignmentsGradesService:
        data: TAssignmentsGradersData = {"scope": [scope], "lineitem": self.target}  # type: ignore[list-item]
        return AssignmentsGradesService(self._connector, data)

    def _results(self, service: AssignmentsGradesService, user: str) -> list[dict[str, Any]]:
        url = service._add_url_path_ending(self.target, "results")
        url += ("&" if "?" in url else "?") + urlencode({"user_id": user})
        found: list[dict[str, Any]] = []
        for page in self._connector.get_paginated_data([_RESULT], url, accept=_RESULTS):
            body = page["body"]
            if not isinstance(body, list):
                raise ValueError("no list")
            found += [one for one in body if isinstance(one, dict)]
            if len(found) > _MOST_RESULTS:
                break
        return found

    def _authorized(self, call: Callable[[], _T]) -> _T:
        """With a token that was fetched anew where the platform no longer takes the old one."""
        try:
            return call()
        except Unauthorized:
            self._connector.forget_tokens()
        try:
            return call()
        except Unauthorized as error:
            raise Hopeless(
                f"the platform does not take the token that it has just given: {error}"
            ) from None


def _grade(document: dict[str, Any]) -> Grade:
    """The library's Grade; its timestamp is ours, for its own has whole seconds."""
    rest = dict(document)
    grade = Grade()
    grade.set_score_given(rest.pop("scoreGiven")).set_score_maximum(rest.pop("scoreMaximum"))
    grade.set_activity_progress(rest.pop("activityProgress"))
    grade.set_grading_progress(rest.pop("gradingProgress"))
    grade.set_timestamp(rest.pop("timestamp")).set_user_id(rest.pop("userId"))
    if "comment" in rest:
        grade.set_comment(rest.pop("comment"))
    return grade.set_extra_claims(rest) if rest else grade


def _put(service: AssignmentsGradesService, grade: Grade) -> None:
    try:
        # The library reads the answer only where the score was taken, and some send no JSON.
        with sensible("score"), contextlib.suppress(requests.JSONDecodeError):
            service.put_grade(grade)
    except LtiException as error:
        raise Hopeless(f"the library refuses: {type(error).__name__}") from None


def _is_there(sent: dict[str, Any], result: dict[str, Any]) -> bool:
    score, most = result.get("resultScore"), result.get("resultMaximum") or 1
    if isinstance(score, bool) or not isinstance(score, int | float):
        return False
    if not isinstance(most, int | float) or most <= 0:
        return False
    if abs(score / most - sent["scoreGiven"] / sent["scoreMaximum"]) > _SAME:
        return False
    said = result.get("comment")
    return not said or _plain(str(said)) == _plain(sent.get("comment", ""))


def _plain(text: str) -> str:
    return " ".join(html.unescape(text).split())


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _kind(issuer: str, layout: str) -> str:
    host = urlsplit(issuer).hostname or ""
    return "canvas" if layout == "canvas" or host.endswith("instructure.com") else ""
