"""PrairieLearn's external grader: /grade/student in, /grade/results/results.json out."""

from __future__ import annotations

import base64
import binascii
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from grader.authoring.release.host.grading import grade
from grader.authoring.release.host.resources import Resources, resources
from grader.authoring.release.host.words import failed, for_prairielearn
from grader.authoring.release.host.writing import exported, read, write
from grader.report.exporters.prairielearn import FORMAT

USUAL: Final = Resources()


def main(name: str, root: Path) -> int:
    """Grade for PrairieLearn below `root` (the container's /); 0, or 3 where the grader failed."""
    job = root / "grade"
    data = read(job / "data" / "data.json")
    student = job / "student"
    _write_missing(data, student)
    verdict = grade(
        job / "tests" / "grader_bundle",
        name,
        student,
        called=str(data.get("variant_seed") or "submission"),
        here=resources(root, USUAL),
        # The right answers of the question may lie in these.
        closed=[folder for folder in (job / "tests", job / "data") if folder.is_dir()],
    )
    if verdict.failed:
        print(f"the grader failed: {verdict.failed}", file=sys.stderr)
        results = for_prairielearn(failed(verdict.failed))
    else:
        results = exported(FORMAT, verdict, ())
        if verdict.note:
            results["output"] = f"{results.get('output', '')}\n\n{verdict.note}".strip()
    write(job / "results" / "results.json", results)
    return 3 if verdict.failed else 0


def _write_missing(data: Mapping[str, Any], student: Path) -> None:
    """Put the files of data.json where the host left /grade/student empty, names checked."""
    if student.is_dir() and any(student.iterdir()):
        return
    answers = data.get("submitted_answers")
    files = answers.get("_files") if isinstance(answers, dict) else None
    student.mkdir(parents=True, exist_ok=True)
    for file in files if isinstance(files, list) else ():
        name, contents = (file.get("name"), file.get("contents")) if isinstance(file, dict) else (
            None, None)  # fmt: skip
        if not isinstance(name, str) or not isinstance(contents, str) or Path(name).name != name:
            continue
        try:
            (student / name).write_bytes(base64.b64decode(contents, validate=True))
        except (binascii.Error, OSError, ValueError):
            continue


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
