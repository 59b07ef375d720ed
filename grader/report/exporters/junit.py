"""JUnit XML: one suite a submission, one case a check, each name once."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from datetime import UTC, datetime

from grader.report.exporters.lines import Seen, seen
from grader.report.exporters.numbers import written
from grader.report.exporters.records import Exported, Format, Mark, Request, each

_LONGEST = 20_000
# XML 1.0 has no way to write these.
_UNFIT = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _write(request: Request) -> Exported:
    return each(request, ".xml", lambda mark: _suite(mark, seen(mark, request.catalogue)))


def _suite(mark: Mark, view: Seen) -> bytes:
    unreadable = mark.status == "unreadable"
    lost = sum(not line.passed for line in view.lines)
    seconds = sum(line.seconds for line in view.lines)
    when = datetime.fromtimestamp(mark.when, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    suite = ElementTree.Element(
        "testsuite",
        name=_fit(mark.id),
        tests=str(len(view.lines) + unreadable),
        failures=str(lost),
        errors=str(int(unreadable)),
        skipped="0",
        time=f"{seconds:.3f}",
        timestamp=when,
    )
    if unreadable:
        case = ElementTree.SubElement(
            suite, "testcase", classname="submission", name="the submission can be read",
            time="0.000",
        )  # fmt: skip
        ElementTree.SubElement(case, "error", message=_fit(view.head), type="unreadable")
    for line in view.lines:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_fit(line.exercise), name=_fit(line.name),
            time=f"{line.seconds:.3f}",
        )  # fmt: skip
        if not line.passed:
            points = f"{written(line.earned)} of {written(line.points)} points"
            message = _fit(f"{points}. {line.text}")
            ElementTree.SubElement(case, "failure", message=message, type="points lost")
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _fit(text: str) -> str:
    return _UNFIT.sub("\ufffd", text)[:_LONGEST]


FORMAT = Format("junit", "JUnit XML", "each", _write)
