"""What is said about a submission: findings that cost points, advice that costs none."""

from __future__ import annotations

from typing import Any

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """One mistake in one exercise. `bug` is a misconception's slug, or None where none fits.

    `message` is the account in whole lines: what happened, with the student's numbers; why it
    matters. `hints` is the whole ladder; renderers show as much of it as is asked for.
    `line` counts within `cell` for a notebook. `hidden` evidence was seen on a hidden check.
    """

    bug: str | None
    title: str
    message: str
    evidence: dict[str, Any] = {}
    file: str = ""
    line: int | None = None
    cell: int | None = None
    end_line: int | None = None
    hints: tuple[str, ...] = ()
    handout: str = ""
    check: str = ""
    hidden: bool = False
    output: str = ""


class Advice(msgspec.Struct, frozen=True):
    """Worth knowing, and no points hang on it."""

    slug: str
    message: str
    line: int | None = None
    cell: int | None = None
