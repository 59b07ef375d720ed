"""PrairieLearn: a question's folder with an external grader, and the image that it runs in."""

from __future__ import annotations

import json
import math
import uuid

from grader.assignment import Assignment
from grader.authoring.release.bundle import Bundle
from grader.authoring.release.host.words import NEVER_FINISHED, for_prairielearn
from grader.authoring.release.parts import add_failed, add_grader, add_public, add_staffs
from grader.authoring.release.pins import requirements
from grader.authoring.release.templates import filled
from grader.authoring.release.values import values_of

_MOST_SECONDS = 600  # what PrairieLearn allows
_START_SECONDS = 45  # to bring up torch twice, on a slow disk
_OURS = uuid.UUID("6a0e2f0c-6f0b-5c7e-9b52-0d6f5f1a7a11")


def build(assignment: Assignment, image: str = "") -> Bundle:
    """The bundle. Raises UsageError."""
    bundle, values = Bundle(), values_of(assignment, image)
    question = f"questions/{assignment.name}"
    bundle.add("README.md", filled("prairielearn/README.md", values))
    bundle.add("image/Dockerfile", filled("shared/Dockerfile", values))
    bundle.add("image/requirements.txt", requirements())
    bundle.add(f"{question}/info.json", _info(assignment, values["IMAGE"]))
    bundle.add(f"{question}/question.html", filled("prairielearn/question.html", values))
    for name in ("README.md", f"{assignment.stub}.py"):
        if (assignment.path / name).is_file():
            given = f"{question}/clientFilesQuestion/{name}"
            bundle.add_file(given, assignment.path / name)
    script = filled("prairielearn/run.sh", values)
    bundle.add(f"{question}/tests/run.sh", script, executable=True)
    home = f"{question}/tests/grader_bundle"
    add_grader(bundle, home)
    add_public(bundle, assignment, f"{home}/assignments/{assignment.name}")
    add_staffs(bundle, assignment, f"{home}/solutions/{assignment.name}")
    add_failed(bundle, home, for_prairielearn(NEVER_FINISHED))
    return bundle


def _info(assignment: Assignment, image: str) -> str:
    limits = assignment.limits
    seconds = math.ceil(_START_SECONDS + limits.load_seconds + limits.submission_seconds)
    info = {
        # The same for every release of an assignment, so that a newer one replaces it.
        "uuid": str(uuid.uuid5(_OURS, assignment.name)),
        "title": assignment.title,
        "topic": "Neural networks",
        "type": "v3",
        "singleVariant": True,
        "gradingMethod": "External",
        "externalGradingOptions": {
            "enabled": True,
            "image": image,
            "entrypoint": "/grade/tests/run.sh",
            "timeout": min(seconds, _MOST_SECONDS),
            "enableNetworking": False,
        },
    }
    return json.dumps(info, indent=2, ensure_ascii=False) + "\n"
