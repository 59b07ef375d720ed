"""Judging: follow-through, calls that are banned, what was not attempted, parts of points."""

from __future__ import annotations

import pytest
from checking_students import CHECKS, RIGHT, TOML, judged, write_assignment

from grader.errors import GraderFailed

FULL = {"relu": 2, "logistic": 1, "forward": 2}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return write_assignment(tmp_path_factory.mktemp("judging"))


def answer(**functions: str) -> str:
    """The right answer with other bodies for some functions; "" leaves a function out."""
    pieces = dict(zip(("relu", "logistic", "forward"), RIGHT.strip().split("\n\n"), strict=True))
    for name, body in functions.items():
        pieces[name] = f"def {name}(x):\n    {body}" if body else ""
    return "\n\n".join(pieces.values()) + "\n"


def test_a_right_answer(start, place):
    found = judged(start, place, RIGHT)
    assert found.scores == FULL
    assert set(found.statuses.values()) == {"passed"}
    assert found.started == [()]


def test_a_wrong_relu_costs_relu_alone(start, place):
    found = judged(start, place, answer(relu="return x.abs()"))
    assert found.scores == FULL | {"relu": 0}
    assert found.statuses == {"relu": "failed", "logistic": "passed", "forward": "passed"}
    assert found["forward"].stand_ins == ("relu",)
    assert found["relu"].stand_ins == ()
    assert found.started == [(), ("relu",)]
    again = found.result("test_forward")
    assert again.stand_ins == ("relu",)
    assert again.failure is None
    assert again.first_failure is not None
    assert again.first_failure.kind == "values"


def test_the_only_stand_in_is_for_another_exercise(start, place):
    """relu and forward are both wrong: forward is judged with the library's relu, relu as it is."""
    found = judged(
        start, place, answer(relu="return x.abs()", forward="return logistic(relu(x)) + 1")
    )
    assert found.scores == FULL | {"relu": 0, "forward": 0}
    assert found.started == [(), ("relu",)]
    for exercise in ("relu", "logistic"):
        assert {result.stand_ins for result in found[exercise].results} == {()}
    # Nothing was gained by it; but what failed then is forward's own mistake, and is told.
    assert found["forward"].stand_ins == ()
    result = found.result("test_forward")
    assert (result.earned, result.stand_ins) == (0, ("relu",))


def test_a_mistake_of_its_own_is_told_rather_than_one_passed_on(start, place):
    """relu raises through forward; with the library's relu, forward gives one number too many."""
    text = answer(
        relu="raise ValueError('of relu')",
        forward="return torch.cat([logistic(relu(x)), torch.ones(1)])",
    )
    found = judged(start, place, text)
    assert found.scores == FULL | {"relu": 0, "forward": 0}
    result = found.result("test_forward")
    assert result.failure is not None
    assert result.failure.kind == "shape"
    assert result.first_failure is not None
    assert str(result.first_failure) == "forward: ValueError: of relu"


def test_all_that_lost_points_are_stood_in_for(start, place):
    found = judged(start, place, answer(relu="return x.abs()", logistic="return x * 0 + 0.5"))
    assert found.scores == {"relu": 0, "logistic": 0, "forward": 2}
    assert found["forward"].stand_ins == ("relu", "logistic")
    assert found.started == [(), ("relu", "logistic")]


def test_an_exercise_built_on_what_is_right_is_not_run_again(start, place):
    found = judged(start, place, answer(forward="return relu(logistic(x)) * 2"))
    assert found.scores == FULL | {"forward": 0}
    assert found.started == [()]


def test_an_alias_does_not_keep_the_original(start, place):
    text = "def relu(x):\n    return x.abs()\n\nmine = relu\n\n" + answer(relu="").replace(
        "logistic(relu(x))", "logistic(relu(x)) + 0 * len(str(mine))"
    )
    assert judged(start, place, text).scores == FULL | {"relu": 0}


def test_a_function_that_dies_costs_what_it_is(start, place):
    found = judged(start, place, answer(relu="import os; os._exit(3)"))
    assert found.scores == FULL | {"relu": 0}
    failure = found.result("test_relu_values").failure
    assert failure is not None
    assert failure.observation is not None
    assert failure.observation.raised is not None
    assert failure.observation.raised.type == "Died"
    assert found.statuses["relu"] == "failed"


def test_a_function_that_hangs_costs_what_it_is(start, place):
    body = "\n    while True:\n        pass"
    found = judged(start, place, answer(logistic=body), seconds=0.2)
    assert found.scores == FULL | {"logistic": 0}
    failure = found.result("test_logistic").failure
    assert failure is not None
    assert failure.observation is not None
    assert failure.observation.stopped


def test_only_what_was_asked_for(start, place):
    found = judged(start, place, answer(relu="return x.abs()"), only=["forward"])
    # Nothing is known of relu, so nothing stands in for it.
    assert found.scores == {"forward": 0}
    assert found.started == [()]


@pytest.mark.parametrize("body", ["raise NotImplementedError", "raise NotImplementedError('todo')"])
def test_what_was_not_attempted(body, start, place):
    found = judged(start, place, answer(relu=body))
    assert found.statuses == {"relu": "not_attempted", "logistic": "passed", "forward": "passed"}
    assert found.scores == FULL | {"relu": 0}


def test_what_is_missing_was_not_attempted(start, place):
    found = judged(start, place, answer(relu=""))
    assert found.statuses["relu"] == "not_attempted"
    # forward calls a function that is not there; with the library's it is right.
    assert found.scores == FULL | {"relu": 0}


def test_nothing_was_attempted(start, place):
    text = "\n\n".join(f"def {name}(x):\n    raise NotImplementedError" for name in FULL)
    found = judged(start, place, text)
    assert set(found.statuses.values()) == {"not_attempted"}
    assert sum(found.scores.values()) == 0


def test_who_calls_what_was_not_attempted_did_attempt(start, place):
    """forward is wrong besides: with the library's relu it fails, and is no empty stub."""
    text = answer(relu="raise NotImplementedError", forward="return relu(x) * 0 - 1")
    found = judged(start, place, text)
    assert found.statuses["relu"] == "not_attempted"
    assert found.statuses["forward"] == "failed"


def test_an_attempt_that_raises_is_an_attempt(start, place):
    found = judged(start, place, answer(relu="raise ValueError('hm')"))
    assert found.statuses["relu"] == "failed"
    failure = found.result("test_relu_values").failure
    assert failure is not None
    assert failure.kind == "raised"
    assert str(failure) == "relu: ValueError: hm"


@pytest.mark.parametrize(
    "body",
    ["return torch.relu(x)", "return torch.nn.functional.relu(x)", "return torch.nn.ReLU()(x)",
     "return x.clone().relu_()", "return x.clamp_min(0)"],
)  # fmt: skip
def test_a_banned_call_zeroes_its_exercise_alone(body, start, place):
    found = judged(start, place, answer(relu=body))
    assert found.scores == FULL | {"relu": 0}
    assert found["relu"].banned is not None
    assert found["relu"].banned.frames[-1].function == "relu"
    # The call is relu's own, though forward may not make it either.
    assert found["forward"].banned is None
    assert all(result.earned == result.check.points for result in found["relu"].results)


def test_a_banned_call_of_ones_own_is_found_behind_anothers(start, place):
    text = answer(relu="return torch.relu(x)", forward="return torch.sigmoid(relu(x))")
    found = judged(start, place, text)
    assert found.scores == {"relu": 0, "logistic": 1, "forward": 0}
    assert found["forward"].banned is not None
    assert "sigmoid" in found["forward"].banned.name


def test_a_banned_call_through_a_helper_is_a_call(start, place):
    text = "def helper(x):\n    return torch.relu(x)\n\n" + answer(relu="return helper(x)")
    assert judged(start, place, text).scores["relu"] == 0


def test_a_part_of_the_points(start, place):
    found = judged(start, place, answer(logistic="return x - 100"))
    result = found.result("test_logistic")
    assert (result.earned, result.lost) == (0.5, True)
    assert found.statuses["logistic"] == "partial"
    assert result.failure is not None
    assert (result.failure.bug, result.failure.kind) == ("negative", "fact")


def test_a_part_never_exceeds_the_whole(start, tmp_path):
    greedy = CHECKS.replace("earned=0.5", "earned=50")
    place = write_assignment(tmp_path, checks={"test_all.py": greedy})
    found = judged(start, place, answer(logistic="return x - 100"))
    assert found.scores["logistic"] == 1


def test_some_checks_of_an_exercise(start, place):
    found = judged(start, place, answer(relu="return torch.where(x > 0, x, x * 0).detach()"))
    assert found.scores == FULL | {"relu": 1}
    assert found.statuses["relu"] == "partial"
    failure = found.result("test_relu_gradient").failure
    assert failure is not None
    assert failure.kind == "gradient-missing"
    assert failure.observation is not None
    assert failure.observation.function == "relu"


def test_an_assert_of_an_authors_own_is_a_failure(start, tmp_path):
    plain = CHECKS.replace(
        'fail("it may be negative", bug="negative", earned=0.5)', 'assert False, "so it is"'
    )
    place = write_assignment(tmp_path, checks={"test_all.py": plain})
    found = judged(start, place, answer(logistic="return x - 100"))
    failure = found.result("test_logistic").failure
    assert failure is not None
    assert (failure.kind, failure.earned) == ("plain", 0)
    assert "so it is" in str(failure)


@pytest.mark.parametrize("line", ["1 / 0", "oracle.no_such_thing", "student._secret"])
def test_a_check_that_breaks_is_no_verdict(line, start, tmp_path):
    text = CHECKS.replace("    x = draw.normal(4)\n", f"    x = draw.normal(4)\n    {line}\n")
    place = write_assignment(tmp_path, checks={"test_all.py": text})
    with pytest.raises(GraderFailed, match=r"checks/test_all\.py::test_logistic"):
        judged(start, place, RIGHT)


def test_what_is_built_on_what_is_built_on(start, tmp_path):
    """A mistake costs once also two steps further on."""
    toml = TOML + '\n[[exercise]]\nname = "last"\nsignature = "last(x)"\npoints = 1\n'
    toml += 'uses = ["forward"]\n'
    checks = CHECKS + (
        '\n\n@pytest.mark.exercise("last")\n@pytest.mark.points(1)\n'
        "def test_last(student, oracle, draw):\n    x = draw.away_from(0, 5)\n"
        "    assert_matches(student.last(x), oracle.forward(x) * 2)\n"
    )
    place = write_assignment(tmp_path, toml=toml, checks={"test_all.py": checks})
    text = answer(relu="return x.abs()") + "\ndef last(x):\n    return forward(x) * 2\n"
    found = judged(start, place, text)
    assert found.scores == FULL | {"relu": 0, "last": 1}
    assert found["last"].stand_ins == ("relu",)
