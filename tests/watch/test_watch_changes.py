"""What is said to be different from one run to the next, and how a run is laid out."""

from __future__ import annotations

import pytest
from msgspec import structs

from grader.report.model import (
    AdviceEntry,
    AssignmentRef,
    ExerciseEntry,
    FileRef,
    FindingEntry,
    NoteEntry,
    Report,
    SubmissionRef,
)
from grader.watching.changes import changes
from grader.watching.view import fitted, next_thing, run_block, waiting_block

LEAKY = FindingEntry(
    "relu-leaky",
    "a part of the negative values still comes through",
    "At x[0] = -2 you returned -0.02, expected 0.",
    line=9,
    hints=("Call it with -100.", "Compare with max(0, x)."),
)
UNNAMED = FindingEntry(None, "3 of 12 values differ", "At x[0] = 1 you returned 2.", line=9)


def exercise(name: str, score: float, status: str, *findings: FindingEntry) -> ExerciseEntry:
    return ExerciseEntry(name, score, 4.0, status, findings, possible=1.0)  # type: ignore[arg-type]


def report(*exercises: ExerciseEntry, **more: object) -> Report:
    score = sum(one.score for one in exercises)
    return structs.replace(
        Report(
            AssignmentRef("net", "A network", "0" * 64),
            SubmissionRef("net", (FileRef("net.py", "0" * 64),)),
            "graded",
            complete=False,
            score=score,
            max_score=4.0 * len(exercises),
            exercises=exercises,
            possible=float(len(exercises)),
        ),
        **more,
    )


STUB = report(exercise("relu", 0, "not_attempted"), exercise("sgd", 0, "not_attempted"))
LOSING = report(exercise("relu", 2, "partial", LEAKY), exercise("sgd", 0, "failed", UNNAMED))
DONE = report(exercise("relu", 4, "passed"), exercise("sgd", 4, "passed"))
UNREADABLE = report(
    status="unreadable", notes=(NoteEntry("unreadable", "net.py, line 3 is no valid Python (x)"),)
)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (DONE, DONE, ()),
        (
            STUB,
            LOSING,
            (
                "relu: 0 -> 2 points",
                "new: relu-leaky in relu",
                "sgd: not attempted -> failed",
                "new: a mistake without a name in sgd",
            ),
        ),
        (
            LOSING,
            DONE,
            (
                "relu: 2 -> 4 points",
                "gone: relu-leaky in relu",
                "sgd: 0 -> 4 points",
                "gone: a mistake without a name in sgd",
            ),
        ),
        (LOSING, UNREADABLE, ()),
    ],
)
def test_changes(before, after, said):
    assert changes(before, after) == said


def test_other_numbers_are_no_other_mistake():
    again = structs.replace(UNNAMED, title="2 of 12 values differ")
    assert changes(report(exercise("sgd", 0, "failed", UNNAMED)),
                   report(exercise("sgd", 0, "failed", again))) == ()  # fmt: skip


def lines(block) -> list[str]:
    return block.text.splitlines()


def test_a_run_ends_with_the_next_thing():
    block = run_block(LOSING, changes(STUB, LOSING), hints=1, width=80)
    assert lines(block)[0] == "net.py · A network"
    assert "  relu: 0 -> 2 points" in lines(block)
    assert "  At x[0] = -2 you returned -0.02, expected 0." in lines(block)
    assert not any("3 of 12" in line for line in lines(block)), "one mistake at a time"
    assert "1 more finding: `grade` shows all." in lines(block)
    assert lines(block)[-1] == "Next: relu, line 9: Call it with -100."


def test_the_first_run_has_nothing_to_compare_with():
    assert "Since the save before" not in run_block(LOSING, None, hints=1, width=80).text
    same = run_block(LOSING, (), hints=1, width=80).text
    assert "Since the save before: nothing that counts is different\n" in same


def test_more_hints_stand_with_the_finding():
    text = run_block(LOSING, None, hints=2, width=80).text
    assert "Hint 2: Compare with max(0, x)." in text
    assert "Hint 2" not in run_block(LOSING, None, hints=1, width=80).text


def test_where_all_public_checks_pass_it_says_what_is_decided_later():
    assert next_thing(DONE) == (
        "hand it in. All public checks pass; 2 of 10 points are decided after hand-in, by checks "
        "on other inputs."
    )


def test_it_does_not_point_at_advice_that_it_leaves_out():
    advised = structs.replace(DONE.exercises[0], advice=(AdviceEntry("overflow", "it overflows"),))
    found = structs.replace(DONE, exercises=(advised,), possible=0.0, complete=True)
    assert "`grade` shows advice" in next_thing(found)
    assert "below" not in run_block(found, None, hints=1, width=80).text


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (UNREADABLE, "mend that and save."),
        (structs.replace(UNREADABLE, status="grader_failed"), "save once more."),
        (STUB, "write relu"),
        (structs.replace(DONE, left_out=("train",)), "grade the whole file"),
        (structs.replace(DONE, possible=0.0, complete=True), "nothing has to be mended."),
    ],
)
def test_there_is_always_a_next_thing(found, said):
    assert next_thing(found).startswith(said)
    assert run_block(found, None, hints=1, width=80).bottom[0].startswith(f"Next: {said}")


def test_while_the_file_is_gone_the_last_verdict_stays():
    assert lines(waiting_block("net.py", LOSING, width=100)) == [
        "net.py is gone",
        "before that: public checks: 2 of 10 points; 6 lost so far, 2 are decided after hand-in",
        "",
        "Next: save it again. It is graded as soon as it is back.",
    ]


@pytest.mark.parametrize("rows", range(1, 24))
def test_a_small_window_keeps_what_is_next(rows):
    block = run_block(LOSING, changes(STUB, LOSING), hints=1, width=80)
    shown = fitted(block, rows)
    assert len(shown) <= rows
    assert shown[-1] == "Next: relu, line 9: Call it with -100."
    if rows >= len(lines(block)):
        assert shown == lines(block)


def test_what_a_student_wrote_moves_no_cursor():
    evil = structs.replace(LEAKY, title="\x1b[2J", message="\x1b]0;x\x07\u202e", hints=("\x9b2J",))
    text = run_block(report(exercise("relu", 0, "failed", evil)), (), hints=1, width=80).text
    assert not any(sign in text for sign in "\x1b\u202e\x9b")
