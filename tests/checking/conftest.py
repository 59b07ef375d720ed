"""One warm process from which the tests in here fork their workers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from checking_students import StartWorker

from grader.assignment import Limits
from grader.student.isolation import starter


@pytest.fixture(scope="session")
def start() -> Iterator[StartWorker]:
    with starter("process", Limits()) as start:
        yield start
