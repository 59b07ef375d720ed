"""Loading a submission statement by statement, in a worker."""

from __future__ import annotations

import json
import time

import pytest
from checking_students import StartWorker

from grader.student.backend import WorkerBackend
from grader.student.proxy import Student
from grader.student.worker import messages as m
from grader.submission import read_submission


class Loaded:
    """A submission that was loaded into a worker."""

    def __init__(self, start: StartWorker, *cells: str, **more: float) -> None:
        names = [f"nb.ipynb#cell-{n}" for n in range(1, len(cells) + 1)]
        self.cells = [m.Cell(*pair) for pair in zip(names, cells, strict=True)]
        self.backend = WorkerBackend(start, m.Load(self.cells, **more))  # type: ignore[arg-type]
        self.loaded = self.backend.load()
        self.student = Student(self.backend)

    def __enter__(self) -> Loaded:
        return self

    def __exit__(self, *_: object) -> None:
        self.backend.close()

    @property
    def notes(self) -> list[tuple[str, int]]:
        return [(note.kind, note.line) for note in self.loaded.notes]


def test_a_statement_that_fails_is_noted_and_skipped(start):
    text = "a = 1\nb = undefined\n\n\ndef f():\n    return a\n\n\nc = [1][5]\n\n"
    text += "def g():\n    return 2\n"
    with Loaded(start, text) as found:
        assert found.notes == [("load_error", 2), ("load_error", 9)]
        assert found.loaded.notes[0].message == "NameError: name 'undefined' is not defined"
        assert found.loaded.notes[0].filename == "nb.ipynb#cell-1"
        assert (found.student.f(), found.student.g()) == (1, 2)
        assert {"f", "g"} <= set(found.loaded.functions)


def test_a_statement_that_fails_inside_a_call_names_the_line_inside(start):
    text = "def broken():\n    return 1 / 0\n\nx = broken()\n"
    with Loaded(start, text) as found:
        assert found.notes[0][0] == "load_error"
        assert found.notes[0][1] in (2, 4)


@pytest.mark.parametrize("leaving", ["raise SystemExit", "exit(1)", "import sys; sys.exit()",
                                     "raise KeyboardInterrupt"])  # fmt: skip
def test_leaving_at_the_top_leaves_nothing(leaving, start):
    with Loaded(start, f"import sys\n{leaving}\ndef f():\n    return 1\n") as found:
        assert [kind for kind, _ in found.notes] == ["load_error"]
        assert found.student.f() == 1


def test_a_process_that_is_ended_at_the_top_is_started_again_without_that_line(start):
    with Loaded(start, "import os\n\nos._exit(0)\n\ndef f():\n    return 1\n") as found:
        assert found.notes == [("load_died", 3)]
        assert found.student.f() == 1


def test_imports_from_the_future_hold_for_the_rest_of_the_file(start):
    text = (
        '"""Text."""\nfrom __future__ import annotations\n\n'
        "def f(x: no_such_type) -> None:\n    return str(f.__annotations__['x'])\n"
    )
    with Loaded(start, text) as found:
        assert found.notes == []
        assert found.student.f(1) == "no_such_type"
    with Loaded(start, text.replace("from __future__ import annotations\n", "")) as found:
        assert [kind for kind, _ in found.notes] == ["load_error"]


def test_it_is_not_the_main_module(start):
    text = (
        "state = []\nif __name__ == '__main__':\n    state.append('ran')\n"
        "def f():\n    return len(state), __name__ == '__main__'\n"
    )
    with Loaded(start, text) as found:
        assert found.student.f() == (0, False)


def test_a_statement_that_does_not_end(start):
    text = "a = 1\nwhile True:\n    a += 1\n\ndef f():\n    return a > 1\n"
    began = time.monotonic()
    with Loaded(start, text, statement_seconds=0.3) as found:
        assert time.monotonic() - began < 5
        ((kind, line),) = found.notes
        assert (kind, line in (2, 3)) == ("load_overrun", True)
        assert "0.3 s" in found.loaded.notes[0].message
        # What it did before it was stopped stays, as in a notebook.
        assert found.student.f() is True


def test_the_budget_of_all_statements(start):
    """Definitions still load when it is used up."""
    text = "import time\n" + "time.sleep(0.25)\n" * 6 + "a = 1\ndef f():\n    return 1\n"
    with Loaded(start, text, statement_seconds=1.0, total_seconds=0.6) as found:
        assert {kind for kind, _ in found.notes} == {"load_overrun"}
        assert (8 in [line for _, line in found.notes], len(found.notes) >= 4) == (True, True)
        assert found.student.f() == 1


def test_a_cell_with_a_syntax_error_costs_that_cell(start):
    with Loaded(start, "def f():\n    return 1\n", "x = 1\ndef g(:\n    pass\n",
                "def h():\n    return f() + 1\n") as found:  # fmt: skip
        assert found.notes == [("cannot_parse", 2)]
        assert found.loaded.notes[0].filename == "nb.ipynb#cell-2"
        assert found.student.h() == 2
        assert "g" not in found.loaded.functions


def test_cells_share_their_names(start):
    with Loaded(start, "a = 2\n", "def f():\n    return a\n", "a = 3\n") as found:
        assert found.student.f() == 3


def test_output_and_warnings_on_loading_are_kept(start):
    text = "import warnings\nprint('hi')\nwarnings.warn('hm')\n"
    with Loaded(start, text) as found:
        assert found.loaded.stdout == "hi\n"
        assert [w.message for w in found.loaded.warnings] == ["hm"]


def test_magic_lines_are_dropped_and_their_cells_kept(start, tmp_path):
    sources = [
        "%matplotlib inline\n!pip install torch\nimport torch",
        "%%time\ndef f(x):\n    return x + 1",
        "files = !ls\n?f\ndef g(x):\n    return f(x) * 2",
        "f(1)?",
    ]
    notebook = {
        "cells": [
            {"cell_type": "code", "id": f"c{n}", "metadata": {}, "source": text, "outputs": [],
             "execution_count": None}
            for n, text in enumerate(sources)
        ],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    file = tmp_path / "work.ipynb"
    file.write_text(json.dumps(notebook), encoding="utf-8")
    submission = read_submission(file)
    with Loaded(start, *[cell.source for cell in submission.cells]) as found:
        assert [note for note in found.notes if note[0] == "cannot_parse"] == []
        assert (found.student.f(1), found.student.g(1)) == (2, 4)


def test_the_graders_own_notebook_help_is_silent(start):
    text = "from grader.notebook import check\n\ncheck('relu')\n\ndef f():\n    return 1\n"
    with Loaded(start, text) as found:
        assert found.notes == []
        assert found.loaded.stdout == ""
        assert found.student.f() == 1


def test_the_grader_itself_is_out_of_reach(start):
    with Loaded(start, "import grader.checking\n\ndef f():\n    return 1\n") as found:
        assert found.notes == [("load_error", 1)]


def test_an_empty_cell_and_none_at_all(start):
    for cells in ([], [""], ["# nothing\n"]):
        with Loaded(start, *cells) as found:
            assert found.notes == []
            assert found.student.run("f", []).raised.type == "MissingFunction"
