"""`grade check --html` and `grade batch`: the pages that real runs leave behind."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import grader.report.page
from grader.classroom.batch import render_all
from grader.classroom.store import Store
from grader.errors import GraderFailed
from tests.classroom.class_runs import REFERENCE, WRONG, batch, document, grade, make_class

LEAKY = WRONG / "relu_leaky_maximum.py"
NOTEBOOK = WRONG / "losses_per_epoch_mean.ipynb"
NAMES = ("leaky", "notebook", "right", "torn")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """OUT of a small class whose files are gone by now."""
    folder = tmp_path_factory.mktemp("class")
    source = make_class(folder / "in", leaky=LEAKY, notebook=NOTEBOOK, right=REFERENCE)
    (source / "torn.py").write_text("def relu(x:\n    return x\n")
    done = batch(source, folder / "out", "--quiet")
    assert done.status == 0, done.err
    shutil.rmtree(source)
    return folder / "out"


@pytest.fixture
def out(graded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(graded, tmp_path / "out"))


def page_of(out: Path, name: str) -> str:
    return (out / "reports" / f"{name}.html").read_text(encoding="utf-8")


def changed(out: Path) -> dict[str, int]:
    return {name: (out / "reports" / f"{name}.html").stat().st_mtime_ns for name in NAMES}


def test_everybody_has_a_page(graded: Path, open_page: Any, axe: Any, validate_html: Any) -> None:
    assert {file.stem for file in (graded / "reports").glob("*.html")} == set(NAMES)
    assert not list((graded / "reports").glob(".*"))
    for name in NAMES:
        page = open_page(graded / "reports" / f"{name}.html", width=360)
        assert axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert validate_html(page_of(graded, name)) == []
    leaky = open_page(graded / "reports" / "leaky.html")
    assert leaky.get_by_role("img", name="relu from -3 to 3").is_visible()
    assert "torch.maximum" in leaky.locator("mark.line").first.text_content()
    assert leaky.locator("svg.drawing").count() == 1


def test_only_mistakes_that_show_are_drawn(graded: Path) -> None:
    drawn = {name: page_of(graded, name).count('<svg class="drawing"') for name in NAMES}
    assert drawn == {"leaky": 1, "notebook": 2, "right": 0, "torn": 0}
    assert "could not be read" in page_of(graded, "torn")
    assert "cell 8" in page_of(graded, "notebook")
    assert "page" not in document(graded, "leaky")


def test_nothing_of_hidden_checks_is_on_any_page(graded: Path) -> None:
    for name in NAMES:
        for test in document(graded, name)["tests"]:
            about = test["metadata"]
            if about["visibility"] == "hidden":
                assert test["nodeid"].partition("::")[2] not in page_of(graded, name)
                assert about["title"] not in page_of(graded, name)


def test_pages_are_made_anew_from_the_store_alone(out: Path) -> None:
    before = {name: page_of(out, name) for name in NAMES}
    times = changed(out)
    with Store(out) as store:
        render_all(store)
        assert changed(out) == times
        (out / "reports" / "leaky.html").unlink()
        (out / "reports" / "right.html").write_text("<p>somebody else's</p>")
        render_all(store)
    assert {name: page_of(out, name) for name in NAMES} == before
    assert changed(out)["notebook"] == times["notebook"]


def test_a_decision_changes_one_page(out: Path) -> None:
    times = changed(out)
    with Store(out) as store:
        store.override("leaky", "relu", 2.5, "half right, really", "")
        render_all(store)
    assert "2.5 of 3 points" in page_of(out, "leaky")
    assert "half right, really" in page_of(out, "leaky")
    assert [name for name, at in changed(out).items() if at != times[name]] == ["leaky"]


def test_whoever_is_forgotten_leaves_no_line(out: Path) -> None:
    line = b"torch.maximum(x, 0.1"
    with Store(out) as store:
        assert store.page_parts("leaky")
    assert grade("forget", out, "leaky").status == 0
    with Store(out) as store:
        assert not store.page_parts("leaky")
        assert store.page_parts("right")
    assert not (out / "reports" / "leaky.html").exists()
    assert not any(line in file.read_bytes() for file in out.rglob("*") if file.is_file())


def test_a_page_that_cannot_be_made_stops_nobody_elses(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = grader.report.page.student_page

    def fails(document: Any, *args: Any, **more: Any) -> str:
        if document["grade"]["submission"]["id"] == "leaky":
            raise ZeroDivisionError("oh")
        return original(document, *args, **more)

    monkeypatch.setattr(grader.report.page, "student_page", fails)
    for file in (out / "reports").glob("*.html"):
        file.unlink()
    (out / "grades.csv").unlink()
    with Store(out) as store, pytest.raises(GraderFailed, match=r"leaky \(ZeroDivisionError: oh\)"):
        render_all(store)
    assert {file.stem for file in (out / "reports").glob("*.html")} == set(NAMES) - {"leaky"}
    assert (out / "grades.csv").is_file()
    assert (out / "reports" / "leaky.json").is_file()


def test_check_writes_a_page_with_all_pictures(tmp_path: Path, open_page: Any) -> None:
    file = tmp_path / "report.html"
    done = grade("check", LEAKY, "-a", "xor_by_hand", "--html", file)
    assert done.status == 1, done.err
    assert "relu" in done.out
    page = open_page(file)
    assert page.locator("svg.drawing").count() == 6
    assert page.locator("svg.drawing").first.is_visible()
    assert page.get_by_role("heading", name="of 25 points").is_visible()


def test_check_writes_a_page_where_nothing_can_be_read(tmp_path: Path) -> None:
    torn, file = tmp_path / "torn.py", tmp_path / "report.html"
    torn.write_text("def relu(x:\n")
    assert grade("check", torn, "-a", "xor_by_hand", "--html", file).status == 2
    assert "could not be read" in file.read_text()
