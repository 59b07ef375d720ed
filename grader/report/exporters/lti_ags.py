"""LTI 1.3 Assignment and Grade Services: the score documents that are posted to a line item.

One a person. Without a verdict there is no score in it, never a zero. Canvas is told not to count
a new attempt (--set platform=canvas, or a Canvas download).
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from grader.errors import UsageError
from grader.people import Person
from grader.report.exporters.lines import short
from grader.report.exporters.matching import people_of
from grader.report.exporters.numbers import checked
from grader.report.exporters.records import Exported, Format, Mark, Part, Request

MEDIA_TYPE = "application/vnd.ims.lis.v1.score+json"
_CANVAS = "https://canvas.instructure.com/lti/submission"


def _write(request: Request) -> Exported:
    parts: list[Part] = []
    unmatched: list[str] = []
    said: list[str] = []
    for mark in request.marks:
        if mark.document is None:
            said.append(f"{mark.shown}: not graded yet, so nothing is written")
            continue
        for person in people_of(mark):
            user = _user(person, request)
            if not user:
                unmatched.append(f"{mark.id} ({person.shown}): no user id is known")
                continue
            document = score_document(mark, user, request)
            data = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False).encode()
            parts.append((f"{mark.id}-{_plain(user)}.json", data))
    if not parts:
        raise UsageError("no submission has a user id of the platform's", "Give --roster FILE.")
    return Exported(tuple(parts), tuple(unmatched), tuple(said))


def score_document(mark: Mark, user: str, request: Request) -> dict[str, Any]:
    """What is posted for one user. Raises UsageError for points that a platform would misread."""
    document: dict[str, Any] = {"userId": user, "activityProgress": "Submitted"}
    if mark.score is None or mark.max_score is None:
        document["gradingProgress"] = "NotReady" if mark.status == "grader_failed" else "Failed"
    else:
        score, most = checked(mark.score, mark.max_score, mark.id)
        if most == 0:
            raise UsageError(f"{mark.id}: there are no points to be had")
        document |= {"scoreGiven": score, "scoreMaximum": most}
        if not mark.complete:
            document["gradingProgress"] = "Pending"
        else:
            review = bool(mark.document and mark.document["grade"].get("review"))
            document["activityProgress"] = "Completed"
            document["gradingProgress"] = "PendingManual" if review else "FullyGraded"
    when = datetime.fromtimestamp(mark.when, UTC)
    document["timestamp"] = when.isoformat(timespec="milliseconds")
    document["comment"] = short(mark, request.catalogue)
    if request.settings.get("platform", request.layout) == "canvas":
        document[_CANVAS] = {"new_submission": False}
    return document


def _user(person: Person, request: Request) -> str:
    if "user" in request.settings and len(request.marks) == 1:
        return request.settings["user"]
    if person.id:
        return person.id
    member = request.roster.find(person.email, person.name)
    return member.person.id if member is not None else ""


def _plain(user: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-.@" else "_" for sign in user)[:80]


FORMAT = Format("lti-ags", "LTI 1.3: score documents", "each", _write)
