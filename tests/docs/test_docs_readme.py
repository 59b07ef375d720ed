"""What the README shows: the demo is run and compared; the rest is what the pages show too."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from page_runner import DOCS, ROOT, agrees, blocks_of, commands_of, environment

README = ROOT / "README.md"


def shown_in(page: Path, command: str) -> list[str]:
    """What the page says that the command prints."""
    for block in blocks_of(page):
        if block.text.startswith("$ "):
            for found in commands_of(block):
                if found.text == command:
                    return found.shown
    raise LookupError(f"{page.name} shows no `{command}`")


def test_demo_shows_every_class_and_what_the_readme_says(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    done = subprocess.run(
        ["grade", "demo"], cwd=tmp_path, capture_output=True, text=True, timeout=240,
        env=environment(tmp_path, TMPDIR=str(scratch)),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert list(scratch.iterdir()) == []
    tables, _, full = done.stdout.partition("One report in full")
    classes = sorted((ROOT / "solutions").glob("*/demo"))
    assert {"xor_by_hand", "tensor_gotchas", "xor_with_torch"} <= {c.parent.name for c in classes}
    for folder in classes:
        members = [p for p in folder.iterdir() if p.suffix in (".py", ".ipynb")]
        assert len(members) >= 5
        assert [p.stem for p in members if f"\n{p.stem} " not in tables] == []
        # No one who exists: each file says so.
        assert all("Invented for the demonstration" in p.read_text("utf-8") for p in members)
    assert "\nNext: " in full
    printed = done.stdout.splitlines()
    if os.environ.get("GOLDEN") == "write":
        old = "\n".join(shown_in(README, "make demo"))
        README.write_text(README.read_text("utf-8").replace(old, done.stdout.strip("\n")), "utf-8")
    else:
        assert agrees(shown_in(README, "make demo"), printed), done.stdout


@pytest.mark.parametrize("command", ["grade start xor_by_hand", "grade"])
def test_what_students_see_first_is_what_their_page_shows(command: str) -> None:
    assert agrees(shown_in(README, command), shown_in(DOCS / "students.md", command))


def test_the_example_of_the_first_page_is_one_of_the_demo() -> None:
    (example,) = (block.text for block in blocks_of(DOCS / "index.md"))
    demo = " ".join(" ".join(shown_in(README, "make demo")).split())
    assert " ".join(example.split()) in demo


def test_every_command_of_make_is_known() -> None:
    make = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in [README, ROOT / "CONTRIBUTING.md", *DOCS.glob("*.md")]:
        for target in re.findall(
            r"`make ([a-z]+)`|^\$ make ([a-z]+)", page.read_text("utf-8"), re.M
        ):
            assert re.search(f"^{target[0] or target[1]}:", make, re.M), target


def test_hooks_are_programs_that_are_there_and_need_no_network() -> None:
    settings = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    (repo,) = settings["repos"]
    assert repo["repo"] == "local"
    for hook in repo["hooks"]:
        assert hook["language"] == "system"
        program = hook["entry"].split()[0].rpartition("/")
        assert program[0] == ".venv/bin"
        assert shutil.which(program[2], path=str(Path(sys.executable).parent))
