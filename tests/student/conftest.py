"""One warm process a level that holds here, shared by the tests of a session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from student_workers import ROOT

from grader.student.isolation import forks
from grader.student.jail import LEVELS, Level, Limits, probe, why_not
from grader.student.zygote import Zygote


@pytest.fixture(scope="session", params=LEVELS)
def level(request: pytest.FixtureRequest) -> Level:
    missing = why_not(request.param, probe()) if forks() else "no worker is forked here"
    if missing:
        pytest.skip(f"{request.param} does not hold here: {missing}")
    chosen: Level = request.param
    return chosen


@pytest.fixture(scope="session")
def zygote(level: Level) -> Iterator[Zygote]:
    with Zygote(level, Limits(), [ROOT / "solutions"]) as warm:
        yield warm
