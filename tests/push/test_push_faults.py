"""Whatever strikes at whichever request: nobody is graded twice, nobody is lost.

Every request of a whole run is struck once, in each way; then the same command is run again.
"""

from __future__ import annotations

import pytest
from fake_server import (
    CUT_AFTER,
    CUT_BEFORE,
    DOWN,
    DOWN_AFTER,
    KILL_AFTER,
    KILL_BEFORE,
    LIMITED,
)
from push_class import killed_at, make_class, page_for, push, regrade, states

SCORES = (7.25, 3)
LTI_REQUESTS = ("token", "score")  # of the first student; then the second's
CANVAS_READS = ("assignment", "students", "more students", "still more students")
CANVAS_REQUESTS = ("upload told", "upload", "upload confirmed", "grade")
STRIKES = {"cut-before": CUT_BEFORE, "cut-after": CUT_AFTER, "500": DOWN,
           "502-after": DOWN_AFTER, "429": LIMITED}  # fmt: skip
STRUCK = pytest.mark.parametrize("strike", STRIKES.values(), ids=STRIKES)
KILLED = pytest.mark.parametrize(
    "strike", [KILL_BEFORE, KILL_AFTER], ids=["kill-before", "kill-after"]
)


def each(*names, start=0):
    return pytest.mark.parametrize("number", range(start, start + len(names)), ids=names)


def check_lti(lti, out):
    assert {user: one["scoreGiven"] for user, one in lti.results.items()} == {"1": 7.25, "2": 3}
    for user in "12":
        bodies = {str(one) for one in lti.taken if one["userId"] == user}
        assert len(bodies) == 1, "the same score at the same time, however often it was sent"
    assert {state for _, state in states(out)} == {"sent"}
    assert lti.faults == []


def check_canvas(canvas, out):
    assert [canvas.score(user) for user in "12345"] == [7.25, 3, None, None, None]
    for user in "12":
        (comment,) = canvas.comments(user)
        (file,) = comment["attachments"]
        assert canvas.files[file["id"]] == f"<p>page of s{user}</p>".encode()
    assert [len(canvas.comments(user)) for user in "345"] == [0, 0, 0]
    assert {state for _, state in states(out)} == {"sent"}
    assert canvas.faults == []


@pytest.fixture
def pages(tmp_path):
    out = make_class(tmp_path / "OUT", SCORES, layout="canvas")
    for name in ("s1", "s2"):
        page_for(out, name, f"<p>page of {name}</p>")
    return out


def test_these_are_the_requests(lti, config, canvas, canvas_config, pages):
    push("lti", config(), pages)
    assert len(lti.asked) == len(LTI_REQUESTS) + 1
    push("canvas", canvas_config(), pages)
    assert len(canvas.asked) == len(CANVAS_READS) + 2 * len(CANVAS_REQUESTS)
    push("canvas", canvas_config(), pages)
    assert len(canvas.asked) == 2 * len(CANVAS_READS) + 2 * len(CANVAS_REQUESTS)


@STRUCK
@each(*LTI_REQUESTS)
def test_lti(lti, config, tmp_path, number, strike):
    out = make_class(tmp_path / "OUT", SCORES)
    lti.strikes = {number: strike}
    assert push("lti", config(), out) == 0
    check_lti(lti, out)


@pytest.mark.parametrize("strike", [CUT_BEFORE, LIMITED], ids=["cut-before", "429"])
@each(*CANVAS_READS)
def test_canvas_while_reading(canvas, canvas_config, pages, number, strike):
    canvas.strikes = {number: strike}
    assert push("canvas", canvas_config(), pages) == 0
    check_canvas(canvas, pages)


@STRUCK
@each(*CANVAS_REQUESTS, start=len(CANVAS_READS))
def test_canvas(canvas, canvas_config, pages, number, strike):
    canvas.strikes = {number: strike}
    assert push("canvas", canvas_config(), pages) == 0
    check_canvas(canvas, pages)


@KILLED
@pytest.mark.parametrize("reads", ["", "read_results = false"])
def test_lti_after_a_kill(lti, config, tmp_path, strike, reads):
    out = make_class(tmp_path / "OUT", SCORES)
    file = config(reads)
    assert killed_at(lti, 1, strike, lambda: push("lti", file, out))
    assert states(out) == [("1", "sending")]
    assert push("lti", file, out) == 0
    check_lti(lti, out)


@KILLED
@each(*CANVAS_REQUESTS, start=len(CANVAS_READS))
def test_canvas_after_a_kill(canvas, canvas_config, pages, number, strike):
    file = canvas_config()
    assert killed_at(canvas, number, strike, lambda: push("canvas", file, pages))
    assert push("canvas", file, pages) == 0
    check_canvas(canvas, pages)


def test_a_score_that_changed_while_the_last_was_uncertain(lti, config, tmp_path):
    out = make_class(tmp_path / "OUT", SCORES)
    file = config()
    killed_at(lti, 1, KILL_AFTER, lambda: push("lti", file, out))
    regrade(out, "s1", 9)
    assert push("lti", file, out) == 0
    assert {user: one["scoreGiven"] for user, one in lti.results.items()} == {"1": 9, "2": 3}
    assert states(out) == [("1", "overtaken"), ("1", "sent"), ("2", "sent")]
