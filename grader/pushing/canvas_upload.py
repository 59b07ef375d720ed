"""A file for a comment in Canvas, in its three steps.

1. Canvas is told name and size and says where to send it. 2. It is sent there, without our token,
which may be another host's. 3. Where the answer is a redirect or has a Location, that is fetched:
on Canvas itself with our token, anywhere else without.
Doing it twice leaves a file that nobody sees.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urljoin, urlsplit

from canvasapi.exceptions import CanvasException  # type: ignore[import-untyped]

from grader.pushing.faults import Unclear, sensible

_NAME = "feedback.html"  # plain ASCII: file services stumble over the other way of naming


def uploaded(requester: Any, path: str, page: bytes) -> int:
    """The id of the new file, for `comment[file_ids]`. Raises a Fault or Hopeless."""
    with sensible("upload", CanvasException):
        told = requester.request(
            "POST", path, name=_NAME, size=len(page), content_type="text/html"
        ).json()
        url, fields = told["upload_url"], told["upload_params"]
        session = requester._session
        session.moved = True
        try:
            answer = requester.request(
                "POST", _url=url, use_auth=False, _kwargs=list(fields.items()),
                file={"file": (_NAME, page, "text/html")},
            )  # fmt: skip
        finally:
            session.moved = False
        made = _read(answer)
        where = answer.headers.get("Location")
        if where and (answer.status_code >= 300 or "id" not in made):
            where = urljoin(url, where)
            ours = urlsplit(where)[:2] == urlsplit(requester.original_url)[:2]
            made = _read(requester.request("GET", _url=where, use_auth=ours))
        number = made.get("id")
        if isinstance(number, bool) or not isinstance(number, int):
            raise Unclear("Canvas gave the page no number")
        return number


def _read(answer: Any) -> dict[str, Any]:
    text = answer.text.strip().removeprefix("while(1);")
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
