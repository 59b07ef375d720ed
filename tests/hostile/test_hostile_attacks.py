"""Every file of `attacks/`: no point undeserved, nothing touched or left, no neighbour harmed."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_session import (
    ATTACKS,
    HONEST,
    SECRET,
    VARIABLE,
    Attack,
    Canary,
    Seen,
    Sessions,
    descendants,
    read_attack,
)

from grader.report.document import without_times
from grader.student.isolation import resolve_level

FILES = sorted(path for path in ATTACKS.iterdir() if path.suffix == ".py")
ALL = [read_attack(path) for path in FILES]


def judged(attack: Attack, here: Sessions) -> Seen:
    seen = here.of(attack).grade(attack.source, attack.path.name, attack.exercises())
    assert seen.report.status == "graded", seen.report.notes
    return seen


def assert_deserved(attack: Attack, seen: Seen, idle: dict[str, float]) -> None:
    """Full marks where the code is right, elsewhere no more than for functions that do nothing."""
    right = set(attack.words("right"))
    for entry in seen.report.exercises:
        if entry.name in right or "all" in right:
            assert entry.score == entry.max_score, (entry.name, entry.score, entry.findings)
        else:
            allowed = max(idle[entry.name], attack.earns(entry.name))
            assert entry.score <= allowed, (entry.name, entry.score, entry.findings)


def assert_nothing_touched(seen: Seen) -> None:
    assert seen.after == seen.before
    assert seen.callers == []
    assert seen.survivors == {}
    assert SECRET not in seen.document
    assert VARIABLE not in seen.document


def assert_said(attack: Attack, seen: Seen) -> None:
    for line in attack.all("bug"):
        name, _, slug = line.partition(": ")
        entry = next(entry for entry in seen.report.exercises if entry.name == name)
        assert slug in [finding.bug for finding in entry.findings], entry.findings
    for words in attack.all("says"):
        assert words in seen.document
    if attack.all("review"):
        assert seen.report.review, "nothing asks a human to look"


@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.name)
def test_attack(attack: Attack, here: Sessions) -> None:
    if not attacks_at(here.level, attack):
        pytest.skip("not at this level, or in the longer run only")
    run(attack, here)


@pytest.mark.soak
@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.name)
def test_attack_at_every_level(attack: Attack, here: Sessions) -> None:
    """All that do no harm where only a process stands between; the others twice in a row."""
    levels = attack.words("levels")
    if levels and here.level not in levels:
        pytest.skip("it would do harm at this level")
    run(attack, here)
    run(attack, here)


def attacks_at(level: str, attack: Attack) -> bool:
    levels = attack.words("levels")
    # All of them at the strongest level that holds here; at the others those that take no time.
    if level == "process" or level != resolve_level("auto")[0]:
        return "yes" in attack.words("quick") and (not levels or level in levels)
    return not levels or level in levels


def run(attack: Attack, here: Sessions) -> None:
    seen = judged(attack, here)
    assert_deserved(attack, seen, here.idle)
    assert_nothing_touched(seen)
    assert_said(attack, seen)
    assert here.neighbour_is_unharmed()


def test_the_whole_of_an_honest_report_is_the_same_after_all_that(here: Sessions) -> None:
    assert without_times(here.usual.grade(HONEST.read_bytes()).graded.document) == here.honest


def test_the_canary_notices(tmp_path: Path) -> None:
    canary = Canary(tmp_path)
    try:
        before = canary.state()
        assert canary.state() == before
        socket.create_connection(("127.0.0.1", canary.port)).close()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as caller:
            caller.sendto(b"x", canary.abstract)
        canary.secret.write_text("other", encoding="utf-8")
        assert canary.state() != before
    finally:
        canary.close()
    assert sorted(canary.callers) == ["tcp", "unix"]


def test_a_survivor_is_noticed() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert process.pid in descendants(os.getpid())
    finally:
        process.kill()
        process.communicate()
    assert process.pid not in descendants(os.getpid())


def test_there_are_at_least_sixty_attacks() -> None:
    assert len([attack for attack in ALL if "all" not in attack.words("right")]) >= 60
    for attack in ALL:
        assert attack.all("attack"), attack.name
