"""What the pages show is what happens: each is run from top to bottom, and its output compared.

`GOLDEN=write` writes what was printed into the pages, but where they leave lines out (`...`).
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from page_runner import DOCS, ROOT, Block, Runner, agrees, blocks_of, commands_of, rewritten

STAFF = ROOT / "solutions" / "xor_by_hand"

# What a page finds in its folder, and what its machine has.
RUN = {
    "students.md": {"GRADE_SOLUTIONS": os.devnull},  # no solutions
    "classroom.md": {},
    "tutorial.md": {},
    "administrators.md": {},
    "release.md": {},
}

# Everything that is shown and not run, in one place: page, first line, why.
NOT_RUN = [
    ("administrators.md", "apt-get install bubblewrap", "changes the machine"),
    (
        "students.md",
        "pip install torch --index-url https://download.pytorch.org/whl/cpu",
        "downloads torch",
    ),
]
# Pages whose commands need another host; tests of their own try those.
ELSEWHERE = {
    "push.md": "needs a platform: tests/push has one that answers",
    "cluster.md": "needs a cluster: tests/cluster starts one",
}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pages show a POSIX shell")


@pytest.mark.parametrize("name", RUN)
def test_what_a_page_shows_is_what_happens(name: str, tmp_path: Path) -> None:
    page = DOCS / name
    if name == "classroom.md":
        (tmp_path / "handed_in").mkdir()
        for member in ("alder.py", "birch.py", "yew.py"):
            shutil.copy(STAFF / "demo" / member, tmp_path / "handed_in")
    runner = Runner(tmp_path, **RUN[name])
    written: list[tuple[Block, str]] = []
    differences: list[str] = []
    for block in blocks_of(page):
        really = runner.run(block)
        for command, printed in really:
            if not agrees(command.shown, printed):
                said = "\n".join(printed)
                differences.append(f"{name}, line {block.line}: $ {command.text}\n{said}")
        if really:
            written.append((block, rewritten(block, really)))
    assert written, f"{name} runs nothing"
    if os.environ.get("GOLDEN") == "write":
        lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
        for block, text in reversed(written):
            start = block.line - 1
            lines[start : start + block.text.count("\n")] = [text]
        page.write_text("".join(lines), encoding="utf-8")
    else:
        assert not differences, "\n\n".join(differences)


def test_what_is_not_run_is_listed() -> None:
    pages = {page.name: blocks_of(page) for page in DOCS.glob("*.md")}
    shown = {
        name: [block for block in blocks if block.holds_commands or block.language == "console"]
        for name, blocks in pages.items()
    }
    silent = [
        (name, block.text.partition("\n")[0], block.marks.get("not run", "not said"))
        for name, blocks in shown.items()
        if name not in ELSEWHERE
        for block in blocks
        if block.language != "console" or "not run" in block.marks
    ]
    assert sorted(silent) == NOT_RUN
    # Pages with commands are run, or said to need another host.
    assert {name for name, blocks in shown.items() if blocks} <= RUN.keys() | ELSEWHERE.keys()


def test_a_page_that_shows_something_else_is_noticed() -> None:
    assert agrees(["a", "...", "c 1.3 s"], ["a", "b", "b", "c 0.9 s"])
    assert agrees(["a", "...", "c"], ["a", "c", ""])
    assert agrees(["isolation jail"], ["isolation process"])
    assert not agrees(["a", "...", "c"], ["a", "b"])
    assert not agrees(["a"], ["a", "b"])
    assert not agrees(["3 points"], ["2 points"])


def test_commands_and_what_they_print_are_told_apart() -> None:
    block = Block("console", "", "$ one\n1\n\n$ two\n", 1, {})
    found = [(command.text, command.shown) for command in commands_of(block)]
    assert found == [("one", ["1", ""]), ("two", [])]
