"""From `grade start` to full marks, and what `grade` finds in a folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from e2e_commands import ASSIGNMENT, NAME, REFERENCE, Done, grade, points, read

FULL = "25 of 25 points"
NAMES = ["relu", "logistic", "cross_entropy", "forward", "sgd", "init_params", "train"]


def solved(stub: str) -> str:
    """The stub with each function's body from the model answer, as a student fills it in."""
    pieces = REFERENCE.read_text(encoding="utf-8").split("\n\n\n")
    for name in NAMES:
        (piece,) = [p for p in pieces if p.lstrip().startswith(f"def {name}(")]
        body = piece.strip().split("\n", 1)[1]
        before, start, rest = stub.partition(f"def {name}(")
        text, left, after = rest.partition("    raise NotImplementedError\n")
        assert left, name
        stub = before + start + text + body + "\n" + after
    return stub


def solve_notebook(file: Path, names: list[str]) -> None:
    """The same in a notebook's cells."""
    notebook = json.loads(file.read_text(encoding="utf-8"))
    answers = solved((ASSIGNMENT / f"{NAME}.py").read_text(encoding="utf-8")).split("# %%")
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        for name in names:
            if cell["cell_type"] == "code" and f"def {name}(" in source:
                (answer,) = [a for a in answers if f"\ndef {name}(" in a]
                cell["source"] = answer.strip()
    file.write_text(json.dumps(notebook), encoding="utf-8")


def one_exercise(folder: Path, *more: str) -> tuple[Done, dict[str, float], dict[str, object]]:
    """`grade` in `folder`, for relu alone: what is read matters here."""
    done = grade("check", "-e", "relu", "--json", folder.parent / "out.json", *more, cwd=folder)
    document = read(folder.parent / "out.json")
    return done, points(document), document


def test_a_student_goes_from_start_to_full_marks(tmp_path):
    began = grade("start", NAME, cwd=tmp_path)
    assert (began.status, began.err) == (0, "")
    folder = tmp_path / NAME
    assert sorted(p.name for p in folder.iterdir()) == [".grade.toml", "README.md", f"{NAME}.py"]
    steps = began.out.partition("Next:")[2].split("\n")
    assert [line.strip() for line in steps if line.strip()] == [f"cd {NAME}", "grade"]

    first = grade(cwd=folder)
    assert (first.status, first.err) == (1, "")
    assert "0 of 25 points" in first.out
    assert first.out.count("not attempted") >= 7

    work = folder / f"{NAME}.py"
    work.write_text(solved(work.read_text(encoding="utf-8")), encoding="utf-8")
    last = grade(cwd=folder)
    assert (last.status, last.err) == (0, "")
    assert FULL in last.out.splitlines()
    assert sorted(p.name for p in folder.iterdir()) == [".grade.toml", "README.md", f"{NAME}.py"]


def test_a_notebook_is_found_under_another_name_and_in_another_place(tmp_path):
    began = grade("start", NAME, "mine", "--notebook", cwd=tmp_path)
    assert began.status == 0
    assert (tmp_path / "mine" / f"{NAME}.ipynb").is_file()
    elsewhere = tmp_path / "downloads"
    elsewhere.mkdir()
    file = elsewhere / "final (2).ipynb"
    shutil.move(tmp_path / "mine" / f"{NAME}.ipynb", file)
    solve_notebook(file, NAMES)
    for arguments, cwd in [(["check", file], tmp_path), ([], elsewhere)]:
        done = grade(*arguments, cwd=cwd)
        assert (done.status, done.err) == (0, "")
        assert FULL in done.out.splitlines()
        assert "final (2).ipynb" in done.out


def test_a_renamed_module_in_its_folder_is_found(tmp_path):
    grade("start", NAME, "mine", cwd=tmp_path)
    folder = tmp_path / "mine"
    (folder / f"{NAME}.py").rename(folder / "homework.py")
    done, _, _ = one_exercise(folder)
    assert done.status == 1
    assert "homework.py" in done.out.splitlines()[0]


def test_start_overwrites_nothing(tmp_path):
    grade("start", NAME, cwd=tmp_path)
    work = tmp_path / NAME / f"{NAME}.py"
    work.write_text("# my work\n", encoding="utf-8")
    (tmp_path / NAME / "README.md").write_text("my notes\n", encoding="utf-8")
    again = grade("start", NAME, cwd=tmp_path)
    assert (again.status, again.out) == (2, "")
    assert "is there already" in again.err
    assert work.read_text(encoding="utf-8") == "# my work\n"
    other_form = grade("start", NAME, "--notebook", cwd=tmp_path)
    assert other_form.status == 0
    assert (tmp_path / NAME / "README.md").read_text(encoding="utf-8") == "my notes\n"


def test_public_checks_alone_promise_nothing(copy, tmp_path):
    work = copy / f"{NAME}.py"
    work.write_text(solved(work.read_text(encoding="utf-8")), encoding="utf-8")
    bare = grade(cwd=copy)
    assert (bare.status, bare.err) == (0, "")
    assert "public checks: 14 of 25 points; 11 are decided after hand-in" in bare.out
    assert "full marks" not in bare.out
    assert FULL not in bare.out
    grade("check", "-e", "relu", "-e", "train", "--json", tmp_path / "out.json", cwd=copy)
    document = read(tmp_path / "out.json")
    assert document["grade"]["complete"] is False
    assert points(document) == {"relu": 2, "train": 2}
    assert {test["metadata"]["visibility"] for test in document["tests"]} == {"visible"}


@pytest.mark.parametrize("form", [".py", ".ipynb"])
def test_of_two_forms_the_one_that_was_worked_on_is_read(form, copy):
    file = copy / f"{NAME}{form}"
    if form == ".py":
        file.write_text(solved(file.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        solve_notebook(file, ["relu"])
    _, earned, document = one_exercise(copy)
    assert earned == {"relu": 2}
    assert document["grade"]["submission"]["files"][0]["name"] == file.name


def test_of_two_stubs_the_module_is_read(copy):
    _, earned, document = one_exercise(copy)
    assert earned == {"relu": 0}
    assert document["grade"]["submission"]["files"][0]["name"] == f"{NAME}.py"
    assert document["grade"]["exercises"][0]["status"] == "not_attempted"


def test_solutions_elsewhere_are_found_by_option_and_by_variable(copy, tmp_path):
    staff = tmp_path / "staff"
    shutil.copytree(REFERENCE.parent, staff / NAME, ignore=shutil.ignore_patterns("right", "wrong"))
    for more, environment in [
        (("--solutions", str(staff)), {}),
        ((), {"GRADE_SOLUTIONS": str(staff)}),
    ]:
        target = tmp_path / "out.json"
        done = grade("check", REFERENCE, "-a", copy, "-e", "relu", "--json", target, *more,
                     **environment)  # fmt: skip
        assert done.status == 0
        assert points(read(target)) == {"relu": 3}
