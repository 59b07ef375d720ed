"""Every request goes through here, whichever library makes it.

Both libraries leave to the caller what matters most: they set no time-out, follow a redirect of a
POST with a GET, lose Retry-After, take any answer below 400 for success, and raise errors that
hold the whole response, request headers included. So they get a session that does none of this and
turns what goes wrong into faults of ours before they see it.
"""

from __future__ import annotations

import logging
import re
import ssl
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests
from requests import PreparedRequest, Response
from urllib3.exceptions import HTTPError, MaxRetryError, NewConnectionError

from grader.pushing.config import is_allowed
from grader.pushing.faults import Fault, Hopeless, NotTaken, Refused, Unauthorized, Unclear
from grader.pushing.hidden import Hidden
from grader.pushing.retrying import Clock, asked_for

_LIMITED = re.compile(r"rate limit exceeded", re.IGNORECASE)
_LOGGERS = ("canvasapi", "urllib3", "requests")


class GuardedSession(requests.Session):
    """Requests that end in time, go only where they may, and fail in our words.

    `origins` are the addresses to which a token may be sent. `moved` lets a redirect through as an
    answer (it is never followed); `last` is the newest answer.
    """

    def __init__(
        self,
        origins: Iterable[str],
        *,
        hidden: Hidden,
        clock: Clock,
        timeout: float,
        allow_http: bool = False,
    ) -> None:
        super().__init__()
        for name in _LOGGERS:  # at DEBUG they write bodies, addresses, and the end of a token
            logging.getLogger(name).setLevel(logging.WARNING)
        self._origins = {_origin(url) for url in origins}
        self._hidden = hidden
        self._clock = clock
        self._timeout = timeout
        self._allow_http = allow_http
        self.moved = False
        self.last: Response | None = None
        self.auth = _as_it_is  # without it, a .netrc would replace our token
        self.headers["User-Agent"] = "autograd-grader"

    def send(self, request: PreparedRequest, **options: Any) -> Response:
        """Raises a Fault, or Hopeless, for everything but an answer of 200 to 299."""
        url = request.url or ""
        self._check(url, request)
        options |= {"timeout": self._timeout, "allow_redirects": False}
        host = urlsplit(url).hostname
        try:
            response = super().send(request, **options)
        except requests.RequestException as error:
            raise _unanswered(error, host) from None
        except (HTTPError, OSError) as error:
            raise Unclear(f"{host}: {type(error).__name__}") from None
        self.last = response
        if 200 <= response.status_code < 300 or (self.moved and 300 <= response.status_code < 400):
            return response
        raise self._fault(response)

    def _check(self, url: str, request: PreparedRequest) -> None:
        why = is_allowed(url, self._allow_http)
        if why:
            raise Hopeless(f"the platform wants us to go to an address that {why}")
        token = request.headers.get("Authorization")
        if token is not None:
            value = token.decode() if isinstance(token, bytes) else token
            self._hidden.add(value.rpartition(" ")[2])
            if _origin(url) not in self._origins:
                raise Hopeless(f"a token is not sent to {urlsplit(url).hostname}")
        if isinstance(request.body, str) and "client_assertion=" in request.body:
            for assertion in parse_qs(request.body).get("client_assertion", ()):
                self._hidden.add(assertion)

    def _fault(self, response: Response) -> Fault | Hopeless:
        status = response.status_code
        words = f"{status} {self.said(response)}".strip()
        asked = asked_for(response.headers.get("Retry-After"), self._clock.time())
        if 300 <= status < 400:
            to = urlsplit(response.headers.get("Location", "")).hostname or "somewhere else"
            host = urlsplit(response.url).hostname
            return Hopeless(f"{host} answers {status} and points to {to}", "Is the address right?")
        if status == 401:
            return Unauthorized(words, token="WWW-Authenticate" in response.headers)
        if status == 429 or (status == 403 and _LIMITED.search(response.text)):
            return NotTaken(words, status, asked)
        if status == 408 or status >= 500:
            return Unclear(words, status, asked)
        return Refused(words, status)

    def said(self, response: Response) -> str:
        """What an answer says, short and without secrets; of a page only that it is one."""
        text = response.text
        return "(a web page)" if text.lstrip()[:1] == "<" else self._hidden.scrub(text)


def _as_it_is(request: PreparedRequest) -> PreparedRequest:
    return request


def _origin(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    return (
        parts.scheme, parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80),
    )  # fmt: skip


def _unanswered(error: requests.RequestException, host: str | None) -> Exception:
    """Whether the request can have arrived. requests says so only in what it wraps."""
    cause: Any = error.args[0] if error.args else None
    reason = cause.reason if isinstance(cause, MaxRetryError) else cause
    if isinstance(error, requests.ConnectTimeout) or isinstance(reason, NewConnectionError):
        return NotTaken(f"{host} cannot be reached")
    if isinstance(error, requests.Timeout):
        return Unclear(f"{host} did not answer in time")
    if isinstance(error, requests.exceptions.SSLError):
        if any(isinstance(one, ssl.SSLCertVerificationError) for one in _causes(reason)):
            return Hopeless(f"the certificate of {host} is not trusted")
        return Unclear(f"{host}: the secured connection broke")
    if isinstance(error, requests.ConnectionError | requests.exceptions.ChunkedEncodingError):
        return Unclear(f"{host} cut the connection")
    if isinstance(error, requests.exceptions.ContentDecodingError):
        return Unclear(f"{host} sent an answer that cannot be read")
    return Hopeless(f"no request to {host} can be made ({type(error).__name__})")


def _causes(error: Any) -> list[Any]:
    found: list[Any] = []
    while isinstance(error, BaseException) and len(found) < 10:
        found.append(error)
        error = error.__cause__ or (error.args[0] if error.args else None)
    return found
