"""What a person decides: kept, shown, reversible by sight; and a person erased."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from class_runs import Graded, batch, document, grade, graded_at, table

from grader.classroom.batch import render_all
from grader.classroom.intake import Entry
from grader.classroom.store import Store
from grader.people import Person


def test_a_decision_is_shown_and_kept_when_graded_again(
    odd: Graded, copy: Path
) -> None:
    before = document(copy, "wrong")["grade"]
    sgd = next(entry for entry in before["exercises"] if entry["name"] == "sgd")
    points = sgd["score"] + 1
    done = grade("override", copy, "wrong", "sgd", f"{points:g}", "--why", "shown in the exam")
    assert done.status == 0, done.err
    assert done.out == f"wrong, sgd: {sgd['score']:g} -> {points:g} of 5 points\n"
    for _ in range(2):
        now = document(copy, "wrong")["grade"]
        assert (now["score"], now["final_score"]) == (before["score"], before["score"] + 1)
        [decided] = now["overrides"]
        assert (decided["exercise"], decided["points"]) == ("sgd", points)
        assert decided["why"] == "shown in the exam"
        assert decided["who"]
        assert decided["at"] > 0
        row = table(copy)["wrong"]
        assert float(row["score"]) == before["score"] + 1
        assert (float(row["sgd"]), row["overridden"]) == (points, "yes")
        was = graded_at(copy)["wrong"]
        assert batch(odd.source, copy, "--only", "wrong").status == 0
        assert graded_at(copy)["wrong"] > was
    assert table(copy)["right"]["overridden"] == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("wrongg", "sgd", "1"), "Did you mean wrong?"),
        (("wrong", "sdg", "1"), "Did you mean sgd?"),
        (("wrong", "sgd", "6"), "0 to 5 points, not 6"),
        (("wrong", "sgd", "nan"), "not nan"),
    ],
)
def test_a_decision_that_cannot_be_is_refused(
    copy: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = (copy / "grades.csv").read_bytes()
    done = grade("override", copy, *arguments, "--why", "because")
    assert done.status == 2
    assert said in done.err
    assert (copy / "grades.csv").read_bytes() == before


def test_a_bad_check_is_taken_out_for_everybody(copy: Path) -> None:
    check = "checks/test_relu.py::test_values"
    before, rows = document(copy, "wrong"), table(copy)
    earned = {test["nodeid"]: test["metadata"] for test in before["tests"]}[check]
    done = grade("void", copy, check, "--why", "its tolerance is wrong")
    assert (done.status, done.out) == (0, f"{check} no longer counts, for 11 submissions\n")
    now, after = document(copy, "wrong")["grade"], table(copy)
    assert now["voided"][0]["why"] == "its tolerance is wrong"
    assert now["final_score"] == before["grade"]["score"] - earned["earned"]
    for name in ("wrong", "right", "group 7"):
        assert float(after[name]["max_score"]) == float(rows[name]["max_score"]) - 1
    assert float(after["right"]["score"]) == float(after["right"]["max_score"])
    assert after["garbled"]["score"] == ""

    typo = grade("void", copy, "checks/test_relu.py::test_value", "--why", "x")
    assert (typo.status, f"Did you mean {check}?" in typo.err) == (2, True)


def test_who_moved_through_what_is_said(odd: Graded, copy: Path) -> None:
    same = grade("diff", odd.out, copy)
    assert (same.status, same.out) == (0, "nobody moved, of 14\n")
    source = copy.with_name("class")
    source.mkdir()
    # Now somebody hands in something else, and one more is decided.
    shutil.copy(odd.source / "right.py", source / "wrong.py")
    assert batch(source, copy).status == 0
    assert grade("override", copy, "=1+1", "relu", "1", "--why", "x").status == 0
    lines = grade("diff", odd.out, copy).out.splitlines()
    [moved] = [line for line in lines if line.startswith("wrong: ")]
    was, now = table(odd.out)["wrong"], table(copy)["wrong"]
    gain = float(now["score"]) - float(was["score"])
    assert f"{was['score']} of {was['max_score']} -> {now['score']} of " in moved
    assert f"(+{gain:g})" in moved
    assert "checks/test_relu.py::test_values 0 -> 1" in moved
    [decided] = [line for line in lines if line.startswith("=1+1: ")]
    assert "(-2)" in decided
    assert "relu decided 3 -> 1" in decided
    assert lines[-1] == "2 of 14 moved"


def test_a_person_is_erased_to_the_last_byte(copy: Path) -> None:
    name, student, address = "two words", "Student Forty-Two", "forty-two@example.org"
    with Store(copy) as store:
        path = copy / "somewhere" / f"{name}.py"
        person = Person("forty-two", student, address)
        store.expect([Entry(name, path, (person,), superseded=(f"{name}, first attempt",))])
        render_all(store)
    assert grade("override", copy, name, "relu", "1", "--why", "x").status == 0
    # What a killed command may have left.
    shutil.copy(copy / "reports" / f"{name}.json", copy / "reports" / f".{name}.json.abc123")
    held = [find(copy, word) for word in (name, student, address)]
    assert all(held), held
    done = grade("forget", copy, name)
    assert done.status == 0, done.err
    for word in (name, student, address):
        assert find(copy, word) == []
    assert len(table(copy)) == 13
    assert grade("forget", copy, name).status == 2


def find(out: Path, word: str) -> list[Path]:
    """The files in whose names or bytes a word stands, the database's own included."""
    return [
        path
        for path in out.rglob("*")
        if word in path.name or (path.is_file() and word.encode() in path.read_bytes())
    ]


def test_late_is_a_column_and_no_deduction(copy: Path) -> None:
    before = table(copy)["wrong"]
    with Store(copy) as store:
        store.expect([Entry("wrong", copy / "wrong.py", late=True)])
        store.expect([Entry("not there", copy / "not there.py")])
        render_all(store)
    rows = table(copy)
    assert rows["wrong"] == {**before, "late": "late"}
    assert rows["right"]["late"] == ""
    assert rows["not there"]["status"] == "missing"
    assert [rows["not there"][key] for key in ("score", "max_score", "relu")] == [""] * 3


def test_a_failure_of_the_grader_hides_no_fall(copy: Path) -> None:
    """Graded, then the grader failed, then graded lower: said, against the last real score."""
    with Store(copy) as store:
        result = store.result("right")
        assert result is not None
        score = result.score
        failed, lower = dict(result.document), dict(result.document)
        failed["grade"] = {**failed["grade"], "status": "grader_failed", "score": 0.0}
        lower["grade"] = {**lower["grade"], "score": score - 2}
        store.save("right", "one", failed)
        assert store.fallen() == []
        assert store.done("right") == ""
        store.save("right", "two", lower)
        assert store.fallen() == [("right", score, score - 2)]
        store.save("right", "two", {**lower, "grade": {**lower["grade"], "score": score - 3}})
        assert store.fallen() == [("right", score - 2, score - 3)], "under the same key, too"


def test_a_store_that_is_none_is_a_clear_word(tmp_path: Path) -> None:
    assert "holds no results" in grade("diff", tmp_path, tmp_path).err
    (tmp_path / "results.sqlite").write_bytes(b"no database" * 1000)
    done = grade("forget", tmp_path, "x")
    assert (done.status, "cannot be used" in done.err) == (2, True)
