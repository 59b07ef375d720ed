"""From what the store holds to what the class page is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from invented_class import check_of, graded, invent, report

from grader.classroom.class_page import records_of
from grader.classroom.intake import Entry
from grader.classroom.store import Store
from grader.people import Person
from grader.report.class_page.records import Cell, ClassRecords, Handed, Mistake, Stop
from grader.report.model import ExerciseEntry, FindingEntry, NoteEntry

LEAKY = FindingEntry("relu-leaky", "some of it leaks", "Your line.")
LATE = FindingEntry(None, "it did not finish in time", "Too long.", {"stopped": "TimeLimit"})


def document(relu: int, *findings: FindingEntry, **more: Any) -> dict[str, Any]:
    """Of an exercise with three checks of a point each, the first `relu` of them passed."""
    status = "passed" if relu == 3 else "partial" if relu else "failed"
    entry = ExerciseEntry("relu", float(relu), 3.0, status, findings)  # type: ignore[arg-type]
    tests = [check_of("relu", place, f"check {place}", place == 3, place <= relu)
             for place in (1, 2, 3)]  # fmt: skip
    return graded(report("x", "graded", exercises=(entry,), **more), msgspec.to_builtins(tests))


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store(tmp_path / "out", create=True) as store:
        store.note("assignment", "invented")
        store.note("title", "An invented class")
        store.note("exercises", "relu")
        yield store


def add(store: Store, name: str, document: dict[str, Any] | None, **more: Any) -> None:
    known = [Entry(one, Path(one), store.people(one), late) for one, late in store.expected()]
    store.expect([*known, Entry(name, Path(name), **more)])
    if document is not None:
        store.save(name, "key", document)


def only(records: ClassRecords) -> Handed:
    (one,) = records.handed
    return one


def test_who_handed_in_and_what_else_finds_them(store: Store) -> None:
    group = (Person("17", "Invented Ann", "ann@x.invalid"), Person("18", "", "bob@x.invalid"))
    add(store, "ann", document(3), people=group, late=True)
    one = only(records_of(store))
    assert one.names == ("Invented Ann", "bob@x.invalid")
    assert one.also == ("17", "ann@x.invalid", "18")
    assert (one.shown, one.late) == ("Invented Ann, bob@x.invalid", True)
    assert (one.score, one.max_score) == (3, 3)
    assert one.cells == (Cell(3, 3, "passed"),)


def test_the_link_leads_to_the_page_or_else_to_the_data(store: Store) -> None:
    add(store, "a b#c", document(3))
    assert only(records_of(store)).href == ""
    folder = store.path / "reports"
    folder.mkdir()
    (folder / "a b#c.json").touch()
    assert only(records_of(store)).href == "reports/a%20b%23c.json"
    (folder / "a b#c.html").touch()
    assert only(records_of(store)).href == "reports/a%20b%23c.html"


def test_what_was_decided_counts(store: Store) -> None:
    add(store, "ann", document(1, LEAKY))
    assert only(records_of(store)).mistakes == (Mistake("relu", "relu-leaky"),)
    store.override("ann", "relu", 2.0, "Nearly right.")
    store.override("ann", "relu", 3.0, "Right.", rejected="relu-leaky")
    records = records_of(store)
    one = only(records)
    assert (one.score, one.overridden, one.mistakes) == (3, True, ())
    assert one.cells == (Cell(3, 3, "passed", True),)
    assert [(two.points, two.graded, two.holds) for two in records.decisions] == [
        (3, 1, True),
        (2, 1, False),
    ]


def test_a_voided_check_costs_nobody_anything(store: Store) -> None:
    add(store, "ann", document(2))
    store.void("hidden/test_relu.py::test_3", "It was wrong.")
    records = records_of(store)
    assert only(records).cells == (Cell(2, 2, "passed"),)
    assert records.max_scores == (2,)
    assert [check.id for check in records.checks if check.voided] == ["hidden/test_relu.py::test_3"]
    (void,) = records.voids
    assert (void.title, void.why) == ("check 3", "It was wrong.")


def test_an_exercise_without_checks_left_has_no_cell(store: Store) -> None:
    add(store, "ann", document(2))
    for name in ("checks/test_relu.py::test_1", "checks/test_relu.py::test_2"):
        store.void(name, "wrong")
    store.void("hidden/test_relu.py::test_3", "wrong")
    assert only(records_of(store)).cells == (None,)


def test_time_outs_are_told(store: Store) -> None:
    note = NoteEntry("load-overrun", "stopped after 2 s and skipped", "x.py", 4)
    add(store, "ann", document(0, LATE, notes=(note, NoteEntry("load-error", "other", "x.py", 1))))
    one = only(records_of(store))
    assert one.stops == (
        Stop("", "loading, line 4: stopped after 2 s and skipped"),
        Stop("relu", "it did not finish in time"),
    )
    assert one.mistakes == (Mistake("relu", ""),)


def test_who_has_no_verdict_has_no_points(tmp_path: Path) -> None:
    with invent(tmp_path / "out", 60) as store:
        records = records_of(store)
    by_status: dict[str, list[Handed]] = {}
    for one in records.handed:
        by_status.setdefault(one.status, []).append(one)
    assert {status: len(found) for status, found in by_status.items()} == (
        {"graded": 56, "unreadable": 2, "grader_failed": 1, "missing": 1}
    )
    for status in ("unreadable", "grader_failed", "missing"):
        for one in by_status[status]:
            assert one.score is one.max_score is None
            assert set(one.cells) == {None}
            assert bool(one.why) == (status != "missing")


def test_who_fell_and_whether_results_are_of_one_state(store: Store) -> None:
    add(store, "ann", document(3))
    add(store, "bob", document(3))
    assert (records_of(store).states, records_of(store).complete) == (1, True)
    other = document(1)
    other["grade"]["assignment"]["digest"] = "1" * 64
    store.save("ann", "another key", other)
    records = records_of(store)
    assert [one.before for one in records.handed] == [3, None]
    assert records.states == 2


def test_checks_are_counted_over_those_who_tried(store: Store) -> None:
    untried = document(0)
    untried["grade"]["exercises"][0]["status"] = "not_attempted"
    for name, found in (("ann", document(3)), ("bob", document(1)), ("cat", untried)):
        add(store, name, found)
    assert [(check.judged, check.full) for check in records_of(store).checks] == [
        (2, 2),
        (2, 1),
        (2, 1),
    ]
