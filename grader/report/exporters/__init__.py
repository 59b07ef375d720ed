"""What an LMS takes: one module a format, each a pure function of marks.

`FORMATS` names the module of each, which is imported when it is asked for.
"""

from __future__ import annotations

import importlib
import io
import zipfile

from grader.errors import UsageError
from grader.report.exporters.numbers import checked
from grader.report.exporters.records import Exported, Format, Mark, Request, mark_of

__all__ = ["FORMATS", "Exported", "Format", "Mark", "Request", "export", "format_of", "mark_of"]

FORMATS = {
    "gradescope": "gradescope",
    "canvas": "canvas",
    "moodle": "moodle_worksheet",
    "moodle-gradebook": "moodle_gradebook",
    "moodle-feedback": "moodle_feedback",
    "csv": "plain_csv",
    "junit": "junit",
    "prairielearn": "prairielearn",
    "coursera": "coursera",
    "classroom50": "classroom50",
    "lti-ags": "lti_ags",
    "blackboard": "blackboard",
    "brightspace": "brightspace",
    "ctrf": "ctrf",
    "codegrade": "codegrade",
    "jsonl": "jsonl",
}
_ALWAYS_A_ZIP = ("moodle-feedback",)
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def format_of(name: str) -> Format:
    """The format called so. Raises UsageError for one that there is not."""
    if name not in FORMATS:
        raise UsageError(f"there is no format {name!r}", f"There are {', '.join(FORMATS)}.")
    module = importlib.import_module(f"grader.report.exporters.{FORMATS[name]}")
    found: Format = module.FORMAT
    return found


def export(name: str, request: Request, file_name: str) -> tuple[bytes, Exported]:
    """(the bytes of the one file, what was made).

    Several files become a zip, whose `file_name` has to say so. Raises UsageError.
    """
    for mark in request.marks:
        _refuse_bad_numbers(mark)
    made = format_of(name).write(request)
    if not made.parts:
        # An empty file would be taken for one that says something.
        raise UsageError("there is nothing to export", "; ".join((made.unmatched + made.said)[:3]))
    if len(made.parts) == 1 and name not in _ALWAYS_A_ZIP:
        if not file_name.lower().endswith(".zip"):
            return made.parts[0][1], made
    elif not file_name.lower().endswith(".zip"):
        raise UsageError(
            f"{name} makes {len(made.parts)} files here",
            "Call it something.zip, or give one report.",
        )
    return _zipped(made.parts), made


def _refuse_bad_numbers(mark: Mark) -> None:
    if mark.score is not None and mark.max_score is not None:
        checked(mark.score, mark.max_score, mark.id)
    for test in mark.document["tests"] if mark.document is not None else ():
        about = test["metadata"]
        checked(about["earned"], about["points"], f"{mark.id}, a check of {about['exercise']}")


def _zipped(parts: tuple[tuple[str, bytes], ...]) -> bytes:
    """The same zip for the same files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in parts:
            info = zipfile.ZipInfo(name, _LONG_AGO)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o600 << 16
            archive.writestr(info, data)
    return packed.getvalue()
