"""Every way in which editors save is noticed once, at once, and nothing else is."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.watching import saves
from grader.watching.saves import Saves

Act = Callable[[], object]
APART = 0.2  # seconds between two things that are done
SOON = 5.0  # on a machine under load; a message takes some 20 ms


@pytest.fixture(autouse=True)
def messages_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only messages wake it up."""
    monkeypatch.setattr(saves, "TICK_SECONDS", 60.0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    place = tmp_path / "work" / "net.py"
    place.write_text("x = 1\n", encoding="utf-8")
    return place


class Watcher(contextlib.AbstractContextManager["Watcher"]):
    """Saves at `path`, waited for in a thread: when each was seen, and whether a file was there."""

    def __init__(self, path: Path) -> None:
        self._saves = Saves(path)
        self._saves.look()
        self.seen: list[bool] = []
        self._end = threading.Event()
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._folder = path if path.is_dir() else path.parent

    def __enter__(self) -> Watcher:
        self._thread.start()
        assert self._begun.wait(SOON)
        time.sleep(0.05)
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        with contextlib.suppress(OSError):
            (self._folder / "wake.up").touch()

    def _wait(self) -> None:
        for saved in self._saves.wait():
            self._begun.set()
            if saved:
                self._saves.look()
                self.seen.append(self._saves.present)
            if self._end.is_set():
                return

    def after(self, *acts: Act) -> list[bool]:
        """What was seen of these, done one after the other: for each save, if a file was there."""
        already = len(self.seen)
        for act in acts:
            act()
            time.sleep(APART)
        return self.seen[already:]

    def soon_after(self, act: Act) -> bool:
        """The next thing that is seen, as soon as it is: whether a file was there."""
        already = len(self.seen)
        act()
        self.wait_for(already + 1)
        return self.seen[already]

    def wait_for(self, number: int) -> None:
        """Until so many were seen, or too much time is over."""
        end = time.monotonic() + SOON
        while len(self.seen) < number and time.monotonic() < end:
            time.sleep(0.005)


def write(file: Path, text: str) -> Act:
    return lambda: file.write_text(text, encoding="utf-8")


def renamed(file: Path, text: str) -> Act:
    """As many editors save: another file takes the name."""

    def act() -> None:
        other = file.with_name(".net.py.tmp")
        other.write_text(text, encoding="utf-8")
        other.replace(file)

    return act


def moved_away(file: Path, text: str) -> Act:
    """As vim saves: the old one becomes a backup, and for a moment there is none."""

    def act() -> None:
        backup = file.with_name("net.py~")
        file.rename(backup)
        time.sleep(0.03)
        file.write_text("", encoding="utf-8")
        time.sleep(0.03)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o600)
        backup.unlink()

    return act


@pytest.mark.parametrize("way", [write, renamed, moved_away])
@pytest.mark.parametrize("of_folder", [False, True], ids=["file", "folder"])
def test_a_save_is_one_save(way, of_folder, file):
    with Watcher(file.parent if of_folder else file) as watcher:
        assert watcher.soon_after(way(file, "x = 2 + 1\n"))
        watcher.after(way(file, "x = 3 + 1\n"))
        watcher.wait_for(2)
    assert watcher.seen == [True, True]


def test_a_save_of_the_same_length_and_time_is_one(file):
    before = file.stat()

    def same_time() -> None:
        file.write_text("x = 2\n", encoding="utf-8")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    with Watcher(file) as watcher:
        assert watcher.soon_after(same_time)


def test_saving_the_same_again_is_a_save_and_reading_is_none(file):
    with Watcher(file) as watcher:
        assert watcher.after(file.read_bytes, file.with_name("notes.txt").touch) == []
        assert watcher.soon_after(lambda: os.utime(file))


def test_deleted_and_back_again(file):
    with Watcher(file) as watcher:
        assert not watcher.soon_after(file.unlink)
        assert watcher.soon_after(write(file, "x = 3\n"))


def test_the_folder_may_go_and_come_back(file, monkeypatch):
    monkeypatch.setattr(saves, "TICK_SECONDS", 0.1)  # of a new folder nobody is told

    def back() -> None:
        file.parent.mkdir()
        file.write_text("x = 4\n", encoding="utf-8")

    with Watcher(file) as watcher:
        assert not watcher.soon_after(lambda: shutil.rmtree(file.parent))
        assert watcher.soon_after(back)
        assert watcher.soon_after(write(file, "x = 5\n"))


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
def test_what_a_link_leads_to_is_watched(file, tmp_path):
    link = tmp_path / "linked.py"
    link.symlink_to(file)
    with Watcher(link) as watcher:
        assert watcher.soon_after(write(file, "x = 6\n"))


def test_an_empty_folder_gets_its_file(tmp_path):
    with Watcher(tmp_path) as watcher:
        assert watcher.soon_after(write(tmp_path / "net.ipynb", "{}"))


def test_without_messages_it_looks_for_itself(file, monkeypatch):
    def none_left(*folders: object, **options: object) -> Iterator[object]:
        raise OSError("no more watches")
        yield

    monkeypatch.setattr(saves, "watch", none_left)
    with Watcher(file) as watcher:
        assert watcher.soon_after(write(file, "x = 7\n"))
