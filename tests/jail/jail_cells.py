"""A warm process outside of pytest to fork from, and the levels that its children shut in at."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from grader.student.jail import Level, Limits, Plan, paths, plan
from grader.student.jail.probe import Probe

HERE = Path(__file__).resolve().parent
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Zygote:
    """A warm process; `run` lets one child of it do one function of jail_attacks.py."""

    def __init__(self, prefix: list[str]) -> None:
        self.process = subprocess.Popen(
            [*prefix, sys.executable, "-I", str(HERE / "jail_zygote.py"), paths.WORKER, str(HERE)],
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


class Cell:
    """A level with the zygote to fork from and the plan that its children carry out."""

    def __init__(self, level: Level, zygote: Zygote, probe: Probe) -> None:
        self.level = level
        self.zygote = zygote
        self.probe = probe
        self.plan = plan(level, Limits(), probe)

    @property
    def opens_files(self) -> bool:
        return self.level == "jail" or self.plan.landlock

    def run(self, attack: str, argument: str | None = None, **limits: int) -> dict[str, Any]:
        chosen = plan(self.level, Limits(**limits), self.probe) if limits else self.plan
        return self.zygote.run(chosen, attack, argument)


CELLS: dict[str, tuple[Level, bool]] = {
    "jail": ("jail", True),
    "jail without landlock": ("jail", False),
    "confined": ("confined", True),
    "confined without landlock": ("confined", False),
}
