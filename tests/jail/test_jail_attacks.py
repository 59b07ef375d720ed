"""Hostile code in a child of every level that holds here: nothing it tries gets through."""

from __future__ import annotations

import errno
import inspect
import os
from pathlib import Path
from typing import Any

import jail_attacks
import pytest
from jail_cells import Cell

REFUSED = {errno.EPERM, errno.EACCES, errno.ENOENT, errno.ESRCH, errno.ENOSYS, errno.EROFS}

_source = inspect.getsource(jail_attacks).split("# not attacks")[0]
_functions = [
    (name, next(iter(inspect.signature(function).parameters)))
    for name, function in vars(jail_attacks).items()
    if inspect.isfunction(function) and f"\ndef {name}(" in _source and name[0] != "_"
]
ON_PARENT = [name for name, parameter in _functions if parameter == "parent"]
ON_FILES = [name for name, parameter in _functions if parameter == "path" and name != "read"]


def assert_refused(answer: dict[str, Any]) -> None:
    assert answer["exit"] == 0, answer
    assert "returned" not in answer, answer
    lookup_failed = answer["raised"] == "gaierror"
    assert lookup_failed or answer["errno"] in REFUSED, answer


@pytest.mark.parametrize("attack", ON_PARENT)
def test_refused(cell: Cell, attack: str) -> None:
    assert_refused(cell.run(attack))


@pytest.mark.parametrize("attack", ON_FILES)
def test_a_file_outside_is_neither_read_nor_changed(
    cell: Cell, attack: str, tmp_path: Path
) -> None:
    # readable and writable by everybody: file modes alone would let the attack through
    for folder in (tmp_path, *tmp_path.parents[:3]):
        if folder != Path("/tmp") and folder.is_relative_to("/tmp"):
            folder.chmod(0o777)
    planted = tmp_path / "secret.txt"
    planted.write_text("the model answer")
    planted.chmod(0o666)
    before = os.stat(planted)
    assert_refused(cell.run(attack, str(planted)))
    after = os.stat(planted)
    assert planted.read_text() == "the model answer"
    assert os.listdir(tmp_path) == ["secret.txt"]
    assert (before.st_mtime_ns, before.st_mode) == (after.st_mtime_ns, after.st_mode)


def test_the_grader_itself_is_not_readable(cell: Cell) -> None:
    for path in (__file__, inspect.getfile(Cell)) if cell.level != "jail" else ():
        assert_refused(cell.run("read_planted", path))
    import grader.student.jail.levels as trusted

    assert_refused(cell.run("read_planted", trusted.__file__))


def test_the_attacks_work_where_nothing_stops_them(
    zygote_outside: Any, real_probe: Any, tmp_path: Path
) -> None:
    """Else a refusal would prove nothing."""
    from grader.student.jail import Limits, plan

    process = plan("process", Limits(), real_probe)
    planted = tmp_path / "secret.txt"
    planted.write_text("the model answer")
    for attack in ("fork", "udp", "unix_socket", "kill_parent", "memory_file", "spawn"):
        answer = zygote_outside.run(process, attack)
        assert "returned" in answer, (attack, answer)
    for attack in ON_FILES[:3]:
        answer = zygote_outside.run(process, attack, str(planted))
        assert "returned" in answer, (attack, answer)
