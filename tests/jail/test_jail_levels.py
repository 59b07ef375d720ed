"""Which level holds, and what is said where one does not."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from grader.errors import GraderFailed
from grader.student.jail import LEVELS, Limits, bubblewrap, paths, plan, probe, strongest, why_not
from grader.student.jail.probe import DENY, LAYERS, Probe

ALL_HOLD = Probe(dict.fromkeys(LAYERS, ""), True, (40_000, 20_000), (40_000, 20_000), True)


def without(*layers: str, **changes: object) -> Probe:
    reasons = {name: "not here" if name in layers else "" for name in LAYERS}
    return msgspec.structs.replace(ALL_HOLD, layers=reasons, **changes)


def test_levels_from_strong_to_weak() -> None:
    assert LEVELS == ("jail", "confined", "process")
    assert strongest(ALL_HOLD) == "jail"
    for layer in ("bwrap", "userns", "pid", "mount"):
        assert strongest(without(layer)) == "confined"
        assert why_not("jail", without(layer)) == f"{layer}: not here"
    assert strongest(without("landlock")) == "jail"
    assert strongest(without("seccomp")) == "process"
    assert strongest(without("bwrap", "uid")) == "process"
    assert strongest(without("bwrap", "uid", root=False)) == "confined"
    assert strongest(without(*LAYERS)) == "process"


def test_a_plan_for_a_level_that_does_not_hold_is_refused() -> None:
    with pytest.raises(GraderFailed, match="seccomp: not here"):
        plan("confined", Limits(), without("seccomp"))


def test_a_plan_is_plain_data() -> None:
    for level in LEVELS:
        made = plan(level, Limits(), ALL_HOLD)
        packed = msgspec.msgpack.encode(made.as_message())
        assert msgspec.msgpack.decode(packed, type=type(made)) == made


def test_without_landlock_no_file_is_opened() -> None:
    with_it = plan("confined", Limits(), without("bwrap"))
    no_landlock = plan("confined", Limits(), without("bwrap", "landlock"))
    assert with_it.landlock
    assert not no_landlock.landlock
    assert len(no_landlock.seccomp) < len(with_it.seccomp)


def test_the_right_past_file_modes_needs_landlock() -> None:
    hidden_python = {"users_reach_python": False}
    assert plan("confined", Limits(), without("bwrap", **hidden_python)).keep_capabilities == (2,)
    for probed in (
        without("bwrap"),
        without("bwrap", "landlock", **hidden_python),
        without("bwrap", "uid", root=False, users=None, **hidden_python),
    ):
        assert plan("confined", Limits(), probed).keep_capabilities == ()
    assert plan("jail", Limits(), without(**hidden_python)).keep_capabilities == ()


def test_limits_reach_the_plan() -> None:
    limits = Limits(memory=1, cpu_seconds=2, file_bytes=3, open_files=4, threads=5)
    expected = {"memory": 1, "cpu": 2, "file": 3, "open_files": 4}
    assert plan("process", limits, ALL_HOLD).limits == expected
    jail = plan("jail", limits, ALL_HOLD)
    assert jail.limits == {**expected, "processes": 5}
    assert jail.scratch_bytes == 3


def test_solutions_inside_what_is_shown_are_refused(tmp_path: Path) -> None:
    plan("jail", Limits(), ALL_HOLD, hidden=[tmp_path])
    inside = Path(paths.readable()[-1]) / "solutions"
    with pytest.raises(GraderFailed, match="must stay hidden"):
        plan("jail", Limits(), ALL_HOLD, hidden=[inside])
    assert plan("process", Limits(), ALL_HOLD, hidden=[inside]).level == "process"


def test_what_is_shown_is_libraries_and_no_home() -> None:
    shown = paths.readable()
    assert paths.WORKER in shown
    for path in shown:
        assert Path(path).is_absolute()
        assert path not in ("/", "/usr", "/etc", "/home", str(Path.home()), sys.prefix)
        assert not Path(__file__).is_relative_to(path)


@pytest.mark.skipif(bool(why_not("jail", probe())), reason="a jail does not hold here")
def test_a_jail_shows_what_lies_in_the_temporary_folder_too(tmp_path: Path) -> None:
    """Python or torch may be installed there; the jail's own scratch must not cover it."""
    (tmp_path / "module.py").write_text("print('found')")
    command = bubblewrap.prefix(probe().jail_users, [str(tmp_path)])
    found = subprocess.run(
        [*command, sys.executable, "-I", str(tmp_path / "module.py")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "found\n"


def test_layers_can_be_denied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DENY, "bwrap, landlock")
    denied = probe()
    assert "denied" in denied.layers["bwrap"]
    assert "denied" in denied.layers["landlock"]
    assert strongest(denied) != "jail"
    monkeypatch.setenv(DENY, "seccomp")
    assert strongest(probe()) == "process"


def test_a_missing_bubblewrap_is_said(tmp_path: Path) -> None:
    code = "from grader.student.jail import probe, strongest; p = probe(); print(p.layers['bwrap'])"
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": str(tmp_path)},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "bwrap is not installed\n"


def test_the_probe_is_quick_cached_and_without_torch() -> None:
    code = """
import sys, time
from grader.student.jail import probe
start = time.perf_counter()
first = probe()
print(time.perf_counter() - start, "torch" in sys.modules, probe() is first)
"""
    times = []
    for _ in range(3):
        printed = subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        assert printed[1:] == ["False", "True"]
        times.append(float(printed[0]))
        time.sleep(0.1)
    assert min(times) < 0.3, times
