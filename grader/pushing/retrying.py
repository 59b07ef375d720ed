"""When to try again: back-off with jitter, and what a platform asks for."""

from __future__ import annotations

import math
import random
import time
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Annotated

import msgspec

_FACTOR = 2.0
_MOST_BACK_OFF = 60.0  # seconds
# Seconds after each of which it is looked whether a request arrived after all, before one that
# would do harm twice is made again: together with the time-out more than a platform works on one.
SETTLING = (1.0, 3.0, 9.0, 20.0)
MOST_ASKED = 300.0  # longer than this nobody sits and waits: the run ends, and says why


class Clock:
    """The time, and waiting. Tests bring one that does not wait."""

    def time(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def jitter(self) -> float:
        """A number from 0 to 1, so that many senders do not come back at once."""
        return random.random()


class Patience(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often a request is made, and how long is waited, in seconds."""

    tries: Annotated[int, msgspec.Meta(ge=1, le=20)] = 5
    wait: Annotated[float, msgspec.Meta(ge=0.001, le=60)] = 1.0
    timeout: Annotated[float, msgspec.Meta(ge=0.05, le=120)] = 60.0

    def before(self, attempt: int, asked: float | None, clock: Clock) -> float:
        """Seconds to wait after `attempt` (from 1) failed; never less than was asked for."""
        grown = min(self.wait * _FACTOR ** (attempt - 1), _MOST_BACK_OFF)
        spread = grown * (0.5 + clock.jitter() / 2)
        return spread if asked is None else asked + min(spread, 1.0)


def asked_for(header: str | None, now: float) -> float | None:
    """What Retry-After says: seconds, or a date. None where it says nothing that can be read."""
    text = (header or "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            when = parsedate_to_datetime(text)
        except ValueError:
            return None
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        seconds = when.timestamp() - now
    return max(seconds, 0.0) if math.isfinite(seconds) else None
