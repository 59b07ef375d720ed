"""A stub comes as a module and as a notebook, one made from the other, and solves nothing."""

import ast
import contextlib
import importlib.util
import inspect
import io
import re
import tomllib
import warnings
from pathlib import Path

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.authoring.notebook import module_from_notebook, notebook_from_module, write_notebook

ASSIGNMENTS = Path(__file__).parents[1] / "assignments"
FOLDERS = sorted(path.parent for path in ASSIGNMENTS.glob("*/assignment.toml"))

each_assignment = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def stub_source(folder):
    return (folder / f"{folder.name}.py").read_text(encoding="utf-8")


def exercises(folder):
    return tomllib.loads((folder / "assignment.toml").read_text(encoding="utf-8"))["exercise"]


def functions(source):
    return [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]


def test_there_are_assignments():
    assert FOLDERS


@each_assignment
def test_committed_notebook_is_the_one_made_from_the_module(folder, tmp_path):
    module = tmp_path / f"{folder.name}.py"
    module.write_text(stub_source(folder), encoding="utf-8")
    committed = folder / f"{folder.name}.ipynb"
    made = write_notebook(module)
    assert nbformat.read(committed, as_version=4) == nbformat.read(made, as_version=4), (
        f"{committed.name} is out of date: make it again with write_notebook"
    )


@each_assignment
def test_module_survives_the_way_to_the_notebook_and_back(folder):
    source = stub_source(folder)
    assert module_from_notebook(notebook_from_module(source)) == source


@each_assignment
def test_functions_are_the_exercises_and_raise_not_implemented_and_no_more(folder):
    found = functions(stub_source(folder))
    assert [node.name for node in found] == [exercise["name"] for exercise in exercises(folder)]
    for node in found:
        assert ast.get_docstring(node), node.name
        assert [ast.unparse(line) for line in node.body[1:]] == ["raise NotImplementedError"]


@each_assignment
def test_module_holds_imports_functions_and_a_guarded_end(folder):
    *body, end = ast.parse(stub_source(folder)).body
    assert {type(node) for node in body} <= {ast.Import, ast.ImportFrom, ast.FunctionDef}
    assert isinstance(end, ast.If)
    assert ast.unparse(end.test) == "__name__ == '__main__'"


@each_assignment
def test_calls_raise_not_implemented(folder):
    spec = importlib.util.spec_from_file_location("stub", folder / f"{folder.name}.py")
    stub = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stub)
    for exercise in exercises(folder):
        function = getattr(stub, exercise["name"])
        signature = inspect.signature(function)
        assert exercise["name"] + str(signature) == exercise["signature"]
        with pytest.raises(NotImplementedError):
            function(*signature.parameters)


@each_assignment
def test_notebook_checks_each_exercise_right_after_it(folder):
    cells = [cell.source for cell in notebook_from_module(stub_source(folder)).cells]
    for exercise in exercises(folder):
        name = exercise["name"]
        (place,) = (i for i, cell in enumerate(cells) if cell.startswith(f"def {name}("))
        assert cells[place + 1] == f'from grader.notebook import check\n\ncheck("{name}", {name})'
    assert "grader" not in stub_source(folder)


@each_assignment
def test_what_the_handout_prints_is_what_its_code_prints(folder):
    """Blocks run in order in one namespace; the comment at or below a print is what it shows."""
    handout = (folder / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", handout, re.DOTALL | re.MULTILINE)
    assert blocks
    namespace = {}
    for block in blocks:
        shown = re.findall(r"^ *print\(.*\)(?:  |\n *)# (.*)$", block, re.MULTILINE)
        assert len(shown) == block.count("print("), block
        with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # reading a non-leaf's .grad warns, as the text says
            exec(block, namespace)
        assert printed.getvalue().splitlines() == shown


@each_assignment
def test_handout_has_the_section_of_each_exercise(folder):
    handout = (folder / "README.md").read_text(encoding="utf-8")
    for exercise in exercises(folder):
        heading = f"# {exercise['handout']} {exercise['signature']}, {exercise['points']} points\n"
        assert heading in handout


LINES = st.lists(st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), max_size=20))
TEXT = st.tuples(st.just("markdown"), LINES.map("\n".join))
CODE = st.tuples(st.just("code"), LINES.map("\n".join).map(lambda code: code.strip("\n")))
CHECK = st.just(("code", 'from grader.notebook import check\n\ncheck("sgd", sgd)'))


def notebook(cells):
    plain = [{"cell_type": kind, "source": source} for kind, source in cells]
    return nbformat.from_dict({"cells": plain})


def holds_no_module(kind, source):
    marks = ("# %%", "%", "!", "# check:") if kind == "code" else ("%%",)
    return any(line.startswith(marks) for line in source.split("\n"))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(TEXT, CODE, CHECK).filter(lambda cell: not holds_no_module(*cell))))
def test_cells_survive_the_way_to_the_module_and_back(cells):
    back = notebook_from_module(module_from_notebook(notebook(cells)))
    assert [(cell.cell_type, cell.source) for cell in back.cells] == cells


def test_an_edited_cell_leaves_the_ids_of_the_others():
    before = notebook_from_module("# %%\na = 1\n\n# %%\nb = 2\n\n# %%\nb = 2\n").cells
    after = notebook_from_module("# %%\na = 3\n\n# %%\nb = 2\n\n# %%\nb = 2\n").cells
    assert [cell.id for cell in before[1:]] == [cell.id for cell in after[1:]]
    assert len({cell.id for cell in before}) == 3
    assert before[0].id != after[0].id


def test_windows_line_ends_make_the_same_notebook():
    source = "# %% [markdown]\n# one\n#\n# two\n\n# %%\nx = 1\n"
    assert notebook_from_module(source.replace("\n", "\r\n")) == notebook_from_module(source)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import torch\n# %%\n", "line 1: text before the first cell marker"),
        ("# %%\n\n# %% [raw]\n", "line 3: .* no cell marker"),
        ("# %% [markdown]\n# fine\nnot fine\n", "line 3: in a cell of text"),
    ],
)
def test_a_module_that_is_no_percent_format_is_refused(source, why):
    with pytest.raises(ValueError, match=why):
        notebook_from_module(source)


@pytest.mark.parametrize(
    ("kind", "source", "why"),
    [
        ("code", "x = 1\n%time f()", "cell 1: a magic or shell line"),
        ("code", "!ls", "cell 1: a magic or shell line"),
        ("code", "x = 1\n# %% two", "cell 1: a line reads as a cell marker"),
        ("markdown", "%% comment", "cell 1: a line reads as a cell marker"),
        ("code", "# check: sgd", "cell 1: reads as the comment of a check"),
        ("raw", "x", "cell 1: a raw cell"),
    ],
)
def test_what_a_module_cannot_hold_is_refused(kind, source, why):
    with pytest.raises(ValueError, match=why):
        module_from_notebook(notebook([(kind, source)]))
