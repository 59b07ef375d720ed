"""`grade batch --cluster` on real schedulers and workers: as without one, whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.classroom.class_runs import (
    Done,
    descendants,
    document,
    documents,
    graded_at,
    running,
    table,
    wait_for,
)
from tests.cluster.cluster_runs import (
    OTHER_VERSION,
    Cluster,
    batch,
    course_with_a_bug,
    files_called,
    finished,
    is_grading,
    left_behind,
    mixed_class,
    of_another_version,
)

COUNT = 7


class Runs:
    """The same class graded in several ways; each made once, in the order of the tests."""

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        self.cluster = cluster
        self.assignment = course_with_a_bug(folder / "course")
        self.source = mixed_class(folder / "class", cluster, "steady")
        self.folder = folder

    def start(self, name: str, *more: str) -> subprocess.Popen[bytes]:
        return batch(self.assignment, self.source, self.folder / name, *more)

    def on_cluster(self, name: str) -> subprocess.Popen[bytes]:
        return self.start(name, "--cluster", self.cluster.address)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A worker that may grade, one of another version, one that would do two at a time."""
    folder = tmp_path_factory.mktemp("cluster")
    other = of_another_version(folder / "other version")
    found = Cluster(folder)
    try:
        found.start_scheduler()
        found.start_worker("steady")
        found.start_worker("other", PYTHONPATH=str(other))
        found.start_worker("threaded", threads=2)
        yield found
    finally:
        found.close()


@pytest.fixture(scope="module")
def runs(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(tmp_path_factory.mktemp("runs"), cluster)


@pytest.fixture(scope="module")
def calm(runs: Runs) -> Path:
    """By two children of one command."""
    done = finished(runs.start("calm", "--jobs", "2"))
    assert done.status == 3, done.err  # for the check that breaks
    assert len(documents(runs.folder / "calm")) == COUNT
    return runs.folder / "calm"


class Disturbed:
    """One class in two runs: the first is interrupted, in the second a worker is killed."""

    def __init__(self, runs: Runs) -> None:
        cluster = runs.cluster
        self.out = runs.folder / "disturbed"
        steady = cluster.temporary("steady")
        first = runs.on_cluster("disturbed")
        wait_for(self._graded, "the first result")
        self.hidden = [
            file
            for called in ("reference.py", "test_relu.py")
            for file in files_called(steady, called)
            if "assignments" not in file.parts
        ]
        self.stations = [path for path in left_behind(steady) if "station" in path.name]
        self.modes = {path.stat().st_mode & 0o777 for path in self.stations}
        os.killpg(first.pid, signal.SIGINT)
        cluster.start_worker("victim")
        self.first = finished(first)
        self.kept = self._graded()
        self.left_by_first = left_behind(steady)
        cluster.worker_address("victim")
        second = runs.on_cluster("disturbed")
        victim = cluster.processes["victim"]
        wait_for(lambda: is_grading(victim.pid), "a submission on the worker to be killed")
        self.orphans = set(descendants(victim.pid))
        victim.kill()
        self.second = finished(second)
        self.at = graded_at(self.out)

    def _graded(self) -> dict[str, float]:
        found = graded_at(self.out)
        found.pop("garbled", None)  # its verdict takes no worker
        return found


@pytest.fixture(scope="module")
def disturbed(runs: Runs) -> Disturbed:
    return Disturbed(runs)


@pytest.fixture(scope="module")
def local(runs: Runs) -> Done:
    return finished(runs.start("local", "--cluster", "local:2"))


def test_on_workers_of_its_own_the_documents_are_those_of_jobs(
    runs: Runs, calm: Path, local: Done
) -> None:
    assert local.status == 3, local.err
    assert documents(runs.folder / "local") == documents(calm)
    states = {name: row["status"] for name, row in table(runs.folder / "local").items()}
    assert states.pop("struck") == "grader failed"
    assert states.pop("garbled") == "unreadable"
    assert set(states.values()) == {"graded"}
    assert (runs.folder / "local" / "reports" / "wrong.html").is_file()


def test_an_interrupt_keeps_what_is_done_and_clears_the_workers(disturbed: Disturbed) -> None:
    assert disturbed.first.status == 130, disturbed.first.err
    assert f"of {COUNT} are done and kept" in disturbed.first.err
    assert 0 < len(disturbed.kept) < COUNT
    assert disturbed.left_by_first == []
    unchanged = {name: at for name, at in disturbed.kept.items() if name != "struck"}
    assert unchanged.items() <= disturbed.at.items(), "what was kept is not graded again"


def test_a_worker_that_is_killed_costs_nobody_a_verdict(
    runs: Runs, calm: Path, disturbed: Disturbed
) -> None:
    assert disturbed.second.status == 3, disturbed.second.err
    assert len(table(disturbed.out)) == len(disturbed.at) == COUNT
    assert documents(disturbed.out) == documents(calm)
    wait_for(lambda: not running(disturbed.orphans), "an end of all that it had started", 15)
    wait_for(
        lambda: not left_behind(runs.cluster.temporary("victim")), "an empty temporary folder", 15
    )


def test_workers_of_another_version_or_with_threads_are_refused_in_a_line_each(
    runs: Runs, disturbed: Disturbed
) -> None:
    for done in (disturbed.first, disturbed.second):
        lines = [line for line in done.err.splitlines() if line.startswith("worker ")]
        assert len(lines) == 2, done.err
        [other] = [line for line in lines if runs.cluster.worker_address("other") in line]
        assert f"gets no submissions: it has grader {OTHER_VERSION}" in other
        assert "Install autograd-grader==" in other
        [threaded] = [line for line in lines if runs.cluster.worker_address("threaded") in line]
        assert "--nthreads 1" in threaded


def test_the_model_answer_is_gone_from_a_workers_disk_before_a_submission_arrives(
    disturbed: Disturbed,
) -> None:
    assert len(disturbed.stations) == 1
    assert disturbed.modes == {0o700}
    assert disturbed.hidden == []


def test_a_submission_cannot_reach_the_ports_of_dask(runs: Runs, disturbed: Disturbed) -> None:
    report = document(disturbed.out, "knocking")["grade"]
    assert report["isolation"] in ("jail", "confined")
    [said] = [note["message"] for note in report["notes"] if "scheduler" in note["message"]]
    assert "open" not in said, said
    outside = subprocess.run(
        [sys.executable, runs.source / "knocking.py"], capture_output=True, text=True, timeout=60
    )
    assert "RuntimeError: scheduler open, worker open" in outside.stderr, outside.stderr


def test_where_no_worker_may_grade_it_ends_and_says_why(runs: Runs, disturbed: Disturbed) -> None:
    steady = runs.cluster.processes["steady"]
    steady.terminate()
    steady.wait(20)
    done = finished(runs.on_cluster("nobody"))
    assert done.status == 2
    last = done.err.strip().splitlines()[-1]
    assert last.startswith("grade: no worker may grade, of 2 that are there")
    assert OTHER_VERSION in last
    assert "--nthreads 1" in last
