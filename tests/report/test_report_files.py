"""A reader finds the old file or the new one, and never a half."""

from __future__ import annotations

import os
import stat

import pytest

from grader.errors import UsageError
from grader.report.files import write_atomically


def test_writes_and_replaces(tmp_path):
    place = tmp_path / "report.json"
    write_atomically(place, b"one")
    write_atomically(place, b"two")
    assert place.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["report.json"]


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_interrupt_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step, error):
    place = tmp_path / "report.json"
    place.write_bytes(b"old")

    def interrupted(*_):
        raise error

    monkeypatch.setattr(os, step, interrupted)
    with pytest.raises(UsageError if error is OSError else error):
        write_atomically(place, b"new" * 1000)
    monkeypatch.undo()
    assert place.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["report.json"]


def test_rights_are_those_of_an_ordinary_new_file_or_of_the_old_one(tmp_path):
    place = tmp_path / "report.json"
    before = os.umask(0o027)
    try:
        write_atomically(place, b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(place.stat().st_mode) == 0o640
    place.chmod(0o600)
    write_atomically(place, b"newer")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path):
    target = tmp_path / "real.json"
    target.write_bytes(b"old")
    link = tmp_path / "link.json"
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_device_is_written_to_and_not_replaced():
    write_atomically(os.devnull, b"gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"there is no folder .*missing"):
        write_atomically(tmp_path / "missing" / "report.json", b"x")
    with pytest.raises(UsageError, match="is a folder"):
        write_atomically(tmp_path, b"x")


def test_a_folder_that_cannot_be_written_to(tmp_path, monkeypatch):
    # Simulated: for root no folder is closed.
    def denied(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", denied)
    with pytest.raises(UsageError, match=r"cannot write .*: Permission denied"):
        write_atomically(tmp_path / "report.json", b"x")


def test_a_parent_that_is_a_file(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UsageError, match="there is no folder"):
        write_atomically(tmp_path / "file" / "report.json", b"x")
