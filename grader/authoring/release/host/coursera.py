"""Coursera: /shared/submission in, /shared/feedback.json out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

from grader.authoring.release.host.grading import grade
from grader.authoring.release.host.resources import Resources, resources
from grader.authoring.release.host.words import failed, for_coursera
from grader.authoring.release.host.writing import exported, write
from grader.report.exporters.coursera import FORMAT

USUAL: Final = Resources(memory_mb=1024, processors=1.0)


def main(name: str, root: Path, home: Path) -> int:
    """Grade for Coursera below `root` (the container's /) with the bundle in `home`.

    0, or 3 where the grader failed: Coursera then asks staff, and shows the student no score.
    """
    verdict = grade(
        home,
        name,
        root / "shared" / "submission",
        called="submission",
        here=resources(root, USUAL),
    )
    target = root / "shared" / "feedback.json"
    if verdict.failed:
        print(f"the grader failed: {verdict.failed}", file=sys.stderr)
        write(target, for_coursera(failed(verdict.failed)))
        return 3
    feedback = exported(FORMAT, verdict, ())
    if verdict.note:
        feedback["feedback"] = f"{feedback['feedback']}\n\n{verdict.note}"
    write(target, feedback)
    # The last line, and on one: Coursera's own tool for trying a grader out reads it there.
    print(json.dumps(feedback, ensure_ascii=False, allow_nan=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))
