"""What must never be sent: secrets of hidden checks, bad numbers."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lms_class import SECRETS, document
from lms_marks import FEW, everything, one, text_of
from msgspec import structs

from grader.classroom.intake.records import Entry
from grader.classroom.marks import marks_of
from grader.classroom.store import Store
from grader.errors import UsageError
from grader.people import Person
from grader.report.exporters import FORMATS
from grader.report.exporters.numbers import checked, fraction, scaled, whole_factor, written


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_of_a_hidden_check_is_sent(name):
    mark = one()
    assert all(secret in json.dumps(mark.document) for secret in SECRETS)
    text = text_of(everything(name, mark)[0])
    assert [secret for secret in SECRETS if secret in text] == []


@pytest.mark.parametrize("name", ["gradescope", "junit", "prairielearn", "coursera", "ctrf"])
def test_hints_stop_at_the_assignments_limit(name):
    mark = one(hints=("first rung", "second rung", "third rung"))
    text = text_of(everything(name, mark)[0])
    assert "first rung" in text
    assert "third rung" not in text
    mark.document["grade"]["assignment"]["max_hints"] = 0
    assert "rung" not in text_of(everything(name, mark)[0])


def test_a_page_that_tells_secrets_is_not_handed_out():
    good = b"<p>well done</p>"
    data, made = everything("moodle-feedback", one(), pages=lambda _: good)
    assert "well done" in text_of(data)
    spelled = "".join(f"&#{ord(letter)};" for letter in SECRETS[0])  # as a page may write it
    for secret in (SECRETS[0], spelled):
        bad = f"<p>{secret}</p>".encode()
        data, made = everything("moodle-feedback", one(), pages=lambda _, bad=bad: bad)
        assert "feedback.html" not in text_of(data)
        assert "must not see" in made.said[0]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, -1.0, 10.00001, "5", True])
@pytest.mark.parametrize("name", FORMATS)
def test_a_bad_number_is_refused(name, bad):
    with pytest.raises(UsageError):
        everything(name, structs.replace(one(), score=bad))


def test_what_addition_made_too_much_is_cut():
    assert checked(3 * 0.1, 0.3, "x") == (0.3, 0.3)
    assert fraction(1.0000000001, 1.0, "x") == 1.0
    assert checked(-1e-17, 1.0, "x") == (0.0, 1.0)
    with pytest.raises(UsageError):
        fraction(1.0000001, 1.0, "x")
    with pytest.raises(UsageError, match="no points to be had"):
        fraction(0.0, 0.0, "x")


@FEW
@given(st.floats(0, 1), st.floats(0.01, 1e6), st.floats(0.01, 1e6))
def test_scaled_points_stay_in_range(part, most, target):
    value = scaled(part * most, most, target, "x")
    assert 0 <= value <= target
    assert 0 <= float(written(value)) <= target + 1e-6
    assert set(written(value)) <= set("0123456789.")


@FEW
@given(st.lists(st.integers(0, 40), min_size=1), st.sampled_from([1, 2, 3, 4, 5, 8, 10]))
def test_fractions_become_whole(numbers, parts):
    factor = whole_factor(number / parts for number in numbers)
    assert all(abs(n / parts * factor - round(n / parts * factor)) < 1e-6 for n in numbers)


def test_decisions_count_and_their_makers_stay_unnamed(tmp_path):
    with Store(tmp_path, create=True) as store:
        store.expect([Entry("one", tmp_path, (Person("1", "Ada"),))])
        store.save("one", "key", document("one", 4.0))
        store.override("one", "sgd", 5.0, "their formula is right", "")
        store.override("one", "sgd", None, "wrong name", "gradient-not-reset")
        store.void("checks/test_relu.py::test_values", "a bad check")
        (mark,) = marks_of(store)
        who = store.voids()[0].who
    assert (mark.score, mark.max_score) == (7.0, 8.0)
    data, _ = everything("gradescope", mark)
    results = json.loads(text_of(data).removeprefix("one.json"))
    assert results["score"] == 7.0
    assert len(results["tests"]) == 3
    assert "A person has looked at this" in results["output"]
    assert "nothing reset the gradient" not in str(results)
    assert who not in results["output"]
    rows = list(csv.DictReader(io.StringIO(text_of(everything("csv", mark)[0])[10:])))
    assert (rows[0]["sgd"], rows[0]["relu"]) == ("5", "2")
