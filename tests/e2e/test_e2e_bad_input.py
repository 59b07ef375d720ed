"""What cannot be graded: one clear line, status 2, and a report where one was asked for."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from e2e_commands import NAME, REFERENCE, Done, grade, read

from grader.report.schema import SCHEMA_FILE

SCHEMA = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))


def one_line(done: Done, *words: str) -> str:
    """The one line on standard error; nothing is on standard output. It holds `words`."""
    assert done.status == 2, done
    assert done.out == ""
    assert len(done.lines) == 1, done.err
    (line,) = done.lines
    assert line.startswith("grade: ")
    assert [word for word in words if word not in line] == []
    return line


def two_files(folder: Path) -> Path:
    for name in ("mine.py", "other.py"):
        (folder / name).write_text("x = 1\n")
    return folder


def zip_going_out(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "work.zip", "w") as archive:
        archive.writestr("../evil.py", "x = 1\n")
    return folder / "work.zip"


def large(folder: Path) -> Path:
    (folder / "large.py").write_bytes(b"x = 1  # \n" * 5_000_000)
    return folder / "large.py"


def written(name: str, data: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / name).write_bytes(data)
        return folder / name

    return write


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(lambda folder: folder / "gone.py", ("no file", "gone.py"), id="no such file"),
        pytest.param(written("a.py", b"My answer: see page two.\n"), ("a.py, line 1", "Python"),
                     id="prose"),
        pytest.param(written("a.py", b"\x7fELF\x00\x01\x02"), ("a.py", "no text"), id="binary"),
        pytest.param(written("a.py", b""), ("a.py is empty",), id="empty"),
        pytest.param(two_files, ("mine.py", "other.py"), id="two candidates"),
        pytest.param(written("a.py", "# \xe9t\xe9\nx = 1\n".encode("latin-1")),
                     ("not UTF-8", "line 1"), id="not UTF-8"),
        pytest.param(written("a.ipynb", b"x = 1\n"), ("a.ipynb", "not JSON"), id="no notebook"),
        pytest.param(zip_going_out, ("../evil.py", "outside"), id="zip with a path outside"),
        pytest.param(large, ("large.py", "too large", "allowed"), id="50 MB"),
        pytest.param(written("a.pdf", b"%PDF"), ("a.pdf", ".ipynb"), id="another kind"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(make, words, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    target = tmp_path / "out.json"
    one_line(grade("check", make(work), "-a", NAME, "--json", target), *words)
    document = read(target)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert document["grade"]["status"] == "unreadable"
    assert document["grade"]["complete"] is False
    assert words[0] in document["grade"]["notes"][0]["message"]


def test_on_a_dash_the_document_is_written_for_what_cannot_be_read(tmp_path):
    (tmp_path / "a.py").write_text("")
    done = grade("check", tmp_path / "a.py", "-a", NAME, "--json", "-")
    assert (done.status, len(done.lines)) == (2, 1)
    assert json.loads(done.out)["grade"]["status"] == "unreadable"


def test_a_file_that_is_not_there_is_named_before_its_assignment(tmp_path):
    one_line(grade("check", "gone.py", cwd=tmp_path), "no file gone.py")


def test_an_assignment_that_is_not_known():
    line = one_line(grade("check", REFERENCE, "-a", "xor_by_hnd"), "xor_by_hnd")
    assert "Did you mean xor_by_hand?" in line
    assert "Did you mean xor_by_hand?" in one_line(grade("start", "xor_by_hnd"))


def test_a_place_that_says_nothing_of_its_assignment(tmp_path):
    line = one_line(grade(cwd=tmp_path), "this folder", "-a NAME", "grade start")
    assert NAME in line


def test_an_exercise_that_is_not_known():
    done = grade("check", REFERENCE, "-a", NAME, "-e", "relo")
    assert "Did you mean relu?" in one_line(done, "relo")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("chekc", ("chekc", "Did you mean check?")),
        ("submit.py", ("submit.py", "grade check submit.py")),
        ("nonsense", ("nonsense", "grade --help")),
    ],
)
def test_a_command_that_is_not_known(name, words, tmp_path):
    (tmp_path / "submit.py").write_text("x = 1\n")
    one_line(grade(name, cwd=tmp_path), *words)


def test_a_report_that_cannot_be_written(tmp_path):
    place = tmp_path / "nowhere" / "out.json"
    line = one_line(grade("check", REFERENCE, "-a", NAME, "--json", place, "-e", "relu"))
    assert "there is no folder" in line
    assert str(place) in line
    assert "is a folder" in one_line(
        grade("check", REFERENCE, "-a", NAME, "--json", tmp_path, "-e", "relu")
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full here")
def test_a_report_for_which_there_is_no_room():
    done = grade("check", REFERENCE, "-a", NAME, "--json", "/dev/full", "-e", "relu")
    one_line(done, "cannot write /dev/full", "No space left")


def test_a_broken_assignment_names_file_key_and_reason(copy):
    toml = copy / "assignment.toml"
    right = toml.read_text(encoding="utf-8")
    for before, after, key, why in [
        ("points = 3", 'points = "three"', "exercise[0].points", "float"),
        ("seed = 20261", "sed = 20261", "top level", "sed"),
        ("format_version = 1", "format_version = 9", "format_version", "9"),
        ("seed = 20261", "seed = ", "", "TOML"),
    ]:
        toml.write_text(right.replace(before, after, 1), encoding="utf-8")
        one_line(grade("check", copy / f"{NAME}.py", "-a", copy), str(toml), key, why)


def test_a_check_that_cannot_be_imported_names_its_file(copy, tmp_path):
    broken = copy / "checks" / "test_relu.py"
    broken.write_text("import torhc\n", encoding="utf-8")
    target = tmp_path / "out.json"
    done = grade("check", REFERENCE, "-a", copy, "--json", target)
    one_line(done, "test_relu.py", "torhc")
    document = read(target)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert document["grade"]["status"] == "grader_failed"


def test_a_check_that_breaks_is_the_graders_fault(copy, tmp_path):
    broken = copy / "checks" / "test_relu.py"
    text = broken.read_text(encoding="utf-8")
    assert "assert_unchanged(record)" in text
    broken.write_text(text.replace("assert_unchanged(record)", "record.no_such_thing"), "utf-8")
    target = tmp_path / "out.json"
    done = grade("check", REFERENCE, "-a", copy, "--json", target)
    assert done.status == 3
    assert "Traceback" not in done.out + done.err
    document = read(target)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert document["grade"]["status"] == "grader_failed"
    assert "no_such_thing" in document["grade"]["notes"][0]["message"]
    assert document["grade"]["score"] == 0
