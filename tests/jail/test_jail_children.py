"""What a child is and can do once it is shut in: honest work works, limits hold, nothing leaks."""

from __future__ import annotations

import errno
import json
import select
import signal
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jail_cells import Cell, Zygote, as_json

from grader.student.jail import Limits, bubblewrap, paths, plan, why_not
from grader.student.jail.probe import Probe

DAC_READ_SEARCH = 1 << 2


def returned(answer: dict[str, Any]) -> Any:
    assert answer["exit"] == 0, answer
    assert "returned" in answer, answer
    return answer["returned"]


def test_torch_works(cell: Cell) -> None:
    assert returned(cell.run("torch_work")) > 0


def test_threads_work(cell: Cell) -> None:
    assert returned(cell.run("threads")) == 8


def test_a_module_can_still_be_imported(cell: Cell) -> None:
    answer = cell.run("late_import")
    if cell.opens_files:
        assert returned(answer) == "wave"
    else:  # no file opens at all, which is the price of a kernel without Landlock
        assert answer["raised"] in ("PermissionError", "ModuleNotFoundError")


def test_layers_are_named(cell: Cell) -> None:
    layers = set(cell.run("nothing")["layers"])
    expected = {"session", "limits", "descriptors", "no_new_privs", "capabilities", "seccomp"}
    if cell.plan.landlock:
        expected.add("landlock")
    if cell.plan.uid_count:
        expected.add("uid")
    if cell.level == "jail":
        expected |= {"pid", "mount"}
    assert expected <= layers


def test_who_a_child_is(cell: Cell) -> None:
    first, second = (returned(cell.run("facts")) for _ in range(2))
    kept = DAC_READ_SEARCH if cell.plan.keep_capabilities else 0
    assert first["effective"] == first["permitted"] == kept
    assert first["inheritable"] == 0
    if cell.probe.root:
        assert first["bounding"] == []
    assert first["dumpable"] == 0
    assert first["session"]
    assert len(first["fds"]) == 4, "three /dev/null and the wire"
    assert first["core"] == [0, 0]
    assert first["open_files"] == [64, 64]
    if cell.plan.uid_count:
        assert len({*first["uids"], *first["gids"]}) == 1
        assert first["uids"][0] >= 1
        assert first["groups"] == []
        assert first["uids"] != second["uids"], "each child has a user id of its own"
    if cell.level == "jail":
        assert first["pid"] == 1
        assert (first["cwd"], first["writable"]) == (bubblewrap.SCRATCH, True)


def test_a_right_past_file_modes_only_where_python_is_out_of_reach(cell: Cell) -> None:
    if cell.plan.keep_capabilities:
        assert cell.plan.landlock
        assert not cell.probe.users_reach_python
        assert cell.level == "confined"


def test_scratch(cell: Cell) -> None:
    answer = cell.run("write_scratch")
    if cell.level == "jail":
        assert returned(answer) == "mine"
        assert returned(cell.run("leftovers")) == [], "nothing of it is left for the next child"
        assert returned(cell.run("fill_scratch")) == "ENOSPC"
        assert returned(cell.run("big_file")) == "EFBIG"
    else:
        assert answer["errno"] in (errno.EACCES, errno.EPERM)


def test_output_can_be_thrown_away(cell: Cell) -> None:
    answer = cell.run("throw_away")
    if cell.opens_files:
        assert returned(answer) == 1


def test_memory_and_descriptors_are_limited(cell: Cell) -> None:
    assert returned(cell.run("hoard_memory")) == "MemoryError"
    assert returned(cell.run("hoard_descriptors")) < 64


def test_processor_time_is_limited(cell: Cell) -> None:
    answer = cell.run("burn", cpu_seconds=1)
    assert not answer["killed"]
    assert answer["exit"] == -signal.SIGKILL


def test_abort_ends_the_child_only(cell: Cell) -> None:
    assert cell.run("abort")["exit"] in (-signal.SIGABRT, -signal.SIGSEGV)
    assert cell.run("nothing")["exit"] == 0


def test_a_child_deaf_to_signals_is_killed(cell: Cell) -> None:
    answer = cell.zygote.run(cell.plan, "hang", seconds=0.5)
    assert answer["killed"]
    assert answer["exit"] == -signal.SIGKILL


def test_nothing_is_left_behind(cell: Cell) -> None:
    cell.run("nothing")
    before = cell.zygote.ask(do="state")
    for _ in range(25):
        cell.run("nothing")
        cell.run("fork")
    after = cell.zygote.ask(do="state")
    assert after == before
    assert after["left"] is None
    assert after["processes"] == 0


@pytest.mark.soak
def test_thousands_of_children_leave_nothing(cell: Cell) -> None:
    cell.run("nothing")
    before = cell.zygote.ask(do="state")
    for _ in range(5000):
        assert cell.run("nothing")["exit"] == 0
    assert cell.zygote.ask(do="state") == before


@pytest.mark.parametrize(
    "broken",
    [{"seccomp": bytes(8)}, {"uid_first": 2**32 - 1, "uid_count": 1, "drop_capabilities": True}],
    ids=["seccomp", "uid"],
)
def test_no_student_code_without_every_layer(cell: Cell, broken: dict[str, Any]) -> None:
    if "uid_first" in broken and not cell.probe.root:
        pytest.skip("only root changes user ids")
    answer = cell.zygote.run(msgspec.structs.replace(cell.plan, **broken), "nothing")
    assert answer["exit"] == 71
    assert "layers" not in answer


@pytest.mark.parametrize("level", ["jail", "confined", "process"])
def test_children_end_with_the_zygote(level: Any, real_probe: Probe) -> None:
    missing = why_not(level, real_probe)
    if missing:
        pytest.skip(missing)
    code = """if True:
        import json, sys, time
        sys.path.insert(0, sys.argv[1])
        import confine
        plan = json.loads(sys.argv[2])
        plan["seccomp"] = bytes.fromhex(plan["seccomp"])
        confine.prepare()
        def child(layers):
            import os
            os.write(1, b"ready")
            time.sleep(600)
        confine.spawn(plan, child, {1})
        time.sleep(600)
    """
    prefix = bubblewrap.prefix(real_probe.jail_users) if level == "jail" else []
    message = json.dumps(as_json(plan(level, Limits(), real_probe)))
    zygote = subprocess.Popen(
        [*prefix, sys.executable, "-I", "-c", code, paths.WORKER, message], stdout=subprocess.PIPE
    )
    assert zygote.stdout is not None
    assert zygote.stdout.read(5) == b"ready"
    zygote.kill()
    # the pipe's other end is held by the child alone, so its end is the child's end
    assert select.select([zygote.stdout], [], [], 5.0)[0]
    assert zygote.stdout.read() == b""
    zygote.wait()


def test_process_level_limits(zygote_outside: Zygote, real_probe: Probe) -> None:
    process = plan("process", Limits(), real_probe)
    answer = zygote_outside.run(process, "facts")
    assert {"session", "limits", "descriptors", "no_new_privs"} <= set(answer["layers"])
    assert len(returned(answer)["fds"]) == 4
    assert returned(zygote_outside.run(process, "hoard_memory")) == "MemoryError"
    assert returned(zygote_outside.run(process, "torch_work")) > 0


def test_a_shut_in_fork_costs_little_more_than_a_bare_one(cell: Cell) -> None:
    times = cell.zygote.ask(do="pairs", plan=as_json(cell.plan), count=50)
    ratio = statistics.median(times["shut"]) / statistics.median(times["bare"])
    assert ratio <= 2.5, ratio


def test_the_zygote_sees_only_what_it_needs(zygote_inside: Zygote, real_probe: Probe) -> None:
    """In a jail the warm process itself has no home, no secrets and no other processes."""
    unconfined = plan("process", Limits(), real_probe)
    for path in ("/etc/shadow", "/etc/passwd", str(Path.home() / ".bashrc")):
        answer = zygote_inside.run(unconfined, "read_planted", path)
        assert answer.get("errno") == errno.ENOENT, (path, answer)
    answer = zygote_inside.run(unconfined, "root_listing")
    assert set(returned(answer)).isdisjoint({"home", "boot", "sys", "var", "opt", "srv"})
    assert zygote_inside.run(unconfined, "write_planted", "/usr/lib/x")["errno"] == errno.EROFS
