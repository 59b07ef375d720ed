"""One warm process and one set of sessions a level that holds here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hostile_session import Sessions, sessions

from grader.student.isolation import forks
from grader.student.jail import LEVELS, probe, why_not


@pytest.fixture(scope="session", params=LEVELS)
def here(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sessions]:
    """The sessions of one level."""
    missing = why_not(request.param, probe()) if forks() else "no worker is forked here"
    if missing:
        pytest.skip(f"{request.param} does not hold here: {missing}")
    with sessions(tmp_path_factory.mktemp(request.param), request.param) as found:
        yield found
