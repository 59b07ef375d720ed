"""`check` on objects of this process: what it says, and what it leaves as it was."""

from __future__ import annotations

import ast
import json
import random
import re
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from msgspec import structs

from grader.assignment import find_assignment
from grader.authoring.notebook import notebook_from_module
from grader.grading import with_grading
from grader.notebook import check
from grader.notebook.result import LEVEL
from grader.reading import read_for

ROOT = Path(__file__).resolve().parents[2]
WRONG = ROOT / "solutions" / "xor_by_hand" / "wrong"
LEAKY = "def relu(x):\n    return torch.where(x > 0, x, 0.01 * x)"
RIGHT = "def relu(x):\n    return torch.where(x > 0, x, torch.zeros_like(x))"


@pytest.fixture
def started(run: Any) -> Any:
    """A shell whose first two cells import what is needed."""
    run("import torch")
    run("from grader.notebook import check")
    return run


def test_a_right_one(started):
    started(RIGHT)
    result = started('check("relu", relu)')
    assert (result.passed, result.score, result.max_score) == (True, 2.0, 2.0)
    assert repr(result).splitlines() == [
        "✓ relu: 2 of 2 points of the public checks; 1 more is decided after hand-in.",
        "",
        LEVEL,
    ]
    html = result._repr_html_()
    assert 'class="ag-exercise ag-passed"' in html
    assert "keeps what is positive and turns the rest into zero" in html
    assert LEVEL in html


def test_a_wrong_one_is_named_with_its_cell_and_line(started):
    started("# a cell before it")
    started(LEAKY)
    result = started('check("relu", relu)')
    said = repr(result)
    assert "relu, cell [4], line 2: a part of the negative values still comes through" in said
    assert "Your line: return torch.where(x > 0, x, 0.01 * x)" in said
    assert "Try: Call your function with -100." in said
    html = result._repr_html_()
    assert "relu, cell [4], line 2:" in html
    assert re.search(r'<details class="ag-hint" open>\s*<summary>Hint 1 of 3</summary>', html)
    assert '<details class="ag-hint">\n<summary>Hint 2 of 3</summary>' in html
    assert "grade explain relu-leaky" in html
    # Run again after a change, it is another cell.
    started(LEAKY.replace("0.01", "0.02"))
    assert "relu, cell [6], line 2:" in repr(started('check("relu", relu, hints=0)'))
    assert "Hint" not in started('check("relu", relu, hints=0)')._repr_html_()


@pytest.mark.parametrize(
    "name",
    [
        "two_leaky_and_no_reset.py",
        "graph_cut_relu_numpy.py",
        "logistic_precedence_plain.py",
        "training_under_no_grad_with.py",
    ],
)
def test_it_says_what_grade_check_says(name, started):
    """The same points and the same findings, line by line, as for the file that holds the cell."""
    file = WRONG / name
    source = file.read_text(encoding="utf-8")
    expected = re.match(r"# expect: (.*)", source)
    assert expected is not None
    exercises = [part.partition(":")[0].strip() for part in expected[1].split(",")]
    assignment = structs.replace(find_assignment("xor_by_hand"), solutions=None)
    started(source)
    for exercise in exercises:
        there: list[Any] = []
        with_grading(
            assignment,
            lambda grading, there=there: there.append(grading.grade(read_for(file, assignment))),
            start_worker=None,
            isolation="",
            only=(exercise,),
        )
        (entry,) = there[0].report.exercises
        result = started(f'check("{exercise}", {exercise})')
        (here,) = result.reports[0].exercises
        assert entry.findings
        assert (here.score, here.status) == (entry.score, entry.status)
        for ours, theirs in zip(here.findings, entry.findings, strict=True):
            assert ours.cell == 3
            assert structs.replace(ours, cell=None, file=file.name) == theirs


def test_not_written_yet(started):
    started("def relu(x):\n    raise NotImplementedError")
    assert repr(started('check("relu", relu)')).startswith(
        "· relu: not attempted yet. The handout treats it in section 7.1."
    )
    assert "not attempted" in repr(started('check("sgd")')), "there is none of this name"


def test_functions_by_name_and_several_at_once(started):
    started(RIGHT)
    started("logistic = lambda x: 1 / (1 + torch.exp(-x))")
    assert started('check("relu")').passed
    assert started("check(relu)").passed
    both = started("check(logistic=logistic, relu=relu)")
    assert both.passed
    assert both.max_score == 4.0
    assert [report.exercises[0].name for report in both.reports] == ["relu", "logistic"]
    # Its own words, and the mistake that is somewhere else.
    started("def relu(x):\n    return x")
    started("def forward(X, W1, b1, W2, b2):\n    return logistic(relu(X @ W1 + b1) @ W2 + b2)")
    said = repr(started('check("forward", forward)'))
    assert "forward calls your relu and logistic: a mistake in one of them shows here too." in said


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ('check("rel", torch.relu)', "no assignment that is known here has an exercise called "),
        ('check("rel", torch.relu, assignment="xor_by_hand")',
         "xor_by_hand has no exercise called 'rel'. Did you mean relu? Its exercises are relu, "),
        ('check("relu", torch.ones(1))', "relu has to be the function itself, and this is a Tens"),
        ("check(3)", "an exercise's name was expected, not an int."),
        ('check("relu", torch.relu, assignment="xor")', "there is no assignment called 'xor'."),
    ],
)  # fmt: skip
def test_what_cannot_be_checked_is_said_and_not_raised(call, said, started):
    result = started(call)
    assert " ".join(repr(result).split()).startswith(said)
    assert not result.passed
    assert said[:40] in result._repr_html_().replace("&#39;", "'")


def test_a_broken_grader_is_no_verdict(started, monkeypatch):
    def broken(*args: object, **options: object) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr("grader.notebook.checking.with_checks", broken)
    result = started('check("relu", torch.relu)')
    assert repr(result) == "the grader failed: RuntimeError: out of order"


def test_what_a_student_wrote_is_text(started):
    started(
        "def relu(x):\n"
        "    print('</pre><script>alert(1)</script>\\x1b[2J')\n"
        "    raise ValueError('<img src=x onerror=alert(2)>\\u202e')"
    )
    result = started('check("relu", relu)')
    html = result._repr_html_()
    assert "&lt;script&gt;" in html
    for sign in ("<script", "<img", "\x1b", "\u202e"):
        assert sign not in html
    assert "\x1b" not in repr(result)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call may take half a second."""
    from grader.notebook import checking

    def find(exercises: list[str], named: str | None) -> Any:
        found = original(exercises, named)
        return structs.replace(found, limits=structs.replace(found.limits, call_seconds=0.3))

    original = checking.assignment_of
    monkeypatch.setattr(checking, "assignment_of", find)


@pytest.mark.usefixtures("quick")
def test_a_function_that_hangs_is_stopped(started):
    started("def relu(x):\n    while True:\n        pass")
    said = repr(started('check("relu", relu)'))
    assert "relu, cell [3], line" in said
    assert "it did not finish in time" in said


def settings() -> dict[str, Any]:
    return {
        "grad": torch.is_grad_enabled(),
        "dtype": torch.get_default_dtype(),
        "anomaly": torch.is_anomaly_enabled(),
        "strict": torch.are_deterministic_algorithms_enabled(),
        "printing": torch._tensor_str.get_printoptions(),
        "draws": torch.default_generator.get_state().tolist(),
        "plain draws": random.getstate(),
        "numpy draws": np.random.get_state()[1].tolist(),
        "streams": (sys.stdout, sys.stderr),
        "profiles": (sys.getprofile(), threading.getprofile()),
        "last": getattr(sys, "last_value", None),
        "backward": torch.autograd._make_grads,
        "modules": {name for name in sys.modules if name.split(".")[0] in ("submission",)},
    }


def test_the_kernel_is_left_as_it_was(started):
    started(
        "def relu(x):\n"
        "    torch.set_printoptions(precision=1)\n"
        "    torch.manual_seed(3)\n"
        "    torch.set_default_dtype(torch.float16)\n"
        "    return x / 0 if x.sum() > 1 else 1 / 0"
    )
    torch.manual_seed(7)
    random.seed(7)
    np.random.seed(7)
    try:
        torch.set_grad_enabled(False)
        torch.set_default_dtype(torch.float64)
        torch.set_printoptions(precision=7, linewidth=33)
        torch.autograd.set_detect_anomaly(True)
        torch.use_deterministic_algorithms(True, warn_only=True)
        sys.last_value = kept = ValueError("what %debug looks at")
        before = settings()
        result = started('check("relu", relu)')
        assert settings() == before
        assert torch.is_deterministic_algorithms_warn_only_enabled()
        assert sys.last_value is kept
        assert torch.relu(torch.ones(1)).item() == 1.0, "nothing refuses any more"
        assert result.score == 0
    finally:
        del sys.last_value
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        torch.set_printoptions(profile="default")
        torch.autograd.set_detect_anomaly(False)
        torch.use_deterministic_algorithms(False)


def test_the_verdict_does_not_depend_on_the_kernel(started):
    started(RIGHT)
    torch.set_grad_enabled(False)
    torch.set_default_dtype(torch.float64)
    try:
        with torch.device("meta"):
            assert started('check("relu", relu)').passed
        with torch.inference_mode():
            assert started('check("relu", relu)').passed
    finally:
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)


def test_an_interrupt_ends_the_check_and_not_the_verdict(started):
    started("def relu(x):\n    raise KeyboardInterrupt")
    assert repr(started('check("relu", relu)')) == "stopped: no verdict"


def test_magics(started, capsys):
    started("%load_ext grader")
    assert "relu, cell [4], line 3:" in repr(started(f"%%grade relu\n{LEAKY}"))
    result = started(f"%%grade relu\n%%time\n{RIGHT}")
    assert result.passed
    assert "Wall time" in capsys.readouterr().out
    assert started("%grade relu").passed
    assert repr(started("%grade rel")).startswith("no assignment that is known here")
    # Where the cell fails, the shell has said so.
    assert started("%%grade relu\n1 / 0") is None
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_the_notebook_says_which_assignment_it_is(started, shell, tmp_path, monkeypatch):
    """What two assignments have is told apart by metadata, by folder, else by what is written."""
    source = "\n".join(f"def {name}(*a):\n    raise NotImplementedError" for name in ("one", "two"))
    for name in ("first", "second"):
        folder = tmp_path / "assignments" / name
        (folder / "checks").mkdir(parents=True)
        (folder / "assignment.toml").write_text(
            'format_version = 1\ntitle = "T"\n[[exercise]]\nname = "one"\nsignature = "one(x)"\n'
            f'points = 1\n[[exercise]]\nname = "{name}"\nsignature = "{name}(x)"\npoints = 1\n',
            encoding="utf-8",
        )
        (folder / "library_pieces.py").write_text("def one(x):\n    return x\n", encoding="utf-8")
        (folder / "checks" / "test_all.py").write_text(
            "import pytest\n\n@pytest.mark.exercise('one')\n@pytest.mark.points(1)\n"
            "def test_one(student):\n    student.one(1)\n",
            encoding="utf-8",
        )
    started(source)

    def found() -> str:
        result = started('check("one", one)')
        return result.reports[0].assignment.name if result.reports else repr(result)

    assert found() == ('this could be first and second. Say which: check(..., assignment="first").')
    started("def second(x):\n    return x")
    assert found() == "second"
    assert started('check("one", one, assignment="first")').reports[0].assignment.name == "first"
    (tmp_path / ".grade.toml").write_text('assignment = "first"\n', encoding="utf-8")
    assert found() == "first"
    for tell in ("vscode", "jupyter"):
        notebook = notebook_from_module("# %%\nx = 1\n")
        name = {"vscode": "second", "jupyter": "first"}[tell]
        notebook["metadata"]["autograd_grader"] = {"assignment": name}
        file = tmp_path / f"{tell}.ipynb"
        file.write_text(json.dumps(notebook), encoding="utf-8")
        (tmp_path / ".grade.toml").write_text('assignment = "xor_by_hand"\n', encoding="utf-8")
        if tell == "vscode":
            shell.user_ns["__vsc_ipynb_file__"] = str(file)
        else:
            del shell.user_ns["__vsc_ipynb_file__"]
            monkeypatch.setenv("JPY_SESSION_NAME", str(file))
        assert found() == name


def test_its_signature_needs_no_torch():
    """What a notebook imports at its top is two functions."""
    source = (ROOT / "grader" / "notebook" / "__init__.py").read_text(encoding="utf-8")
    top = [node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert {getattr(node, "module", None) for node in top} <= {"__future__", "typing"}
    assert callable(check)


def test_hidden_checks_never_run_here():
    assert (ROOT / "solutions" / "xor_by_hand" / "checks").is_dir()

    def relu(x: Any) -> Any:
        return torch.where(x > 0, x, torch.zeros_like(x))

    result = check("relu", relu)
    assert result.reports[0].possible == 1
    assert Path(__file__).name in result.reports[0].submission.id
