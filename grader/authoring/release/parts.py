"""What several bundles are made of: the assignment's public part, staff's part, the grader."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grader
from grader.assignment import Assignment
from grader.authoring.release.bundle import Bundle
from grader.authoring.release.pins import requirements
from grader.errors import UsageError


def add_public(bundle: Bundle, assignment: Assignment, folder: str) -> None:
    """What students may have. Named file by file, so that what else lies there stays here."""
    path = assignment.path
    named = ["assignment.toml", "README.md", "library_pieces.py", "pictures.py"]
    named += [f"{assignment.stub}{ending}" for ending in (".py", ".ipynb")]
    files = [path / name for name in named]
    files += sorted(path.glob("misconceptions.*"))
    files += sorted(assignment.checks.glob("*.py"))
    for file in files:
        if file.is_file():
            bundle.add_file(f"{folder}/{file.relative_to(path).as_posix()}", file)


def add_staffs(bundle: Bundle, assignment: Assignment, folder: str) -> None:
    """The model answer and the hidden checks; raises UsageError where they are not at hand."""
    solutions = assignment.solutions
    if solutions is None or not (solutions / "reference.py").is_file():
        raise UsageError(
            f"the solutions of {assignment.name} are not at hand", "Name them: --solutions DIR."
        )
    bundle.add_file(f"{folder}/reference.py", solutions / "reference.py")
    if assignment.hidden_checks is not None:
        for file in sorted(assignment.hidden_checks.glob("*.py")):
            bundle.add_file(f"{folder}/checks/{file.name}", file)


def add_grader(bundle: Bundle, folder: str) -> None:
    """The grader as it runs here, and the releases that it needs."""
    here = Path(grader.__file__).resolve().parent
    # Other assignments ship inside an installed grader; this bundle is of one, and makes none.
    bundle.add_tree(f"{folder}/grader", here, without=("assignments", "authoring/new"))
    bundle.add(f"{folder}/requirements.txt", requirements())


def add_failed(bundle: Bundle, folder: str, content: Mapping[str, Any]) -> None:
    """What a host reads when the grader never came to say anything."""
    bundle.add(f"{folder}/failed.json", json.dumps(content, indent=2) + "\n")
