"""Reading notebooks: cells, magics, broken cells, odd files."""

import json
from pathlib import Path
from typing import Any

import pytest

from grader.errors import UnreadableSubmission
from grader.submission import read_submission
from grader.submission.magics import without_magics


def notebook(*sources: Any, **more: Any) -> dict[str, Any]:
    cells: list[Any] = [{"cell_type": "markdown", "source": "# XOR", "metadata": {}}]
    for source in sources:
        cells.append(
            {"cell_type": "code", "source": source, "metadata": {}, "outputs": [],
             "execution_count": 7}
        )  # fmt: skip
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells, **more}


def write(folder: Path, content: Any, name: str = "xor.ipynb") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(UnreadableSubmission) as caught:
        read_submission(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_cells_are_counted_among_the_code_cells(tmp_path):
    read = read_submission(write(tmp_path, notebook("a = 1", "", ["b = 2\n", "c = 3"])))
    assert read.is_notebook
    assert [(cell.number, cell.source, cell.first_line) for cell in read.cells] == [
        (1, "a = 1", 1),
        (3, "b = 2\nc = 3", 1),
    ]
    assert read.source == "a = 1\nb = 2\nc = 3"
    assert read.filename(read.cells[1]) == "xor.ipynb#cell-3"
    assert read.notes == ()


def test_a_bad_cell_does_not_take_the_rest_with_it(tmp_path):
    read = read_submission(write(tmp_path, notebook("a = 1", "b = 2\nc = = 3", 5, ["d", 1], "e=1")))
    assert [cell.number for cell in read.cells] == [1, 5]
    assert [(note.kind, note.cell, note.line) for note in read.notes] == [
        ("cell-left-out", 2, 2),
        ("cell-left-out", 3, None),
        ("cell-left-out", 4, None),
    ]
    assert read.notes[0].message == "cell 2, line 2 is no valid Python (invalid syntax: c = = 3)"


def test_no_cell_left_is_a_refusal_that_names_the_first(tmp_path):
    text = refusal(write(tmp_path, notebook("%%bash\nls", "a = 1\ndef f(:")))
    assert "xor.ipynb has no cell of valid Python: cell 2, line 2 is no valid Python" in text
    assert "begins with %%bash" in refusal(write(tmp_path, notebook("%%bash\nls")))


@pytest.mark.parametrize(
    "content", [notebook(), notebook(" \n", ""), notebook("%matplotlib inline")]
)
def test_no_code_at_all(tmp_path, content):
    assert "xor.ipynb has no code in it" in refusal(write(tmp_path, content))


def test_the_assignment_is_remembered_in_the_metadata(tmp_path):
    def remembered(metadata: Any) -> str | None:
        return read_submission(write(tmp_path, notebook("a = 1", metadata=metadata))).assignment

    assert remembered({"autograd_grader": {"assignment": "xor_by_hand"}}) == "xor_by_hand"
    for odd in ({}, [], None, {"autograd_grader": "x"}, {"autograd_grader": {"assignment": 5}},
                {"autograd_grader": {"assignment": "a\nb"}},
                {"autograd_grader": {"assignment": "x" * 1000}}):  # fmt: skip
        assert remembered(odd) is None


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("%matplotlib inline\nx = 1", "\nx = 1"),
        ("!pip install torch\nx = 1", "\nx = 1"),
        ("!pip install \\\n  torch\nx = 1", "\n\nx = 1"),
        ("!echo \"it's\nx = 1", "\nx = 1"),
        ("pip install torch\nx = 1", "\nx = 1"),
        ("% timeit f()\nx = 1", "\nx = 1"),
        ("?relu\nx = 1", "\nx = 1"),
        ("relu?\nx = 1", "\nx = 1"),
        ("torch.relu??\nx = 1", "\nx = 1"),
        ("%pinfo relu\n!!ls\n??x\nx = 1", "\n\n\nx = 1"),
        ("if True:\n    !ls\nx = 1", "if True:\n    pass\nx = 1"),
        ("for i in y:\n\t%time f()", "for i in y:\n\tpass"),
        ("y = %pwd\nx = 1", "\nx = 1"),
        ("def f():\n    a, b = !ls -l\n", "def f():\n    pass\n"),
        ("%%time\nx = 1", "\nx = 1"),
        ("\n%%timeit -n 5\nx = 1", "\n\nx = 1"),
        ("%%capture out\n%%time\nx = 1\n%pwd", "\n\nx = 1\n"),
        ("# timing\n%%time\nx = 1", "# timing\n\nx = 1"),
        ("  %pwd\n  x = 1\n  y = 2", "\nx = 1\ny = 2"),
    ],
)
def test_magics_are_blanked_and_lines_stay(source, plain):
    assert without_magics(source).source == plain
    assert source.count("\n") == plain.count("\n")


@pytest.mark.parametrize(
    "source",
    [
        's = """\n%matplotlib inline\n!ls\nhelp?\n"""',
        "s = '''\n%%time\n'''",
        "x = (5\n% 3)",
        "x = [1,\n!",
        "x = 5 \\\n% 3",
        "s = 'it\\\n%pwd'",
        "x != y",
        "x = a % b",
        "pip = 1",
        "# what is this?",
        "# %pwd",
        "'is it?'",
    ],
)
def test_what_only_looks_like_magic_is_kept(source):
    assert without_magics("%pwd\n" + source).source == "\n" + source


def test_a_cell_that_parses_is_not_touched(tmp_path):
    source = 'text = """\n%matplotlib inline\n!ls\n"""\nx = 7 \\\n% 4'
    assert read_submission(write(tmp_path, notebook(source))).cells[0].source == source


@pytest.mark.parametrize(
    "magic", ["bash", "html", "writefile relu.py", "latex", "javascript", "sql"]
)
def test_cells_in_other_languages_are_left_out_with_a_note(tmp_path, magic):
    read = read_submission(write(tmp_path, notebook(f"%%{magic}\nx = 1", "y = 1")))
    assert [cell.number for cell in read.cells] == [2]
    (note,) = read.notes
    assert (note.kind, note.cell) == ("cell-magic", 1)
    assert f"%%{magic.split()[0]}" in note.message


def test_a_name_that_a_magic_would_have_given_is_noted(tmp_path):
    read = read_submission(write(tmp_path, notebook("x = 1\nfiles = !ls")))
    (note,) = read.notes
    assert (note.kind, note.cell, note.line) == ("magic-assignment", 1, 2)


def test_await_at_top_level_is_noted(tmp_path):
    read = read_submission(write(tmp_path, notebook("x = 1\nawait f()")))
    (note,) = read.notes
    assert (note.kind, note.cell, note.line) == ("top-level-await", 1, 2)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "its JSON is broken at line 1"),
        ("[1, 2]", "its JSON is no object"),
        ("{}", "it has no list of cells"),
        ('{"cells": 3, "nbformat": 4}', "it has no list of cells"),
        ('{"cells": {}, "nbformat": 4}', "it has no list of cells"),
        ('{"cells": [3, null, [], {}], "nbformat": 4}', "has no code in it"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "its JSON is nested too deeply"),
        ("[" * 600_000, "its outputs hold too much"),
        ('{"a": ' + "1" * 10_000 + "}", "its JSON is broken"),
        ("<html>", "it is not JSON"),
        ('{"nbformat": 2, "worksheets": 5}', "it is in format 2 and cannot be upgraded"),
        ('{"nbformat": 3}', "is no notebook"),
    ],
)
def test_what_is_no_notebook(tmp_path, content, said):
    assert said in refusal(write(tmp_path, content))


def test_a_notebook_with_a_mark_and_nan_in_its_outputs(tmp_path):
    content = notebook("a = 1")
    content["cells"][1]["outputs"] = [{"data": float("nan")}]
    assert read_submission(write(tmp_path, "\ufeff" + json.dumps(content))).source == "a = 1"


@pytest.mark.parametrize("source", ["x = '\ud800'", "x = 1\0"])
def test_signs_that_source_cannot_have(tmp_path, source):
    read = read_submission(write(tmp_path, notebook("a = 1", source)))
    (note,) = read.notes
    assert (note.kind, note.cell, note.line) == ("cell-left-out", 2, 1)
    note.message.encode()


@pytest.mark.parametrize(("version", "end"), [(2, ""), (3, "\n")])
def test_an_old_notebook_is_upgraded(tmp_path, capfd, version, end):
    cells = [
        {"cell_type": "code", "input": ["a = 1" + end, "b = 2"], "language": "python",
         "outputs": [], "metadata": {}, "collapsed": False, "prompt_number": 1},
    ]  # fmt: skip
    content = {
        "nbformat": version,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [{"cells": cells, "metadata": {}}],
    }
    read = read_submission(write(tmp_path, content))
    assert read.cells[0].source == "a = 1\nb = 2"
    assert [note.kind for note in read.notes] == ["notebook-upgraded"]
    assert capfd.readouterr() == ("", "")


def test_a_notebook_that_is_called_py_is_read_as_one(tmp_path):
    read = read_submission(write(tmp_path, notebook("a = 1"), "xor.py"))
    assert read.is_notebook
    assert [note.kind for note in read.notes] == ["notebook-named-py"]
    assert read.filename(read.cells[0]) == "xor.py#cell-1"


def test_thousands_of_cells_and_megabytes_of_code_are_refused(tmp_path):
    assert "more than 2000 code cells" in refusal(write(tmp_path, notebook(*["a = 1"] * 2001)))
    text = refusal(write(tmp_path, notebook(*["a = 1\n" * 100_000] * 2)))
    assert "its cells hold more than 1 MiB of code" in text
    text = refusal(write(tmp_path, notebook(*["f'" + "{a}" * 5_000 + "a" * 100_000 + "'"] * 4)))
    assert "xor.ipynb is too large: it has too many braces" in text
    path = tmp_path / "big.ipynb"
    with path.open("wb") as file:
        file.truncate(21 << 20)
    assert "big.ipynb is too large: 21 MiB, and 20 MiB are allowed" in refusal(path)
