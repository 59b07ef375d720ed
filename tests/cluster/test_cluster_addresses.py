"""What `--cluster` is told that leads nowhere is said in one line, soon."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from tests.classroom.class_runs import ASSIGNMENT, REFERENCE
from tests.cluster.cluster_runs import batch, finished


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("tcp://127.0.0.1:1", "no scheduler answers at tcp://127.0.0.1:1"),
        ("nonsense", "nonsense is no address of a scheduler"),
        ("local:0", "local:0 is no number of workers"),
    ],
)
def test_an_address_that_leads_nowhere(tmp_path: Path, address: str, said: str) -> None:
    source = tmp_path / "class"
    source.mkdir()
    shutil.copy(REFERENCE, source)
    began = time.monotonic()
    done = finished(batch(ASSIGNMENT, source, tmp_path / "out", "--cluster", address))
    assert time.monotonic() - began < 30
    assert done.status == 2
    [line] = [line for line in done.err.splitlines() if line.startswith("grade: ")]
    assert said in line
    assert "Traceback" not in done.err
