"""Runs what a page of the documentation shows, from top to bottom, in one folder.

- A block of `console` is run: lines that begin with `$ ` are commands, the lines below each what it
  prints. A line `...` there stands for any lines. Times and the isolation level may differ.
- A block with `title="PATH"` is a file, which is written.
- An HTML comment before a block says more: `status: 1` is how its last command ends, `function in:
  PATH` puts the block's function in the place of the file's own, `not run: WHY` leaves it alone.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(r"(`{3,})(\w*)(.*)")
_COMMENT = re.compile(r"<!-- ([a-z ]+): (.*?) -->")
_SHELL = re.compile(r"^(\$ |grade |make |pip |python |mkdocs |apt-get )", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, title, text, the line of its text, and the comments before."""

    language: str
    title: str
    text: str
    line: int
    marks: dict[str, str]

    @property
    def holds_commands(self) -> bool:
        return self.language in ("console", "sh", "bash", "", "text") and bool(
            _SHELL.search(self.text)
        )


@dataclass(frozen=True)
class Command:
    """A command of a console block, and the lines it is said to print."""

    text: str
    shown: list[str]


def blocks_of(page: Path) -> list[Block]:
    found: list[Block] = []
    marks: dict[str, str] = {}
    lines = page.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if fence := _FENCE.fullmatch(line):
            end = lines.index(fence[1], at)
            title = re.search(r'title="([^"]+)"', fence[3])
            text = "".join(f"{inner}\n" for inner in lines[at:end])
            found.append(Block(fence[2], title[1] if title else "", text, at + 1, marks))
            marks, at = {}, end + 1
        elif comment := _COMMENT.fullmatch(line):
            marks = {**marks, comment[1]: comment[2]}
        elif line.strip():
            marks = {}
    return found


def commands_of(block: Block) -> list[Command]:
    commands: list[Command] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append(Command(line[2:], []))
        else:
            assert commands, f"line {block.line}: output before a command"
            commands[-1].shown.append(line)
    return commands


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The tests' own, in which `grade` is this checkout's and nothing else of ours is said."""
    bin_ = folder / ".bin"
    bin_.mkdir(exist_ok=True)
    for name, arguments in (("grade", "-P -m grader"), ("python", "-P")):
        script = bin_ / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {arguments} "$@"\n')
        script.chmod(0o755)
    unset = ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR", "PYTHONPATH")
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in unset and not name.startswith(("GRADE_", "PYTEST_", "COV_"))
    }
    paths = {"PATH": f"{bin_}{os.pathsep}{kept['PATH']}", "PYTHONPATH": str(ROOT)}
    return kept | paths | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"} | more


class Runner:
    """Where a page's commands run: in `folder` at first, then wherever a `cd` went."""

    def __init__(self, folder: Path, **more: str) -> None:
        self.folder = folder
        self.at = folder
        self.environment = environment(folder, **more)

    def run(self, block: Block) -> list[tuple[Command, list[str]]]:
        """Do what the block says; the commands with what they really printed."""
        if "not run" in block.marks:
            return []
        if "function in" in block.marks:
            self._replace(self._inside(block.marks["function in"]), block.text)
        elif block.title:
            target = self._inside(block.title)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            commands = commands_of(block)
            last = int(block.marks.get("status", "0"))
            return [
                (command, self._run(command.text, last if command is commands[-1] else 0))
                for command in commands
            ]
        return []

    def _inside(self, path: str) -> Path:
        target = (self.at / path).resolve()
        assert target.is_relative_to(self.folder.resolve()), path
        return target

    def _run(self, command: str, status: int) -> list[str]:
        if command.startswith("cd "):
            self.at = self._inside(command[3:])
            assert self.at.is_dir(), command
            return []
        begun = time.monotonic()
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.at,
            env=self.environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=300,
        )
        print(f"{time.monotonic() - begun:.1f} s: $ {command}")  # shown when the test fails
        assert done.returncode == status, f"$ {command}\n{done.stdout}{done.stderr}"
        # What is said on stderr of a command that works is how far it is.
        said = done.stdout + (done.stderr if status > 1 else "")
        return [line.rstrip() for line in said.splitlines()]

    @staticmethod
    def _replace(file: Path, function: str) -> None:
        """Put the function's body in the place of the file's own, below its docstring."""
        (new,) = ast.parse(function).body
        assert isinstance(new, ast.FunctionDef)
        source = file.read_text(encoding="utf-8")
        (old,) = (
            node
            for node in ast.parse(source).body
            if isinstance(node, ast.FunctionDef) and node.name == new.name
        )
        lines = source.splitlines(keepends=True)
        first = old.body[1 if ast.get_docstring(old) else 0]
        body = function.strip("\n").splitlines(keepends=True)[new.body[0].lineno - 1 :]
        lines[first.lineno - 1 : old.end_lineno] = [*body, "\n"]
        file.write_text("".join(lines), encoding="utf-8")


def agrees(shown: list[str], printed: list[str]) -> bool:
    """Whether the page shows what was printed; blank lines at the ends do not count."""
    pattern = "".join(
        "(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + "\n"
        for line in map(plain, _trimmed(shown))
    )
    return (
        re.fullmatch(pattern, "".join(f"{plain(line)}\n" for line in _trimmed(printed))) is not None
    )


def plain(line: str) -> str:
    """A line without what differs from run to run, from machine to machine, with each new file."""
    line = re.sub(r"\b\d+\.\d+ s\b", "0.0 s", line.rstrip())
    line = re.sub(r"\b\d+ files, \d+\.\d MB", "9 files, 0.1 MB", line)
    return re.sub(r"\b(isolation +)(jail|confined|process)\b", r"\1jail", line)


def _trimmed(lines: list[str]) -> list[str]:
    return "\n".join(lines).strip("\n").splitlines()


def rewritten(block: Block, really: list[tuple[Command, list[str]]]) -> str:
    """The block's text with what was printed, but where the page leaves lines out."""
    text = ""
    for command, printed in really:
        kept = agrees(command.shown, printed) or "..." in command.shown
        lines = command.shown if kept else _trimmed(printed)
        text += "".join(f"{line}\n" for line in [f"$ {command.text}", *lines])
    return text
