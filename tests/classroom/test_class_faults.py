"""Processes killed, a full disk, an interrupt: the rest goes on, and the same command finishes."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from class_runs import (
    STAFF,
    Graded,
    batch,
    batch_arguments,
    children_that_grade,
    descendants,
    documents,
    ended,
    graded_at,
    running,
    some_of_each,
    started,
    table,
    wait_for,
    zygotes,
)

COUNT = 6


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """A class that was graded without any trouble."""
    folder = tmp_path_factory.mktemp("calm")
    source = some_of_each(folder / "class", COUNT)
    done = batch(source, folder / "out", "--jobs", "1")
    assert done.status == 0, done.err
    return Graded(source, folder / "out", done)


def assert_as_calm(out: Path, calm: Graded) -> None:
    """Every submission is there once, with the very verdict that it gets undisturbed."""
    assert len(table(out)) == len(graded_at(out)) == len(documents(calm.out))
    assert documents(out) == documents(calm.out)


def test_a_child_that_is_killed_takes_nothing_with_it(calm: Graded, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = started(*batch_arguments(calm.source, out, "--jobs", "1"))
    wait_for(lambda: graded_at(out), "the first result")
    [child] = children_that_grade(process.pid)
    os.kill(child, signal.SIGKILL)
    done = ended(process)
    assert done.status == 0, done.err
    assert_as_calm(out, calm)


def test_a_zygote_that_is_killed_costs_nobody_points(calm: Graded, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = started(*batch_arguments(calm.source, out, "--jobs", "1"))
    wait_for(lambda: graded_at(out), "the first result")
    [zygote] = zygotes(process.pid)
    os.kill(zygote, signal.SIGKILL)
    done = ended(process)
    assert done.status == 0, done.err
    assert_as_calm(out, calm)


def test_an_interrupt_says_what_is_kept_and_leaves_no_process(
    calm: Graded, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    process = started(*batch_arguments(calm.source, out, "--jobs", "2"))
    wait_for(lambda: graded_at(out), "the first result")
    family = set(descendants(process.pid))
    os.killpg(process.pid, signal.SIGINT)
    done = ended(process)
    kept = len(graded_at(out))
    assert done.status == 130
    assert f"stopped: {kept} of {COUNT} are done and kept, {COUNT - kept} are left" in done.err
    assert "Traceback" not in done.err
    wait_for(lambda: not running(family), "an end of all processes", 15)
    before = graded_at(out)
    again = batch(calm.source, out)
    assert again.status == 0, again.err
    assert before.items() <= graded_at(out).items(), "what was kept is not graded again"
    assert_as_calm(out, calm)


@pytest.mark.parametrize("moments", [2, pytest.param(20, marks=pytest.mark.soak)])
def test_killed_at_random_moments_it_ends_as_a_calm_run(
    calm: Graded, tmp_path: Path, moments: int
) -> None:
    out = tmp_path / "out"
    seed = random.randrange(10**6)
    draw = random.Random(seed)
    print("seed", seed)
    for number in range(moments):
        process = started(*batch_arguments(calm.source, out, "--jobs", "2", *fresh(number)))
        if draw.random() < 0.7:  # most of them while results are being made
            had = dict(graded_at(out))
            wait_for(
                lambda had=had, process=process: (
                    graded_at(out) != had or process.poll() is not None
                ),
                "one more result",
            )
            time.sleep(draw.uniform(0, 0.4))
        else:
            time.sleep(draw.uniform(0, 3))
        family = set(descendants(process.pid))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        wait_for(lambda family=family: not running(family), "an end of all processes", 15)
    done = batch(calm.source, out, "--jobs", "2")
    assert done.status == 0, done.err
    assert_as_calm(out, calm)


def fresh(number: int) -> list[str]:
    # Else there is soon nothing left to be killed at.
    return ["--fresh"] if number % 3 == 2 else []


@pytest.mark.skipif(
    shutil.which("unshare") is None
    or subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True
    ).returncode
    != 0,
    reason="no disk can be mounted here",
)
def test_a_full_disk_is_said_and_with_room_the_same_command_finishes(
    calm: Graded, tmp_path: Path
) -> None:
    disk, out = tmp_path / "disk", tmp_path / "out"
    disk.mkdir()
    line = " ".join(f"'{part}'" for part in batch_arguments(calm.source, disk / "out")[1:])
    script = f"""
        mount -t tmpfs -o size=300k none '{disk}'
        "$@" {line} --jobs 1; echo "status $?"
        mount -o remount,size=50m '{disk}'
        "$@" {line}; echo "status $?"
        cp -r '{disk}/out' '{out}'
    """
    process = started("batch", wrapper=["unshare", "-m", "sh", "-c", script, "sh"])
    done = ended(process)
    states = [part for part in done.out.splitlines() if part.startswith("status")]
    assert states == ["status 3", "status 0"], done.err
    assert "database or disk is full" in done.err or "No space left" in done.err
    assert "run the same command again" in done.err
    assert "are done and kept" in done.err
    assert "Traceback" not in done.err
    assert_as_calm(out, calm)


@pytest.mark.soak
def test_one_in_ten_is_hostile_and_each_gets_what_it_gets_alone(tmp_path: Path) -> None:
    """200 submissions, 20 of them attacks: all there, the others as in a class without those."""
    attacks = sorted((STAFF.parents[1] / "tests" / "hostile" / "attacks").glob("*.py"))
    source = some_of_each(tmp_path / "class", 180)
    honest = tmp_path / "honest"
    shutil.copytree(source, honest)
    for number in range(20):
        attack = attacks[number * len(attacks) // 20]
        shutil.copy(attack, source / f"attack{number:02}_{attack.stem}.py")
    done = batch(source, tmp_path / "out")
    assert done.status == 0, done.err
    assert batch(honest, tmp_path / "without").status == 0
    found, without = documents(tmp_path / "out"), documents(tmp_path / "without")
    assert len(found) == 200
    assert {name: report for name, report in found.items() if name in without} == without
    for name in found:
        assert found[name]["grade"]["status"] in ("graded", "unreadable"), name


