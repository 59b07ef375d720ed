"""What can go wrong between us and a platform, told apart by what it means for the grade.

Fault
├── NotTaken        the request did not get there, or was told to come again: nothing happened
├── Unclear         no answer, or one that says nothing: the platform may have taken it
└── Refused         the platform said no to this one
    └── Unauthorized   it does not know us (any more)

Hopeless (a UsageError)   no other request would fare better: the run ends
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from grader.errors import UsageError


class Fault(Exception):
    """`words` hold no secret. `asked` is how many seconds the platform wants us to wait."""

    def __init__(self, words: str, status: int | None = None, asked: float | None = None) -> None:
        super().__init__(words, status, asked)
        self.words = words
        self.status = status
        self.asked = asked

    def __str__(self) -> str:
        return self.words


class NotTaken(Fault):
    """Nothing happened on the platform; the same may be tried again."""


class Unclear(Fault):
    """Whether the platform took it is not known."""


class Refused(Fault):
    """The platform will not have it, now or later."""


class Unauthorized(Refused):
    """Status 401. `token` says whether it was our token that is no good."""

    def __init__(self, words: str, *, token: bool) -> None:
        super().__init__(words, 401)
        self.token = token


class Hopeless(UsageError):
    """The configuration, or our standing with the platform, is wrong for every request."""


@contextlib.contextmanager
def sensible(what: str, *libraries: type[Exception]) -> Iterator[None]:
    """What a library raises over an answer that it cannot read becomes Unclear.

    Its own text is left out: it may hold a header or a whole body.
    """
    stumbles: tuple[type[Exception], ...] = (
        LookupError, TypeError, ValueError, AttributeError, *libraries,
    )  # fmt: skip
    try:
        yield
    except stumbles as error:
        raise Unclear(f"{what}: an answer that makes no sense ({type(error).__name__})") from None
