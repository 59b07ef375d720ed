"""Source made to break a parser: no crash, no hang, no warning, one line of refusal."""

import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from grader.errors import UnreadableSubmission
from grader.submission import read_submission
from grader.submission.parsing import NotPython, parse

MIB = 1 << 20

BOMBS = {
    "parentheses": "(" * 10_000,
    "brackets": "[" * 90 + "]" * 90,
    "minus": "-" * 200_000 + "1",
    "not": "not " * 100_000 + "1",
    "attributes": "x = " + "a." * 100_000 + "a",
    "calls": "a" + "()" * 100_000,
    "powers": "2" + "**2" * 100_000,
    "sum": "1" + "+1" * 100_000,
    "lambdas": "lambda:" * 50_000 + "1",
    "ternaries": "1 if 1 else " * 50_000 + "1",
    "elifs": "if 1: pass\n" + "elif 1: pass\n" * 20_000,
    "blocks": "".join(" " * depth + "if 1:\n" for depth in range(150)) + " " * 150 + "pass",
    "long integer": "x = " + "1" * 1_000_000,
    "long hexadecimal": "x = 0x" + "f" * 1_000_000,
    "large power": "x = 9**9**9**9",
    "large repeat": "x = 'a' * 10**12",
    "nested f-strings": "x = f\"{f'{1}'}\"\n" * 100,
    "f-string depth": "x = f'{" + "(" * 150 + "1" + ")" * 150 + "}'",
    "f-string fields": "x = f'" + "{a}" * (MIB // 3 - 10) + "'",
    "f-string formats": "x = f'{a:" + "{b}" * (MIB // 3 - 10) + "}'",
    "f-string lines": "x = f'''" + "\n" * (MIB // 2) + "{a}" * (MIB // 6 - 10) + "'''",
    "statements": "a\n" * (MIB // 2),
    "decorators": "@a\n" * (MIB // 4) + "def f(): pass",
    "targets": "a=" * (MIB // 2 - 2) + "1",
    "patterns": "match x:\n case " + "[" * 150 + "]" * 150 + ": pass",
    "comprehensions": "[" * 60 + "1" + " for x in y]" * 60,
    "backslashes": "\\\n" * (MIB // 2),
    "quotes": "'" * MIB,
    "triple quotes": "'''" * (MIB // 3),
    "open strings": "\\'''" * (MIB // 4),
    "stars": "*" * 100_000,
}


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize("suffix", [".py", ".ipynb"])
def test_a_bomb_ends_in_time_and_in_words(tmp_path, name, suffix):
    path = tmp_path / f"a{suffix}"
    source = BOMBS[name]
    if suffix == ".ipynb":
        cell = {"cell_type": "code", "source": source}
        source = json.dumps({"nbformat": 4, "metadata": {}, "cells": [cell]})
    path.write_text(source, encoding="utf-8")
    start = time.perf_counter()
    try:
        read = read_submission(path)
    except UnreadableSubmission as error:
        assert "\n" not in str(error)
        assert len(str(error)) < 500
    else:
        assert read.cells
    assert time.perf_counter() - start < 8


def test_the_worst_bombs_do_not_take_the_process_with_them(tmp_path):
    """In a process of its own: a crash of the parser would otherwise end the tests."""
    for number, source in enumerate(BOMBS.values()):
        (tmp_path / f"{number}.py").write_text(source, encoding="utf-8")
    script = (
        "import sys, pathlib\n"
        "from grader.submission import read_submission\n"
        "from grader.errors import UnreadableSubmission\n"
        "for path in sorted(pathlib.Path(sys.argv[1]).glob('*.py')):\n"
        "    try:\n"
        "        read_submission(path)\n"
        "    except UnreadableSubmission:\n"
        "        pass\n"
        "print('alive')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "alive\n", "")


@pytest.mark.parametrize(
    "name",
    ["parentheses", "minus", "sum", "attributes", "f-string fields", "statements", "targets"],
)
def test_these_are_refused_and_not_merely_survived(name):
    with pytest.raises(NotPython):
        parse(BOMBS[name])


def test_honest_long_source_is_read():
    chain = "x = " + " + ".join(["1"] * 200)
    cases = "if x == 0:\n    pass\n" + "".join(f"elif x == {n}:\n    pass\n" for n in range(1, 90))
    table = "table = [" + ", ".join(str(n / 7) for n in range(20_000)) + "]"
    formats = "print(f'{x} {x:.3f} {x!r}')\n" * 2000
    for source in (chain, cases, table, formats):
        parse(source)


def test_warnings_are_silent_even_where_they_are_errors(tmp_path, capfd):
    path = tmp_path / "a.py"
    path.write_text("x = '\\d'\nassert (1, 'always')\nx is 5\n", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_submission(path).notes == ()
    assert capfd.readouterr() == ("", "")
