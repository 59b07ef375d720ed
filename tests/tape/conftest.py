"""Workers at the strongest level that holds here, for all tests of this folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from tape_sources import NAME, Bench, reference

from grader.assignment import find_assignment
from grader.student.isolation import resolve_level, starter

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    found = find_assignment(NAME)
    quick = msgspec.structs.replace(found.limits, call_seconds=0.5)
    assignment = msgspec.structs.replace(found, limits=quick)
    level, _ = resolve_level()
    with starter(level, assignment.limits, warm=False) as start:
        yield Bench(assignment, start, level, reference(assignment, start, level))


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compare a text with the file of that name; GOLDEN=write writes it."""

    def compare(name: str, text: str) -> None:
        file = GOLDEN / f"{name}.txt"
        if os.environ.get("GOLDEN") == "write":
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8")

    return compare
