"""Bundles unpacked as their hosts unpack them, and run with the host's own script."""

from __future__ import annotations

import ast
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NAME = "xor_by_hand"
ASSIGNMENT = ROOT / "assignments" / NAME
STAFF = ROOT / "solutions" / NAME
WRONG = STAFF / "wrong" / "two_leaky_and_no_reset.py"
CONTAINER = "userns"  # what a container of the hosts' does not have
UNREADABLE = "def relu(x:\n    return x\n"

HOSTILE = """
import os

LOOT = []
for place in {places!r}:
    try:
        LOOT.append(open(place).read() if os.path.isfile(place) else os.listdir(place))
    except BaseException as error:
        LOOT.append("refused: " + type(error).__name__)
for place in {targets!r}:
    try:
        with open(place, "w") as file:
            file.write('{{"score": 25.0, "fractionalScore": 1.0}}')
    except BaseException:
        pass


def relu(x):
    raise ValueError("LOOT " + repr(LOOT))


def logistic(x):
    os._exit(0)


def sgd(params, lr=0.1):
    os.kill(os.getppid(), 9)
"""


@dataclass(frozen=True)
class Ran:
    """A host's script that ended: its status, its words, and the JSON where it should lie."""

    status: int
    out: str
    err: str
    result: dict[str, Any] | None
    root: Path


def released(host: str, to: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """The real command."""
    command = [sys.executable, "-m", "grader", "release", NAME, "--for", host, "-o", str(to), *more]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, env=clean_environment()
    )


def clean_environment(**more: str) -> dict[str, str]:
    kept = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LANG": "C.UTF-8"}
    return {**kept, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **more}


def unpack(data: bytes, folder: Path, under: str = "") -> None:
    """What lies below `under` in the zip, with the rights that the zip says."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            if not entry.filename.startswith(under):
                continue
            place = folder / entry.filename.removeprefix(under)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(archive.read(entry))
            place.chmod(entry.external_attr >> 16 & 0o777)


def run(
    script: list[str], root: Path, result: Path, *, deny: str = CONTAINER, python: str = "",
    cwd: Path | None = None, **more: str,
) -> Ran:  # fmt: skip
    """Run a host's script below `root` with this Python in place of an installed one."""
    given = {"GRADER_ROOT": str(root), "GRADER_PYTHON": python or sys.executable}
    # No path to the checkout: the grader that runs is the bundle's.
    kept = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "GRADER_DENY_LAYERS": deny}
    ended = subprocess.run(
        script, cwd=cwd or root, env={**kept, **given, **more}, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=300,
    )  # fmt: skip
    found = json.loads(result.read_text(encoding="utf-8")) if result.is_file() else None
    return Ran(ended.returncode, ended.stdout, ended.stderr, found, root)


def hostile(places: list[Path], targets: list[Path]) -> str:
    """A submission that steals what it can, overwrites results and kills."""
    return HOSTILE.format(places=list(map(str, places)), targets=list(map(str, targets)))


def function_bodies(file: Path) -> Iterator[tuple[str, str]]:
    """(function, body as it is written there) of every function of a file."""
    source = file.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    lines = source.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            if body:
                text = "\n".join(lines[body[0].lineno - 1 : body[-1].end_lineno])
                yield node.name, text.strip()
