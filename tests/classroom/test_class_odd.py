"""One class with everything odd in it: every submission has its report, or a clear word."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from class_runs import (
    BALLOONS,
    LONG,
    NAME,
    PLAIN,
    Graded,
    batch,
    document,
    documents,
    grade,
    graded_at,
    table,
)

from grader.report.document import without_times

UNREADABLE = {"garbled", "nothing in it", "pipe"}


def test_every_submission_has_its_report_and_its_row(odd: Graded) -> None:
    assert odd.done.status == 0, odd.done.err
    rows, reports = table(odd.out), documents(odd.out)
    assert len(rows) == len(reports) == len(graded_at(odd.out)) == 14
    for name, report in reports.items():
        assert report["grade"]["submission"]["id"] == name
        unreadable = name in UNREADABLE
        assert report["grade"]["status"] == ("unreadable" if unreadable else "graded"), name


def test_long_and_strange_names_stay_recognisable(odd: Graded) -> None:
    ids = set(documents(odd.out))
    assert {"two words", "🎈", "=1+1", "group 7"} <= ids
    assert any(name.startswith("l" * 20) for name in ids), LONG
    assert any(name.startswith("🎈" * 20) for name in ids), BALLOONS
    assert all(len(os.fsencode(f"{name}.json")) <= 255 for name in ids)
    assert sum(name.startswith("line") for name in ids) == 1


def test_two_submissions_with_one_name_are_two(odd: Graded) -> None:
    twins = {name: d for name, d in documents(odd.out).items() if name.startswith("twin")}
    assert len(twins) == 2
    files = {d["grade"]["submission"]["files"][0]["name"] for d in twins.values()}
    assert files == {"twin.py", "twin.ipynb"}


def test_a_cell_of_the_table_is_no_formula(odd: Graded) -> None:
    rows = table(odd.out)
    assert "'=1+1" in rows
    for line in (odd.out / "grades.csv").read_text(encoding="utf-8").splitlines():
        assert not line.startswith(("=", '"=', "+", "-", "@"))


def test_no_verdict_is_an_empty_cell_and_listed_apart(odd: Graded) -> None:
    rows = table(odd.out)
    for name in UNREADABLE:
        assert rows[name]["status"] == "unreadable"
        assert [rows[name][key] for key in ("score", "max_score", "relu", "train")] == [""] * 4
    assert "Unreadable (3): garbled, nothing in it, pipe" in odd.done.out
    assert rows["right"]["score"] == rows["right"]["max_score"] != ""


def test_what_is_no_submission_is_said(odd: Graded) -> None:
    assert "No submission (2): link.py (a link), notes.txt (" in odd.done.out


def test_a_folder_within_a_folder_is_read(odd: Graded) -> None:
    found, same = documents(odd.out)["group 7"], documents(odd.out)["wrong"]
    assert found["grade"]["score"] == same["grade"]["score"] < same["grade"]["max_score"]


def test_only_the_owner_may_look(odd: Graded) -> None:
    assert stat.S_IMODE(odd.out.stat().st_mode) == 0o700


def test_nothing_is_left_half_written(odd: Graded) -> None:
    assert not list(odd.out.rglob(".*"))


def test_no_socket_leaves_the_machine(odd: Graded) -> None:
    assert odd.sockets == ()


def test_one_child_after_the_other_or_two_from_a_zip_or_a_folder(
    odd: Graded, zipped: Graded
) -> None:
    assert zipped.done.status == 0, zipped.done.err
    by_two, by_one = documents(odd.out), documents(zipped.out)
    for name in PLAIN:
        assert by_one[name] == by_two[name], name
    assert set(by_one) == {*PLAIN, "twin", "group 7"}


@pytest.mark.parametrize("name", ["right", "wrong"])
def test_a_report_is_the_one_that_it_gets_alone(odd: Graded, name: str, tmp_path: Path) -> None:
    file = tmp_path / "alone.json"
    level = document(odd.out, name)["grade"]["isolation"]
    done = grade(
        "check", odd.source / f"{name}.py", "-a", NAME, "--json", file, "--isolation", level
    )
    assert done.status == (0 if name == "right" else 1), done.err
    alone = without_times(json.loads(file.read_text()))
    assert alone == documents(odd.out)[name]


def test_running_again_grades_nothing_again(odd: Graded) -> None:
    before, files = graded_at(odd.out), {p: p.stat().st_mtime_ns for p in odd.out.rglob("*.json")}
    again = batch(odd.source, odd.out)
    assert again.status == 0, again.err
    assert graded_at(odd.out) == before
    assert {p: p.stat().st_mtime_ns for p in odd.out.rglob("*.json")} == files
    assert again.out.startswith("\n0 graded in ")
    assert "14 were done before" in again.out


def test_an_empty_folder_is_a_clear_word(tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "a.txt").write_text("")
    done = batch(tmp_path / "class", tmp_path / "out")
    assert done.status == 2
    assert "holds no submission (1 other files)" in done.err
    assert "Traceback" not in done.err


def test_a_file_that_may_not_be_read_is_unreadable_and_no_zero(
    small: Path, tmp_path: Path
) -> None:
    if os.geteuid() == 0:
        pytest.skip("who runs this may read everything; the odd class has a pipe instead")
    (small / "wrong.py").chmod(0)
    assert batch(small, tmp_path / "out").status == 0
    assert table(tmp_path / "out")["wrong"]["score"] == ""
