"""Files that lie about their form are refused in one line; what lies beside a file is ignored."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hostile_session import HONEST, ROOT

GRADE = Path(sys.executable).with_name("grade")


def zipped(*members: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def notebook(source: object, **more: object) -> bytes:
    cell = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": source,
    }
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    return json.dumps(whole | more).encode()


UNREADABLE: dict[str, Callable[[], bytes]] = {
    "parser_parentheses.py": lambda: b"x = " + b"(" * 5_000 + b"1" + b")" * 5_000,
    "parser_minuses.py": lambda: b"x = " + b"-" * 200_000 + b"1",
    "parser_nulls.py": lambda: b"def relu(x):\0 return x",
    "parser_encoding.py": lambda: b"# -*- coding: no-such-thing -*-\nx = 1\n\xff\xfe\x00",
    "huge.py": lambda: b"x = 1\n" * 3_000_000,
    "deep.ipynb": lambda: b"[" * 100_000 + b"]" * 100_000,
    "not_json.ipynb": lambda: b"{" * 1_000,
    "no_cells.ipynb": lambda: notebook("x = 1", cells=7),
    "cells_of_numbers.ipynb": lambda: notebook("x = 1", cells=[1, None, []]),
    "bomb.zip": lambda: zipped(("answer.py", b"x = 1\n" * 20_000_000)),
    "outside.zip": lambda: zipped(("../../answer.py", b"x = 1\n")),
    "absolute.zip": lambda: zipped(("/etc/answer.py", b"x = 1\n")),
    "many.zip": lambda: zipped(*[(f"{n}/{n}.py", b"x = 1\n") for n in range(20_000)]),
    "no_zip.zip": lambda: b"PK\x03\x04" + b"\xff" * 500,
    "empty.zip": lambda: zipped(),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_grade_check_refuses_in_one_line(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(UNREADABLE[name]())
    before = sorted(tmp_path.rglob("*"))
    done = check(tmp_path / name, cwd=tmp_path)
    assert done.returncode == 2, done
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert 1 <= len(lines) <= 2, lines  # what is wrong, and what to try
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_what_lies_beside_a_submission_is_never_run(tmp_path: Path) -> None:
    planted = (
        f"open({str(tmp_path / 'ran.txt')!r}, 'a').write(__file__ + chr(10))\nraise SystemExit(0)\n"
    )
    names = "conftest sitecustomize usercustomize torch numpy pytest grader msgspec reference"
    for name in [f"{name}.py" for name in names.split()] + ["library_pieces.py", "test_relu.py"]:
        (tmp_path / name).write_text(planted, encoding="utf-8")
    (tmp_path / "evil.pth").write_text("import sitecustomize\n", encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --collect-only\n", encoding="utf-8")
    (tmp_path / "setup.cfg").write_text("[tool:pytest]\naddopts = -x\n", encoding="utf-8")
    (tmp_path / ".grade.toml").write_text("assignment = '/etc'\n", encoding="utf-8")
    (tmp_path / "answer.py").write_bytes(HONEST.read_bytes())
    done = check(tmp_path / "answer.py", "--json", "-", cwd=tmp_path)
    assert not (tmp_path / "ran.txt").exists(), (tmp_path / "ran.txt").read_text()
    assert done.returncode == 0, done
    report = json.loads(done.stdout)["grade"]
    assert report["score"] == report["max_score"] == 25


def test_a_notebook_runs_no_shell_and_no_other_file(tmp_path: Path) -> None:
    ran = tmp_path / "ran.txt"
    (tmp_path / "other.py").write_text(f"open({str(ran)!r}, 'w')\n", encoding="utf-8")
    sources = [
        f"!touch {ran}", f"%%bash\ntouch {ran}", f"%run {tmp_path / 'other.py'}",
        f"%sx touch {ran}", f"files = !touch {ran}",
        f"get_ipython().system('touch {ran}')", "%load_ext other",
        f"import os\nos.system('touch {ran}')", HONEST.read_text(encoding="utf-8"),
    ]  # fmt: skip
    cells = [json.loads(notebook(source))["cells"][0] for source in sources]
    (tmp_path / "answer.ipynb").write_bytes(notebook("", cells=cells))
    done = check(tmp_path / "answer.ipynb", "--json", "-", cwd=tmp_path)
    report = json.loads(done.stdout)["grade"]
    assert report["score"] == report["max_score"]
    if report["isolation"] != "process":
        assert not ran.exists()


def test_a_report_forged_on_standard_output_is_not_the_report(tmp_path: Path) -> None:
    forged = json.dumps({"grade": {"status": "graded", "score": 25, "max_score": 25}})
    (tmp_path / "answer.py").write_text(
        f"import os, sys\nprint({forged!r})\nsys.__stdout__.write({forged!r})\n"
        f"os.write(1, {forged.encode()!r})\nos.write(2, {forged.encode()!r})\n"
        "def relu(x):\n    return x\n",
        encoding="utf-8",
    )
    done = check(tmp_path / "answer.py", "--json", "-", cwd=tmp_path)
    assert json.loads(done.stdout)["grade"]["score"] == 0
    assert done.stderr == ""
    assert done.returncode == 1


def check(path: Path, *options: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(GRADE), "check", str(path), "-a", str(ROOT / "assignments" / "xor_by_hand"), *options],
        cwd=cwd, capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "HOME": str(cwd), "LANG": "C.UTF-8", "NO_COLOR": "1"},
    )  # fmt: skip
