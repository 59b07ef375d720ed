"""Warm processes to fork from: one in bubblewrap, one outside; and a plan for each level."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.student.jail import Limits, Plan, bubblewrap, levels, paths, plan, why_not
from grader.student.jail.probe import DENY, Probe, probe

HERE = Path(__file__).resolve().parent
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Zygote:
    """A warm process; `run` lets one child of it do one function of attacks.py."""

    def __init__(self, prefix: list[str]) -> None:
        self.process = subprocess.Popen(
            [*prefix, sys.executable, "-I", str(HERE / "zygote.py"), paths.WORKER, str(HERE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**THREADS, "SECRET_OF_THE_PARENT": "s3cret"},
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "the zygote died"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def run(
        self, plan: Plan, attack: str, argument: str | None = None, seconds: float = 20.0
    ) -> dict[str, Any]:
        message = as_json(plan)
        return self.ask(do="run", plan=message, attack=attack, argument=argument, seconds=seconds)

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)


def as_json(plan: Plan) -> dict[str, Any]:
    message = plan.as_message()
    message["seccomp"] = message["seccomp"].hex()
    return message


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


class Cell:
    """A level with the zygote to fork from and the plan that its children carry out."""

    def __init__(self, name: str, zygote: Zygote, probe: Probe) -> None:
        self.name = name
        self.zygote = zygote
        self.probe = probe
        self.level: levels.Level = "jail" if name == "jail" else "confined"
        self.plan = plan(self.level, Limits(), probe)

    def run(self, attack: str, argument: str | None = None, **limits: int) -> dict[str, Any]:
        chosen = plan(self.level, Limits(**limits), self.probe) if limits else self.plan
        return self.zygote.run(chosen, attack, argument)


@pytest.fixture(scope="session", params=["jail", "confined", "no landlock"])
def cell(request: pytest.FixtureRequest, real_probe: Probe) -> Cell:
    """Every level that shuts hostile code in; "no landlock" is `confined` on an older kernel."""
    denied = {"no landlock": "landlock,userns", "confined": "userns", "jail": ""}[request.param]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DENY, ",".join(filter(None, (os.environ.get(DENY, ""), denied))))
        probed = probe()
    level: levels.Level = "jail" if request.param == "jail" else "confined"
    missing = why_not(level, probed)
    if request.param == "confined":
        missing = missing or probed.layers["landlock"]
    if missing:
        pytest.skip(f"{request.param} does not hold here: {missing}")
    name = "zygote_inside" if level == "jail" else "zygote_outside"
    return Cell(request.param, request.getfixturevalue(name), probed)
