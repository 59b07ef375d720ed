"""`grade export` as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lms_class import document
from lms_marks import SHEETS

from grader.classroom.intake.records import Entry
from grader.classroom.store import Store
from grader.cli.export import FORMATS as OFFERED
from grader.people import Person
from grader.report.exporters import FORMATS


def grade(*arguments):
    command = [sys.executable, "-m", "grader", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture
def out(tmp_path):
    folder = tmp_path / "OUT"
    with Store(folder, create=True) as store:
        store.note("assignment", "nets")
        store.note("title", "Nets by hand, part 1")
        entries = [Entry(f"s{n}", tmp_path, (Person(f"{n}", f"Made {n}"),)) for n in (1, 2)]
        store.expect(entries)
        for entry in entries:
            store.save(entry.id, "key", document(entry.id, 4.0))
    return folder


def test_the_command_lists_whom_the_gradebook_does_not_know(out, tmp_path):
    gradebook, file = tmp_path / "gradebook.csv", tmp_path / "canvas.csv"
    gradebook.write_text(SHEETS["canvas"])
    done = grade("export", out, "--to", "canvas", "-o", file, "--gradebook", gradebook)
    assert (done.returncode, done.stdout) == (1, "")
    assert "unmatched: s2 (Made 2): nobody in the gradebook" in done.stderr
    assert file.read_text().splitlines()[1].endswith(",4")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--to", "canvas", "-o", "x.csv"], "--gradebook FILE"),
        (["--to", "moodle", "-o", "x.csv"], "--worksheet FILE"),
        (["--to", "gradescope", "-o", "x.json"], "something.zip"),
        (["--to", "csv", "-o", "x.csv", "--set", "owner"], "--set NAME=VALUE"),
    ],
)
def test_the_command_says_what_it_needs(out, tmp_path, arguments, said):
    done = grade("export", out, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert not Path("x.csv").exists()


def test_one_report_goes_to_standard_output(tmp_path):
    report = tmp_path / "report.json"
    report.write_text(json.dumps(document("one", 4.0)))
    done = grade("export", report, "--to", "gradescope", "-o", "-")
    assert done.returncode == 0
    assert json.loads(done.stdout)["score"] == 4.0
    report.write_text('{"grade": 1}')
    assert grade("export", report, "--to", "csv", "-o", "-").returncode == 2


def test_exports_of_scores_load_no_torch():
    plain = [n for n in FORMATS if n in ("canvas", "csv", "blackboard", "brightspace", "jsonl")]
    code = (
        "import sys; from grader.cli import export; from grader.classroom import marks\n"
        "from grader.report.exporters import format_of\n"
        f"[format_of(name) for name in {plain!r}]\n"
        "print('torch' in sys.modules)\n"
        "import grader.report.student_view; view = 'torch' in sys.modules\n"
        f"[format_of(name) for name in {list(FORMATS)!r}]\n"
        "print(view == ('torch' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["False", "True"], done.stderr


def test_the_commands_formats_are_those_there_are():
    assert list(OFFERED) == list(FORMATS)
