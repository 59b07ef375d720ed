"""What must never be seen: keys and tokens, read from files of their own and kept out of text."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from urllib.parse import quote

from grader.errors import UsageError
from grader.report.screen import clean

_MOST_BYTES = 64 << 10
_MOST_TEXT = 100_000
_SHOWN = 200
_LIKE = re.compile(
    r"-----BEGIN [A-Z ]*KEY-----.*?(?:-----END [A-Z ]*KEY-----|\Z)"
    r"|\bey[\w-]{8,}\.[\w-]+\.[\w-]*"  # a JWT
    r"|\b(?:Bearer|Basic)\s+[^\s\"',;<>]+",
    re.DOTALL | re.IGNORECASE,
)
_GONE = "[secret]"
_HEADER_SAFE = re.compile(r"[\x21-\x7e]+")


class Hidden:
    """The secrets of one run. Nothing prints or stores what `scrub` has not seen."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def __repr__(self) -> str:
        return f"Hidden({len(self._known)})"

    def add(self, secret: str) -> None:
        if len(secret) >= 4:
            self._known |= {secret, quote(secret, safe=""), secret.replace("/", "\\/")}

    def scrub(self, text: str) -> str:
        """A line for people: without secrets, control signs or more than 200 characters."""
        text = text[:_MOST_TEXT]
        for secret in sorted(self._known, key=len, reverse=True):
            text = text.replace(secret, _GONE)
        text = " ".join(clean(_LIKE.sub(_GONE, text)).split())
        return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def read_secret(path: Path, what: str) -> str:
    """The text of a file that holds a secret. Raises UsageError, which never quotes it."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"{path} is too large for {what}")
        return path.read_text(encoding="utf-8-sig").strip()
    except OSError as error:
        raise UsageError(f"{what}: {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{what}: {path} is no text") from None


def checked_token(token: str, where: str) -> str:
    """A token that can stand in a header. Raises UsageError."""
    if not _HEADER_SAFE.fullmatch(token):
        raise UsageError(f"{where} holds no token", "It is one word, without blanks.")
    return token


def readable_by_others(path: Path) -> bool:
    """Whether other users of this machine may read a file."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return os.name == "posix" and bool(mode & (stat.S_IRGRP | stat.S_IROTH))
