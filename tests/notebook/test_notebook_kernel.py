"""Notebooks run from top to bottom in real kernels; and Python without IPython, as installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from grader.assignment import find_assignment
from grader.notebook.result import LEVEL
from grader.reading import read_for

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENT = ROOT / "assignments" / "xor_by_hand"
BODIES = {
    "relu": "    print('in relu')\n    return torch.where(x > 0, x, 0.01 * x)",
    "logistic": "    return 1 / (1 + torch.exp(-x))",
}
LOADED = """\
import sys; before = set(sys.modules)
%load_ext grader
sorted({"grader.checking", "pytest", "jinja2"} & (set(sys.modules) - before))"""
SGD = """\
%%grade sgd
def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad"""
LAST = "1 + 1  # it goes on"
INTERRUPTED = """\
import _thread, threading
def relu(x):
    threading.Timer(0.3, _thread.interrupt_main).start()
    while True:
        pass
check("relu", relu)  # interrupted"""


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GRADE_")}
    return kept | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The stub as `grade start` gives it, and after it, in the same kernel, one student's work."""
    folder = tmp_path_factory.mktemp("started") / "work"
    started = subprocess.run(
        [sys.executable, "-m", "grader", "start", "xor_by_hand", str(folder), "--notebook"],
        env=environment(), cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert started.returncode == 0, started.stderr
    notebook = nbformat.read(folder / "xor_by_hand.ipynb", 4)
    stub = [cell for cell in notebook.cells if cell.cell_type == "code"]
    written = [LOADED]
    for cell in stub:
        for name, body in BODIES.items():
            if cell.source.startswith(f"def {name}("):
                written.append(cell.source.replace("    raise NotImplementedError", body))
                written.append(f'check("{name}", {name})  # written')
    written += [SGD, INTERRUPTED, LAST]
    # Before the shipped cells that check: what loading the extension imports is looked at first.
    cells = [nbformat.v4.new_code_cell(source) for source in written]
    notebook.cells = [cells[0], *stub, *cells[1:]]
    client = pytest.importorskip("nbclient").NotebookClient(
        notebook, timeout=120, kernel_name="python3", allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
    )  # fmt: skip
    client.execute(env=environment())
    return {cell.source.splitlines()[-1]: cell for cell in notebook.cells}


def shown(cell: Any) -> tuple[str, str]:
    """The text and the HTML of the one thing that a cell shows."""
    (output,) = cell.outputs
    assert output.output_type == "execute_result"
    return output.data["text/plain"], output.data.get("text/html", "")


def test_the_stub_as_it_is_handed_out(ran):
    """Every check of it works, and says that nothing is written yet."""
    for exercise in find_assignment("xor_by_hand").exercises:
        text, html = shown(ran[f'check("{exercise.name}", {exercise.name})'])
        assert text.startswith(f"· {exercise.name}: not attempted yet. The handout treats it in")
        assert 'class="ag-exercise ag-not_attempted"' in html
        assert LEVEL in html


def test_what_a_student_wrote(ran):
    text, html = shown(ran['check("relu", relu)  # written'])
    number = ran['check("relu", relu)  # written'].execution_count - 1
    assert f"relu, cell [{number}], lines 1-10: a part of the negative values still comes" in text
    assert "At x[4, 1] = -5.56324 you returned -0.0556324, expected 0." in html
    assert 'class="ag-exercise ag-failed"' in html
    assert "<pre>in relu</pre>" in html
    assert "What your code printed" in html
    assert "<script" not in html
    text, html = shown(ran['check("logistic", logistic)  # written'])
    assert text.startswith("✓ logistic: 2 of 2 points of the public checks; 1 more is decided")
    assert 'class="ag-exercise ag-passed"' in html


def test_the_extension(ran):
    text, _ = shown(ran[LOADED.splitlines()[-1]])
    assert text == "[]", "by itself it imports nothing large"
    cell = ran[SGD.splitlines()[-1]]
    text, _ = shown(cell)
    assert f"sgd, cell [{cell.execution_count}], lines 2-5: the gradient is not reset" in text


def test_an_interrupted_check_is_no_verdict(ran):
    text, html = shown(ran[INTERRUPTED.splitlines()[-1]])
    assert text == "stopped: no verdict"
    assert "stopped: no verdict" in html
    assert shown(ran[LAST])[0] == "2"


def test_magics_are_dropped_when_the_notebook_is_graded(tmp_path):
    notebook = nbformat.v4.new_notebook()
    for source in ("%load_ext grader", "%%grade relu\ndef relu(x):\n    return x", "%grade relu"):
        notebook.cells.append(nbformat.v4.new_code_cell(source))
    file = tmp_path / "mine.ipynb"
    nbformat.write(notebook, file)
    submission = read_for(file, find_assignment("xor_by_hand"))
    assert [cell.source for cell in submission.cells] == ["\ndef relu(x):\n    return x"]
    assert submission.notes == ()


WITHOUT = """
import sys
sys.modules["IPython"] = None  # cannot be imported
import grader
assert not {"torch", "pytest", "jinja2"} & set(sys.modules)
from grader.notebook import check
assert "torch" not in sys.modules
import torch
def relu(x):
    return torch.where(x > 0, x, torch.zeros_like(x))
print(check("relu", relu))
print(check("relu", relu).reports[0].assignment.name)
print(len(check(relu)._repr_html_()) > 1000)
"""


def test_as_installed_and_without_ipython(tmp_path):
    """Assignments lie inside the package then, and nothing else is found."""
    package = tmp_path / "site" / "grader"
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "grader", package, ignore=skipped)
    shutil.copytree(ASSIGNMENT, package / "assignments" / "xor_by_hand", ignore=skipped)
    work = tmp_path / "work"
    work.mkdir()
    (work / "mine.py").write_text(WITHOUT, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "mine.py"],
        env=environment() | {"PYTHONPATH": str(package.parent)},
        cwd=work, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "✓ relu: 2 of 2 points of the public checks; 1 more is decided after hand-in.",
        "",
        LEVEL,
        "xor_by_hand",
        "True",
    ]
