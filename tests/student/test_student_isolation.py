"""Which level a command gets, and workers where no process can be forked."""

from __future__ import annotations

import subprocess
import sys

import pytest
from student_workers import ROOT, running

from grader import assignment
from grader.errors import GraderFailed, UsageError
from grader.student import isolation
from grader.student.isolation import resolve_level, starter, worker_limits
from grader.student.jail import LEVELS, Level, probe, strongest, why_not
from grader.student.jail.probe import DENY
from grader.student.launch import WorkerProcess

LIMITS_SOURCE = """
import resource

def limits():
    names = ("RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CPU", "RLIMIT_CORE")
    return [resource.getrlimit(getattr(resource, name))[0] for name in names]

def hoard(megabytes):
    return len(bytearray(megabytes << 20))
"""


def test_auto_takes_the_strongest() -> None:
    level, lacking = resolve_level("auto")
    assert level == strongest(probe())
    assert len(lacking) == LEVELS.index(level)


def test_what_a_machine_lacks_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DENY, "userns")
    level, lacking = resolve_level("auto")
    assert level != "jail"
    assert lacking[0].startswith("jail: userns: denied by")
    with pytest.raises(UsageError, match=r"jail does not hold here \(userns") as refused:
        resolve_level("jail")
    assert level in refused.value.hint


def test_process_holds_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DENY, "userns,seccomp,bwrap")
    level, lacking = resolve_level("auto")
    assert level == "process"
    assert [line.split(":")[0] for line in lacking] == ["jail", "confined"]


def test_a_weaker_level_can_be_asked_for() -> None:
    assert resolve_level("process")[0] == "process"


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(UsageError, match="no isolation level 'docker'"):
        resolve_level("docker")


def test_limits_of_an_assignment() -> None:
    limits = worker_limits(assignment.Limits(memory_mb=100, files_mb=2, submission_seconds=9.5))
    assert (limits.memory, limits.file_bytes) == (100 << 20, 2 << 20)
    assert limits.cpu_seconds >= 9.5 + 8.0


@pytest.mark.parametrize("forks", [True, False], ids=["forked", "fresh"])
@pytest.mark.parametrize("level", LEVELS)
def test_limits_hold_in_a_worker(
    level: Level, forks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why_not(level, probe()):
        pytest.skip(why_not(level, probe()))
    if not forks:
        if level != "process":
            pytest.skip("only forked workers are shut in")
        monkeypatch.setattr(isolation, "forks", lambda: False)
    limits = assignment.Limits(memory_mb=200, files_mb=2)
    with (
        starter(level, limits, [ROOT / "solutions"], warm=False) as start,
        running(start, LIMITS_SOURCE) as run,
    ):
        assert run.returned("limits") == [64, 2 << 20, worker_limits(limits).cpu_seconds, 0]
        assert run.returned("hoard", 100) == 100 << 20
        assert run.raised("hoard", 300).type == "MemoryError"


def test_a_fresh_process_where_fork_is_unsafe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "forks", lambda: False)
    with starter("process", assignment.Limits()) as start:
        worker = start()
        try:
            assert isinstance(worker, WorkerProcess)
        finally:
            worker.close()


def test_hidden_folders_among_what_is_shown_are_refused() -> None:
    level = strongest(probe())
    if level == "process":
        pytest.skip("nothing is hidden at level process")
    shown = ROOT / "grader" / "student" / "worker"
    with (
        pytest.raises(GraderFailed, match="must stay hidden"),
        starter(level, assignment.Limits(), [shown]),
    ):
        pass


def test_a_command_can_start_workers_before_it_imports_torch() -> None:
    code = "import sys, grader.student.isolation as i; i.resolve_level(); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    modules = done.stdout.split()
    assert "grader.student.zygote" in modules
    assert "torch" not in modules
