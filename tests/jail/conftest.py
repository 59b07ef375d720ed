"""Warm processes to fork from: one in bubblewrap, one outside; and every level that holds here."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from jail_cells import CELLS, HERE, Cell, Zygote

from grader.student.jail import bubblewrap, why_not
from grader.student.jail.probe import DENY, Probe, probe


@pytest.fixture(scope="session")
def real_probe() -> Probe:
    return probe()


@pytest.fixture(scope="session")
def zygote_outside() -> Iterator[Zygote]:
    zygote = Zygote([])
    yield zygote
    zygote.close()


@pytest.fixture(scope="session")
def zygote_inside(real_probe: Probe) -> Iterator[Zygote]:
    zygote = Zygote(bubblewrap.prefix(real_probe.jail_users, (str(HERE),)))
    yield zygote
    zygote.close()


@pytest.fixture(scope="session", params=CELLS)
def cell(request: pytest.FixtureRequest, real_probe: Probe) -> Cell:
    """Every level that shuts hostile code in, also as an older kernel would give it."""
    level, landlock = CELLS[request.param]
    denied = [os.environ.get(DENY, ""), *(["userns"] if level == "confined" else [])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DENY, ",".join([*denied, *([] if landlock else ["landlock"])]))
        probed = probe()
    missing = why_not(level, probed) or (probed.layers["landlock"] if landlock else "")
    if missing:
        pytest.skip(f"{request.param} does not hold here: {missing}")
    name = "zygote_inside" if level == "jail" else "zygote_outside"
    return Cell(level, request.getfixturevalue(name), probed)
