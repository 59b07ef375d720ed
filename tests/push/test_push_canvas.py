"""Points, comments and pages to a Canvas."""

from __future__ import annotations

import json
import os

import pytest
from fake_canvas import TOKEN
from fake_server import CUT_AFTER, CUT_BEFORE, DOWN, KILL_BEFORE, Answer, Strike
from push_class import FastClock, killed_at, make_class, page_for, push, regrade, states

from grader.classroom.store import Store
from grader.errors import UsageError
from grader.people import Person
from tests.lms.lms_class import SECRETS

PUT = r"^PUT "


def scores(canvas):
    return {user: canvas.score(user) for user in canvas.students}


def comments(canvas):
    return [len(canvas.comments(user)) for user in canvas.students]


@pytest.mark.parametrize("ending", ["301", "201", "body"])
def test_points_and_pages_arrive_once(canvas, canvas_config, from_canvas, capsys, ending):
    canvas.step_three = ending
    page_for(from_canvas, "s1", "<p>Made 1's page</p>")
    assert push("canvas", canvas_config(), from_canvas) == 0
    assert scores(canvas) == {"1": 7.25, "2": 10, "3": 0, "4": None, "5": None}
    (comment,) = canvas.comments("1")
    assert "7.25 of 10 points" in comment["comment"]
    assert [canvas.files[one["id"]] for one in comment["attachments"]] == [b"<p>Made 1's page</p>"]
    assert comments(canvas) == [1, 1, 1, 0, 0]
    assert canvas.comments("2")[0]["attachments"] == []
    assert not [secret for secret in SECRETS if secret in str(canvas.shown)]
    said = capsys.readouterr()
    assert "note: 2 without a page of this result in reports/: s2, s3" in said.err
    assert "3 sent, 0 unchanged" in said.out
    assert canvas.faults == []
    assert push("canvas", canvas_config(), from_canvas) == 0
    assert comments(canvas) == [1, 1, 1, 0, 0]
    assert states(from_canvas) == [("1", "sent"), ("2", "sent"), ("3", "sent")]


def test_only_what_changed_is_sent_again(canvas, canvas_config, from_canvas):
    for name in ("s1", "s2"):
        page_for(from_canvas, name)
    push("canvas", canvas_config(), from_canvas)
    with Store(from_canvas) as store:
        store.override("s2", "relu", 2.0, "agreed")
    page_for(from_canvas, "s1", "<p>the same, in other colours</p>")
    page_for(from_canvas, "s2", "<p>another page</p>")
    assert push("canvas", canvas_config(), from_canvas) == 0
    assert scores(canvas) == {"1": 7.25, "2": 7, "3": 0, "4": None, "5": None}
    assert comments(canvas) == [1, 2, 1, 0, 0]
    newest = canvas.comments("2")[1]["attachments"][0]["id"]
    assert canvas.files[newest] == b"<p>another page</p>"


def test_a_page_that_says_what_students_must_not_see_stays_here(
    canvas, canvas_config, from_canvas, capsys
):
    page_for(from_canvas, "s1", f"<p>{SECRETS[0]}</p>")
    assert push("canvas", canvas_config(), from_canvas) == 0
    assert canvas.files == {}
    assert "its page says what students must not see" in capsys.readouterr().err


def test_a_page_of_an_older_result_is_not_attached(canvas, canvas_config, from_canvas, capsys):
    page_for(from_canvas, "s1")
    os.utime(from_canvas / "reports" / "s1.html", (1_700_000_000, 1_700_000_000))
    assert push("canvas", canvas_config(), from_canvas) == 0
    assert canvas.files == {}
    assert "3 without a page of this result" in capsys.readouterr().err


@pytest.mark.parametrize("sending", ["comment = false", "comment = false\npage = false"])
def test_less_is_sent_where_less_is_wanted(canvas, canvas_config, from_canvas, sending):
    page_for(from_canvas, "s1")
    assert push("canvas", canvas_config(sending=sending), from_canvas) == 0
    assert scores(canvas)["1"] == 7.25
    assert comments(canvas) == ([0] * 5 if "page" in sending else [1, 0, 0, 0, 0])


def test_points_are_scaled_and_it_is_said(canvas, canvas_config, from_canvas, capsys):
    canvas.assignment["points_possible"] = 100
    push("canvas", canvas_config(), from_canvas)
    assert scores(canvas) == {"1": 72.5, "2": 100, "3": 0, "4": None, "5": None}
    assert "note: 3 scaled to the platform's 100 points" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"points_possible": 0}, "no points to be had"),
        ({"points_possible": None}, "no points to be had"),
        ({"grading_type": "pass_fail"}, "graded as pass_fail"),
        ({"moderated_grading": True, "grades_published": False}, "moderated"),
    ],
)
def test_an_assignment_that_takes_no_points(canvas, canvas_config, from_canvas, change, said):
    canvas.assignment |= change
    with pytest.raises(UsageError, match=said):
        push("canvas", canvas_config(), from_canvas)
    assert set(scores(canvas).values()) == {None}


def test_who_is_excused_stays_so(canvas, canvas_config, from_canvas, capsys):
    canvas.students["2"]["excused"] = True
    assert push("canvas", canvas_config(), from_canvas) == 0
    assert scores(canvas) == {"1": 7.25, "2": None, "3": 0, "4": None, "5": None}
    assert "no grade: s2 (Made 2): excused in Canvas" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("own", "key"), [("sis_user_id", "00{}"), ("login_id", "made{}"), ("login_id", " MADE{} ")]
)
def test_students_are_found_by_their_ids_on_every_page(canvas, canvas_config, tmp_path, own, key):
    people = {n: (Person(key.format(n), "A Name"),) for n in range(1, 6)}
    out = make_class(tmp_path / "OUT", (1, 2, 3, 4, 5), people=people)
    assert push("canvas", canvas_config(people=f'by = "id"\ncanvas = "{own}"'), out) == 0
    assert scores(canvas) == {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5}


def test_whom_canvas_does_not_know_for_certain_gets_nothing(
    canvas, canvas_config, tmp_path, capsys
):
    canvas.students["4"]["sis_user_id"] = "003"
    people = {n: (Person(f"00{n}", "Made 1"),) for n in (1, 2, 3)} | {4: (Person("3", "Made 3"),)}
    out = make_class(tmp_path / "OUT", (1, 2, 3, 4), people=people)
    assert push("canvas", canvas_config(people='by = "id"\ncanvas = "sis_user_id"'), out) == 1
    assert scores(canvas) == {"1": 1, "2": 2, "3": None, "4": None, "5": None}
    said = capsys.readouterr().err
    assert "unmatched: s3 (Made 1): 2 users have the id 003" in said
    assert "unmatched: s4 (Made 3): nobody has the id 3" in said


def test_numbers_of_another_system_are_no_numbers_of_canvas(canvas, canvas_config, three):
    with pytest.raises(UsageError, match="did not come from Canvas"):
        push("canvas", canvas_config(), three)
    assert canvas.asked == []


def test_a_group_that_canvas_grades_as_one(canvas, canvas_config, from_canvas, capsys):
    canvas.assignment |= {"group_category_id": 5, "grade_group_students_individually": False}
    canvas.group_of = {"1": 70, "2": 70, "3": 71, "4": 71}
    assert push("canvas", canvas_config(), from_canvas) == 1
    assert scores(canvas) == {"1": None, "2": None, "3": 0, "4": 0, "5": None}
    assert "its members have 2 different scores" in capsys.readouterr().err


def test_the_grade_stood_and_the_comment_did_not(canvas, canvas_config, from_canvas):
    canvas.comment_fails = 1
    assert push("canvas", canvas_config(), from_canvas) == 0
    assert comments(canvas) == [1, 1, 1, 0, 0]
    puts = [dict(one.fields) for one in canvas.asked if one.method == "PUT"]
    assert "submission[posted_grade]" in puts[0]
    assert "submission[posted_grade]" not in puts[1]


def taking_late(canvas, after):
    """A clock during whose waits Canvas takes the first PUT after all, so many seconds late."""
    late, clock = [], FastClock()
    sleep = clock.sleep

    def slept(seconds):
        sleep(seconds)
        if clock.ahead > after and not late:
            late.append(canvas.answer(next(one for one in canvas.asked if one.method == "PUT")))

    clock.sleep = slept
    return late, clock


def test_it_is_looked_for_some_time_before_anything_is_sent_again(
    canvas, canvas_config, from_canvas
):
    canvas.script = [(PUT, CUT_BEFORE)]
    late, clock = taking_late(canvas, 8)
    assert push("canvas", canvas_config(), from_canvas, clock) == 0
    assert late
    assert comments(canvas) == [1, 1, 1, 0, 0]


def test_so_it_is_by_a_run_that_follows_at_once(canvas, canvas_config, from_canvas):
    file = canvas_config()
    assert killed_at(canvas, 4, KILL_BEFORE, lambda: push("canvas", file, from_canvas))
    late, clock = taking_late(canvas, 8)
    assert push("canvas", file, from_canvas, clock) == 0
    assert late
    assert comments(canvas) == [1, 1, 1, 0, 0]


def test_canvas_that_takes_another_grade_than_was_sent(canvas, canvas_config, from_canvas, capsys):
    honest = canvas.answer

    def capped(asked):
        answer = honest(asked)
        if asked.method == "PUT":
            return Answer(200, {**answer.body, "entered_score": 1.0})
        return answer

    canvas.answer = capped
    assert push("canvas", canvas_config(), from_canvas) == 1
    assert "refused: Canvas took it, but shows no such grade" in capsys.readouterr().err


def test_where_it_cannot_be_looked_nothing_is_sent_again(canvas, canvas_config, from_canvas):
    canvas.script = [(PUT, CUT_AFTER)]
    canvas.always = {"^GET .*submissions/1$": Strike(Answer(403, "not now"))}
    assert push("canvas", canvas_config(), from_canvas) == 1
    assert states(from_canvas)[0] == ("1", "sending")
    canvas.always = {}
    assert push("canvas", canvas_config(), from_canvas) == 0
    assert comments(canvas) == [1, 1, 1, 0, 0]


def test_those_whose_page_is_not_taken_block_nobody(canvas, canvas_config, tmp_path):
    out = make_class(tmp_path / "OUT", (1, 2, 3, 4, 5), layout="canvas")
    for number in range(1, 6):
        page_for(out, f"s{number}")
    canvas.always = {f"submissions/{n}/comments": DOWN for n in (1, 2, 3)}
    assert push("canvas", canvas_config(), out) == 1
    assert push("canvas", canvas_config(), out) == 1
    assert scores(canvas) == {"1": None, "2": None, "3": None, "4": 4, "5": 5}
    assert ("1", "refused") in states(out)


def test_a_limit_in_canvas_words(canvas, canvas_config, from_canvas):
    limited = Strike(Answer(403, "403 Forbidden (Rate Limit Exceeded)"))
    canvas.script = [(PUT, limited), (PUT, limited), ("/submissions$", limited)]
    clock = FastClock()
    assert push("canvas", canvas_config(), from_canvas, clock) == 0
    assert len(clock.slept) == 3
    assert comments(canvas) == [1, 1, 1, 0, 0]


@pytest.mark.parametrize("body", [{"errors": [{"message": "Invalid access token."}]}, "not json"])
def test_a_token_that_is_no_good_ends_it(canvas, canvas_config, from_canvas, body):
    head = {"WWW-Authenticate": "Bearer"}
    canvas.always = {"": Strike(Answer(401, body, head))}
    with pytest.raises(UsageError, match="does not take the token") as error:
        push("canvas", canvas_config(), from_canvas)
    assert TOKEN not in str(error.value)
    assert len(canvas.asked) == 1


def test_one_whom_we_may_not_grade_does_not_end_it(canvas, canvas_config, from_canvas, capsys):
    canvas.script = [(PUT, Strike(Answer(401, {"status": "unauthorized"})))]
    assert push("canvas", canvas_config(), from_canvas) == 1
    assert scores(canvas) == {"1": None, "2": 10, "3": 0, "4": None, "5": None}
    assert "refused: 401" in capsys.readouterr().err
    assert push("canvas", canvas_config(), from_canvas) == 0
    assert scores(canvas)["1"] == 7.25


def test_a_canvas_that_is_not_there(canvas, canvas_config, from_canvas):
    canvas.always = {"": DOWN}
    clock = FastClock()
    with pytest.raises(UsageError, match="nothing was sent: 500 oops"):
        push("canvas", canvas_config(), from_canvas, clock)
    assert len(clock.slept) == 4


def test_the_token_goes_to_canvas_alone(canvas, canvas_config, from_canvas):
    """Canvas says that the next page of students, and the file, are somewhere else."""
    elsewhere = canvas.url.replace("127.0.0.1", "localhost")
    honest = canvas.answer

    def astray(asked):
        answer = honest(asked)
        headers = {k: v.replace(canvas.url, elsewhere) for k, v in answer.headers.items()}
        if asked.path.startswith("/upload") or "Authorization" in asked.headers:
            return Answer(answer.status, answer.body, headers)
        return Answer(200, {"id": 900}, headers)

    page_for(from_canvas, "s1")
    canvas.answer = astray
    with pytest.raises(UsageError, match="makes no sense"):
        push("canvas", canvas_config(), from_canvas)
    canvas.students = {user: canvas.students[user] for user in "12"}
    push("canvas", canvas_config(), from_canvas)
    with_token = {one.headers["Host"] for one in canvas.asked if "Authorization" in one.headers}
    assert with_token == {canvas.url.removeprefix("http://")}
    assert any(one.headers["Host"].startswith("localhost") for one in canvas.asked)


def test_a_dry_run_changes_nothing(canvas, canvas_config, from_canvas, capsys):
    page_for(from_canvas, "s1")
    assert push("canvas", canvas_config(), from_canvas, dry_run=True) == 0
    assert {one.method for one in canvas.asked} == {"GET"}
    assert "would send s1 (Made 1) -> 1: 7.25 of 10" in capsys.readouterr().out
    assert states(from_canvas) == []
    canvas.script = [(PUT, CUT_AFTER)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FastClock, "sleep", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            push("canvas", canvas_config(), from_canvas)
    push("canvas", canvas_config(), from_canvas, dry_run=True)
    assert "7.25 of 10, unless the last try got there" in capsys.readouterr().out


def _interrupt(self, seconds):
    raise KeyboardInterrupt


def test_the_body_in_the_ledger_holds_no_name(canvas, canvas_config, from_canvas):
    page_for(from_canvas, "s1")
    push("canvas", canvas_config(), from_canvas)
    regrade(from_canvas, "s1", 2)
    with Store(from_canvas) as store:
        bodies = [json.loads(row[0]) for row in store._db.execute("SELECT body FROM delivery")]
    assert len(bodies) == 3
    assert "Made" not in str(bodies)
