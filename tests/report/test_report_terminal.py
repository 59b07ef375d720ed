"""What is seen on a terminal. GOLDEN=write in the environment writes golden texts anew."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path

import pytest
from msgspec import structs

from grader.report.class_table import class_table
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
from grader.report.screen import Screen, clean
from grader.report.terminal import next_step, render, score_line

GOLDEN = Path(__file__).with_name("golden")
ESCAPE = "\x1b"

RESET = FindingEntry(
    "gradient-not-reset",
    "after your step the old gradient is still there",
    "First backward gave W1.grad[0, 3] = 0.0123, the second 0.0456; .grad then held 0.0579, which "
    "is 0.0123 + 0.0456.\n"
    "Your step itself is right. Reset: b1, b2. Not reset: W1, W2.\n"
    "Why it matters: backward() adds to .grad, so each later step also repeats every earlier one.",
    line=41,
    end_line=44,
    hints=(
        "what should W1.grad be when sgd returns?",
        "backward() adds, so something has to empty .grad.",
        "Methods that end in an underscore work in place.",
    ),
    handout="3",
    check="checks/test_sgd.py::test_reset",
)
UNKNOWN = FindingEntry(
    None,
    "2 of 12 values differ, and this is no mistake that we recognise",
    "Largest at x = 800: you returned nan, expected 1 (difference nan, allowed 1e-05).",
    line=2,
    cell=3,
    hints=("work x = 0 by hand, then print your intermediate values.",),
    check="checks/test_logistic.py::test_values",
    output="shape [red](3,)[/red]\n",
)


def report(*exercises, **facts):
    earned = float(sum(entry.score for entry in exercises))
    whole = Report(
        AssignmentRef("xor_by_hand", "XOR by hand: a small neural network on raw tensors", "ab"),
        SubmissionRef("my_xor", (FileRef("my_xor.py", "0" * 64),)),
        "graded",
        True,
        earned,
        float(sum(entry.max_score for entry in exercises)),
        tuple(exercises),
        seed=20261,
        isolation="process",
        duration=2.13,
    )
    return structs.replace(whole, **facts)


def passed(name, points, **more):
    return ExerciseEntry(name, points, points, "passed", **more)


MIXED = report(
    passed("relu", 3.0),
    ExerciseEntry("logistic", 1.0, 3.0, "partial", (UNKNOWN,), handout="7.2"),
    passed("cross_entropy", 4.0),
    passed("forward", 4.0, stood_in=("logistic",)),
    ExerciseEntry(
        "sgd",
        2.5,
        5.0,
        "partial",
        (RESET,),
        (AdviceEntry("uses-dot-data", "`.data` works here, but it hides mistakes.", 30),),
    ),
    ExerciseEntry("init_params", 0.0, 2.0, "not_attempted", handout="7.6"),
    notes=(
        NoteEntry("load-error", "NameError: name 'plt' is not defined", "my_xor.py", 60),
        NoteEntry("cell-magic", "cell 2, line 1: a magic line was dropped", cell=2, line=1),
    ),
    review=("the source reaches for ctypes (line 3)",),
)
PUBLIC = report(
    passed("relu", 2.0, possible=1.0),
    passed("sgd", 3.0, possible=2.0),
    complete=False,
    possible=3.0,
)
STUB = report(
    ExerciseEntry("relu", 0.0, 3.0, "not_attempted", handout="7.1"),
    ExerciseEntry("logistic", 0.0, 3.0, "not_attempted", handout="7.2"),
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mixed", lambda: render(MIXED, width=80, color=False, hints=2)),
        ("mixed_narrow", lambda: render(MIXED, width=60, color=False)),
        ("public", lambda: render(PUBLIC, width=80, color=False)),
        ("stub", lambda: render(STUB, width=80, color=False)),
        ("class", lambda: class_table([MIXED, PUBLIC, STUB], color=False)),
    ],
)
def test_golden(name, text):
    place = GOLDEN / f"{name}.txt"
    if os.environ.get("GOLDEN") == "write":
        place.write_text(text(), encoding="utf-8")
    assert text() == place.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", range(60, 121, 7))
def test_every_width_fits(runs, width):
    for shown in [MIXED, PUBLIC, STUB, *(run.report for run in runs.values())]:
        lines = render(shown, width=width, color=False, hints=3).splitlines()
        assert max(map(len, lines)) <= width
        assert all(line == line.rstrip() for line in lines)
        assert ("", "") not in list(itertools.pairwise(lines))


def test_first_screen_says_score_and_next_step(runs):
    for run in runs.values():
        top = render(run.report, width=80, color=False).splitlines()[:24]
        assert any(score_line(run.report) in line for line in top)
        assert sum(line.startswith("Next: ") for line in top) == 1


def test_score_lines():
    assert score_line(MIXED) == "14.5 of 21 points"
    public = report(ExerciseEntry("relu", 14.0, 14.0, "passed"), complete=False, possible=11.0)
    assert score_line(public) == "public checks: 14 of 25 points; 11 are decided after hand-in"
    lost = report(ExerciseEntry("relu", 1.0, 2.0, "partial"), complete=False, possible=1.0)
    assert score_line(lost) == (
        "public checks: 1 of 3 points; 1 lost so far, 1 is decided after hand-in"
    )
    alone = report(passed("relu", 3.0), complete=False, left_out=("sgd",))
    assert score_line(alone) == "relu alone: 3 of 3 points"


def test_public_checks_are_never_full_marks():
    for width in (60, 80, 120):
        text = render(PUBLIC, width=width, color=False)
        assert "full marks" not in text.lower()
        assert "5 of 5 points" not in text
        assert "nothing has to be mended" not in text


def test_next_steps():
    assert next_step(STUB) == "write relu (handout 7.1)"
    assert next_step(MIXED) == (
        "logistic, cell 3, line 2: work x = 0 by hand, then print your intermediate values."
    )
    assert next_step(MIXED, hints=0) == f"logistic, cell 3, line 2: {UNKNOWN.title}"
    assert next_step(PUBLIC).startswith("hand it in.")
    assert next_step(report(passed("relu", 3.0))) == "nothing has to be mended. Hand it in."
    skipped = structs.replace(STUB, notes=(NoteEntry("load-error", "SyntaxError", "a.py", 7),))
    assert next_step(skipped) == "write relu; if you have, mend line 7, which was skipped"


def test_hints_open_one_at_a_time():
    for level in range(4):
        text = render(report(ExerciseEntry("sgd", 0.0, 5.0, "failed", (RESET,))), hints=level)
        flat = " ".join(text.split())
        assert [hint in flat for hint in RESET.hints] == [level > place for place in range(3)]


def test_a_finding_takes_at_most_six_lines_before_wrapping():
    long = structs.replace(RESET, message="\n".join(f"line {n}" for n in range(30)))
    text = render(report(ExerciseEntry("sgd", 0.0, 5.0, "failed", (long,))), width=120, color=False)
    after = text.partition("\nsgd, lines 41-44: ")[2].partition("\n\n")[0]
    assert len(after.splitlines()) == 6
    assert "line 3 ..." in after
    assert "line 4" not in after.replace("lines 41", "")


HOSTILE = (
    "[bold red]x[/] [link=file:///etc]y[/link] :bomb: "
    "\x1b[31mred\x1b[2J\x1b]0;owned\x07 \x9b1m a\rb \x08 \u202eabc \x00"
)


@pytest.mark.parametrize("color", [False, True])
def test_student_text_is_never_markup_nor_escapes(color):
    found = FindingEntry(
        None, HOSTILE, HOSTILE, line=1, hints=(HOSTILE,), output=HOSTILE, check="c", file=HOSTILE
    )
    hostile = report(
        ExerciseEntry("relu", 0.0, 3.0, "failed", (found,), (AdviceEntry("s", HOSTILE),)),
        notes=(NoteEntry("load-error", HOSTILE, HOSTILE, 3),),
        review=(HOSTILE,),
        submission=SubmissionRef(HOSTILE, (FileRef(HOSTILE, "0" * 64),)),
    )
    unreadable = structs.replace(hostile, status="unreadable")
    for text in (
        render(hostile, color=color, hints=3, width=120, show_input={"c": HOSTILE}),
        render(unreadable, color=color, width=120),
        class_table([hostile, unreadable], color=color),
    ):
        ours = re.compile(r"\x1b\[[0-9;]*m") if color else re.compile(r"(?!)")
        left = ours.sub("", text)
        assert "[bold red]x[/]" in left
        assert re.findall(r"[^\n -~\u00a0-\u2017\u2030-\ud7ff]", left) == []
        assert "owned" not in left
        assert "\x1b[31mred" not in text


def test_clean_shows_what_it_does_not_pass_on():
    assert clean("a\x1b[1mb\x1b[0m") == "ab"
    assert clean("a\x07b\rc\u202ed") == "a\\x07b\\x0dc\\x202ed"
    assert clean("one\r\ntwo\n\tthree") == "one\ntwo\n    three"


def test_plain_text_has_no_escapes_and_colour_changes_nothing_else():
    plain = render(MIXED, width=80, color=False)
    colored = render(MIXED, width=80, color=True)
    assert ESCAPE not in plain
    assert ESCAPE in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain


def test_no_color_is_respected(monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert ESCAPE in render(STUB)
    monkeypatch.setenv("NO_COLOR", "1")
    assert ESCAPE not in render(STUB)
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)
    assert ESCAPE not in render(STUB)


def test_every_status_is_a_word():
    text = render(MIXED, width=80, color=False)
    for word in ("passed", "partial", "not attempted"):
        assert word in text


def test_signs_have_plain_forms():
    screen = Screen(80, color=False, unicode=False)
    screen.add("✓ ✗ ·")
    assert screen.text() == "+ x -\n"


@pytest.mark.parametrize("status", ["unreadable", "grader_failed"])
def test_without_a_verdict_the_reason_is_said(status):
    text = render(
        report(status=status, complete=False, notes=(NoteEntry(status, "a.py is empty"),)),
        color=False,
    )
    assert "a.py is empty" in text
    assert "0 of 0" not in text
    assert "Next" not in text


def test_snippets_are_whole_and_stand_by_their_finding():
    snippet = "import torch\n" + "x = torch.tensor([" + ", ".join(["1.0"] * 40) + "])\n"
    text = render(MIXED, width=60, color=False, show_input={UNKNOWN.check: snippet})
    for line in snippet.splitlines():
        assert f"    {line}" in text.splitlines()


def test_the_class_table_fits_80_columns(runs):
    rows = [
        structs.replace(run.report, submission=SubmissionRef("x" * 70)) for run in runs.values()
    ]
    rows += [run.report for run in runs.values()]
    rows.append(report(status="unreadable", notes=(NoteEntry("unreadable", "y" * 200),)))
    lines = class_table(rows, color=False).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) == len(rows) + 5
    assert "float64-mixing" in "\n".join(lines)
    assert "logistic: float64-mixing" in class_table([runs["float64"].report], color=False)


def test_exercises_with_the_same_stand_ins_share_a_line():
    text = render(
        report(
            passed("forward", 4.0, stood_in=("relu", "logistic")),
            passed("loss", 4.0, stood_in=("relu",)),
            passed("train", 4.0, stood_in=("relu", "logistic")),
        ),
        width=120,
        color=False,
    )
    assert "forward and train were judged with the library's relu and logistic in place" in text
    assert "loss was judged with the library's relu in place of yours" in text
