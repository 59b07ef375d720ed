"""Scores to an LTI platform that is there, and checks what it gets."""

from __future__ import annotations

import pytest
from fake_lti import RESULT
from fake_server import (
    CUT_AFTER,
    CUT_BEFORE,
    DOWN,
    DOWN_AFTER,
    LIMITED,
    Answer,
    Strike,
)
from push_class import FastClock, make_class, push, regrade, states

from grader.classroom.store import Store
from grader.classroom.tables import rows_of
from grader.errors import UsageError
from tests.lms.lms_class import SECRETS

SCORES = "/scores"
AGAIN = Strike(Answer(403, "403 Forbidden (Rate Limit Exceeded)"))


def shown(lti):
    return {user: one["scoreGiven"] for user, one in lti.results.items()}


def times(lti):
    """user -> the times of the scores that the platform took; one is one score."""
    found = {}
    for one in lti.taken:
        found.setdefault(one["userId"], set()).add(one["timestamp"])
    return {user: len(stamps) for user, stamps in found.items()}


def test_every_grade_arrives_once(lti, config, three, capsys):
    assert push("lti", config(), three) == 0
    assert shown(lti) == {"1": 7.25, "2": 10, "3": 0}
    assert {one["scoreMaximum"] for one in lti.taken} == {10}
    assert {one["gradingProgress"] for one in lti.taken} == {"FullyGraded"}
    assert not [secret for secret in SECRETS if secret in str(lti.taken)]
    assert "3 sent, 0 unchanged" in capsys.readouterr().out
    assert push("lti", config(), three) == 0
    assert len(lti.taken) == 3
    assert lti.faults == []
    assert "0 sent, 3 unchanged" in capsys.readouterr().out
    assert states(three) == [("1", "sent"), ("2", "sent"), ("3", "sent")]


def test_decisions_count_and_only_what_changed_is_sent(lti, config, three):
    push("lti", config(), three)
    with Store(three) as store:
        store.override("s2", "relu", 2.0, "agreed")
        store.void("checks/test_sgd.py::test_reset", "it was wrong")
    assert push("lti", config(), three) == 0
    with Store(three) as store:
        tables = {row.id[1:]: row.scores for row in rows_of(store)}
    for user, scores in tables.items():
        sent = lti.results[user]
        assert sent["scoreGiven"] == pytest.approx(scores.score)
        assert sent["scoreMaximum"] == pytest.approx(scores.max_score)
    assert shown(lti) == {"1": 5, "2": 4, "3": 0}
    assert len(lti.taken) == 6
    with Store(three) as store:
        store.override("s2", "relu", 3.0, "agreed once more")
    push("lti", config(), three)
    assert [one["userId"] for one in lti.taken[6:]] == ["2"]
    assert lti.faults == []


def test_without_a_verdict_nothing_is_sent(lti, config, tmp_path, capsys):
    out = make_class(
        tmp_path / "OUT", (5, None, 0, 0), statuses={"s3": "grader_failed", "s4": "unreadable"}
    )
    assert push("lti", config(), out) == 0
    assert shown(lti) == {"1": 5}
    said = capsys.readouterr().err
    assert "no grade: s2 (Made 2): not graded yet" in said
    assert "no grade: s3 (Made 3): the grader failed" in said
    assert "no grade: s4 (Made 4): could not be read" in said


def test_a_verdict_that_went_away_takes_no_points(lti, config, three, capsys):
    push("lti", config(), three)
    regrade(three, "s1", 0, "grader_failed")
    with Store(three) as store:
        store.override("s1", "relu", 2.0, "one of two: the sum is no verdict")
    assert push("lti", config(), three) == 0
    assert shown(lti)["1"] == 7.25
    assert len(lti.taken) == 3
    assert "user 1 was sent 7.25 of 10 for s1 before" in capsys.readouterr().err


def test_late_is_no_deduction(lti, config, tmp_path):
    push("lti", config(), make_class(tmp_path / "OUT", (5, 5), late=(2,)))
    assert shown(lti) == {"1": 5, "2": 5}


def test_what_a_platform_would_misread_is_not_sent(lti, config, three, capsys):
    with Store(three) as store:
        for name, change in (("s1", {"complete": False}), ("s2", {})):
            document = store.result(name).document
            document["grade"] |= change
            if name == "s2":
                document["grade"]["exercises"][0]["score"] = 50.0
            store.save(name, "other", document)
    assert push("lti", config(), three) == 1
    assert shown(lti) == {"3": 0}
    said = capsys.readouterr().err
    assert "s1 (Made 1): graded by the public checks alone" in said
    assert "unmatched: s2: 55.0 of 10 points is more than there are" in said


def test_thirds_and_crumbs_have_no_exponent(lti, config, tmp_path):
    out = make_class(tmp_path / "OUT", (10 / 3, 1e-17, 9.999999999))
    assert push("lti", config(), out) == 0
    assert shown(lti) == {"1": 3.33333, "2": 0, "3": 10}
    assert lti.faults == []


def test_who_waits_for_a_human_look_is_pending(lti, config, three, capsys):
    with Store(three) as store:
        document = store.result("s1").document
        document["grade"]["review"] = ["it reaches for ctypes"]
        store.save("s1", "other", document)
    push("lti", config(), three)
    assert lti.results["1"]["gradingProgress"] == "PendingManual"
    assert "ctypes" not in str(lti.results)
    assert "s1 (Made 1): marked for a human look" in capsys.readouterr().err
    with Store(three) as store:
        store.override("s1", "relu", 5.0, "looked at it")
    push("lti", config(), three)
    assert lti.results["1"]["gradingProgress"] == "FullyGraded"


def test_an_expired_token_is_fetched_anew(lti, config, three):
    lti.script = [(SCORES, Strike(Answer(401, {"message": "expired"})))]
    assert push("lti", config(), three) == 0
    assert len(lti.paths("/token")) == len(lti.seen_jti) == 2
    assert times(lti) == {"1": 1, "2": 1, "3": 1}


def test_a_token_is_used_until_its_end(lti, config, three):
    lti.lasts = 40  # ten seconds of use, with the margin
    lti.script = [(SCORES, Strike(Answer(429, "", {"Retry-After": "60"})))]
    assert push("lti", config(), three) == 0
    assert len(lti.paths("/token")) == 2
    assert lti.faults == []


@pytest.mark.parametrize("strike", [LIMITED, AGAIN])
def test_a_limit_is_respected(lti, config, three, strike):
    lti.script = [(SCORES, strike), (SCORES, strike)]
    clock = FastClock()
    assert push("lti", config(), three, clock) == 0
    assert shown(lti) == {"1": 7.25, "2": 10, "3": 0}
    assert len(lti.taken) == 3
    least = 2.0 if strike is LIMITED else 0.5
    assert len(clock.slept) == 2
    assert all(seconds >= least for seconds in clock.slept)


@pytest.mark.parametrize("header", ["3600", "Fri, 01 Jan 2100 00:00:00 GMT"])
def test_nobody_waits_for_an_hour(lti, config, three, capsys, header):
    lti.script = [(SCORES, Strike(Answer(429, "", {"Retry-After": header})))]
    clock = FastClock()
    assert push("lti", config(), three, clock) == 1
    assert (clock.slept, lti.taken) == ([], [])
    said = capsys.readouterr()
    assert "wants to be asked again in" in said.err
    assert "3 not tried" in said.out
    assert push("lti", config(), three) == 0
    assert times(lti) == {"1": 1, "2": 1, "3": 1}


@pytest.mark.parametrize("reads", ["", "read_results = false"])
@pytest.mark.parametrize("strike", [CUT_BEFORE, CUT_AFTER, DOWN, DOWN_AFTER])
def test_the_same_score_at_the_same_time_whatever_strikes(lti, config, three, strike, reads):
    lti.script = [(SCORES, strike)]
    assert push("lti", config(reads), three) == 0
    assert shown(lti) == {"1": 7.25, "2": 10, "3": 0}
    assert times(lti) == {"1": 1, "2": 1, "3": 1}
    bodies = [one.body for one in lti.asked if one.path.endswith(SCORES)]
    assert len(set(bodies)) == 3
    if strike.taken and not reads:
        assert len(bodies) == 3, "it was there: nothing had to be sent again"
    assert lti.faults == []


def test_a_slow_answer_is_not_waited_for(lti, config, three):
    lti.script = [(SCORES, Strike(slow=0.6, taken=True))]
    file = config()
    file.write_text(file.read_text().replace("timeout = 5", "timeout = 0.3"))
    assert push("lti", file, three) == 0
    assert lti.paths("/results"), "nobody waited for the answer, so it was looked for"
    assert shown(lti) == {"1": 7.25, "2": 10, "3": 0}
    assert times(lti) == {"1": 1, "2": 1, "3": 1}


def test_a_platform_that_lets_nobody_read_gets_the_same_again(lti, config, three):
    lti.scopes.discard(RESULT)
    lti.script = [(SCORES, CUT_AFTER), (SCORES, CUT_AFTER)]
    assert push("lti", config(), three) == 0
    assert times(lti) == {"1": 1, "2": 1, "3": 1}
    assert [one["userId"] for one in lti.taken] == ["1", "1", "1", "2", "3"]


def test_a_platform_that_refuses_the_same_time_has_it(lti, config, three, capsys):
    lti.equal = False
    lti.script = [(SCORES, CUT_AFTER)]
    assert push("lti", config("read_results = false"), three) == 0
    assert states(three)[0] == ("1", "held")
    assert "held: the platform has this or a newer one" in capsys.readouterr().err
    assert push("lti", config("read_results = false"), three) == 0
    assert len(lti.taken) == 3
    regrade(three, "s1", 8)
    assert push("lti", config("read_results = false"), three) == 0
    assert shown(lti)["1"] == 8


def test_a_newer_result_on_the_platform_is_not_replaced(lti, config, three, capsys):
    lti.results["1"] = {"timestamp": "2100-01-01T00:00:00.000+00:00", "scoreGiven": 1,
                        "scoreMaximum": 10, "userId": "1"}  # fmt: skip
    assert push("lti", config(), three) == 1
    assert shown(lti) == {"1": 1, "2": 10, "3": 0}
    assert "refused: 400" in capsys.readouterr().err
    assert states(three)[0] == ("1", "refused")


def test_nobody_is_lost_while_the_platform_is_down(lti, config, tmp_path, capsys):
    out = make_class(tmp_path / "OUT", (1, 2, 3, 4, 5))
    lti.always = {SCORES: DOWN}
    clock = FastClock()
    assert push("lti", config("read_results = false"), out, clock) == 1
    said = capsys.readouterr()
    assert "stopped: the platform does not answer (500 oops)" in said.err
    assert "3 unclear, 2 not tried" in said.out
    assert len(clock.slept) == 12
    assert clock.slept[:4] == [0.75, 1.5, 3.0, 6.0]
    lti.always = {}
    assert push("lti", config("read_results = false"), out) == 0
    assert shown(lti) == {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5}
    assert set(times(lti).values()) == {1}


def test_one_that_the_platform_stumbles_over_blocks_nobody(lti, config, tmp_path):
    out = make_class(tmp_path / "OUT", (1, 2, 3, 4, 5))
    honest = lti.answer
    lti.answer = lambda asked: (
        Answer(500, "no") if b'"userId": "' in asked.body
        and any(b'"userId": "%d"' % n in asked.body for n in (1, 2, 3)) else honest(asked)
    )  # fmt: skip
    assert push("lti", config(), out) == 1
    assert lti.results == {}
    assert push("lti", config(), out) == 1
    assert shown(lti) == {"4": 4, "5": 5}


def test_an_unknown_user_is_listed_and_the_others_are_sent(lti, config, three, capsys):
    lti.users = {"1", "3"}
    assert push("lti", config(), three) == 1
    assert shown(lti) == {"1": 7.25, "3": 0}
    assert "s2 (Made 2) -> 2: 10 of 10, refused: 404" in capsys.readouterr().err
    lti.users = None
    assert push("lti", config(), three) == 0
    assert shown(lti)["2"] == 10


def test_once_more_where_it_is_told(lti, config, three, capsys):
    push("lti", config(), three)
    assert push("lti", config(), three, again=["s2"]) == 0
    assert [one["userId"] for one in lti.taken] == ["1", "2", "3", "2"]
    assert "1 sent, 2 unchanged" in capsys.readouterr().out
    with pytest.raises(UsageError, match="has no submission s9"):
        push("lti", config(), three, again=["s9"])


def test_a_clock_that_goes_back_makes_no_older_score(lti, config, three):
    push("lti", config(), three)
    clock = FastClock()
    clock.ahead = -3600
    regrade(three, "s1", 8)
    assert push("lti", config(), three, clock) == 0
    assert shown(lti)["1"] == 8


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(302, "", {"Location": "https://login.invented.example/"}), "points to login"),
        (Answer(401, {"error": "invalid_client"}), "gives no token: 401"),
    ],
)
def test_a_wrong_registration_ends_it_with_one_line(lti, config, three, answer, said):
    lti.always = {"/token": Strike(answer)}
    with pytest.raises(UsageError, match=said):
        push("lti", config(), three)
    assert lti.taken == []


def test_a_moved_line_item_is_no_success(lti, config, three):
    lti.always = {SCORES: Strike(Answer(302, "", {"Location": f"{lti.url}/login"}))}
    with pytest.raises(UsageError, match="answers 302"):
        push("lti", config(), three)
    assert "sent" not in dict(states(three)).values()


def test_a_web_page_is_no_answer_to_a_score(lti, config, three, capsys):
    lti.always = {SCORES: Strike(Answer(200, "<html>please log in</html>"))}
    assert push("lti", config(), three) == 1
    assert "a web page, which is no answer" in capsys.readouterr().err
    assert "sent" not in dict(states(three)).values()


@pytest.mark.parametrize("answer", [Answer(204), Answer(200, "OK"), Answer(201, "")])
def test_an_answer_need_not_be_json(lti, config, three, answer):
    lti.always = {SCORES: Strike(answer, taken=True)}
    assert push("lti", config(), three) == 0
    assert len(lti.taken) == 3


def test_results_on_another_host_get_no_token(lti, config, three):
    elsewhere = f'<{lti.url.replace("127.0.0.1", "localhost")}/lineitems/7/results>; rel="next"'
    lti.script = [
        (SCORES, CUT_AFTER),
        ("/results", Strike(Answer(200, [], {"Link": elsewhere}))),
    ]
    assert push("lti", config(), three) == 0
    hosts = [one.headers["Host"].split(":")[0] for one in lti.asked]
    assert set(hosts) == {"127.0.0.1"}
    assert times(lti) == {"1": 1, "2": 1, "3": 1}


def test_canvas_behind_lti_is_told_to_count_no_attempt(lti, config, three):
    push("lti", config('kind = "canvas"'), three)
    extension = "https://canvas.instructure.com/lti/submission"
    assert [one[extension] for one in lti.taken] == [{"new_submission": False}] * 3


def test_a_dry_run_asks_nobody_and_writes_nothing(lti, config, three, capsys):
    assert push("lti", config(), three, dry_run=True) == 0
    said = capsys.readouterr().out
    assert "would send s1 (Made 1) -> 1: 7.25 of 10" in said
    assert f"3 would be sent to {lti.line_item}, 0 unchanged" in said
    assert lti.asked == []
    assert states(three) == []
    push("lti", config(), three)
    push("lti", config(), three, dry_run=True)
    assert "0 would be sent" in capsys.readouterr().out
