"""From a verdict to the file that a host reads, through the exporter of that host."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.authoring.release.host.grading import Verdict
from grader.people import Person
from grader.report.exporters.records import Format, Request, mark_of
from grader.report.files import write_atomically


def exported(
    format_: Format, verdict: Verdict, people: Sequence[Person], settings: Mapping[str, str] = {}
) -> dict[str, Any]:
    """The one JSON object that the exporter makes of a verdict.

    Raises UsageError where there is none to make: the grader failed.
    """
    mark = mark_of(verdict.document, people)
    request = Request(marks=(mark,), catalogue=verdict.catalogue, settings=settings)
    (part,) = format_.write(request).parts
    found: dict[str, Any] = json.loads(part[1])
    return found


def write(place: Path, content: Mapping[str, Any]) -> None:
    """Write JSON in one go, making the folder where it is missing."""
    place.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    write_atomically(place, text.encode() + b"\n")


def read(place: Path) -> dict[str, Any]:
    """What a host wrote for the grader; empty where there is none, or none that can be read."""
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
