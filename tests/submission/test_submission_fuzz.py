"""Any bytes at all: a submission or a refusal comes out, nothing else, and soon."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.errors import UnreadableSubmission
from grader.submission import read_submission, stub_digest

bounded = settings(
    max_examples=100, deadline=5000, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def outcome(path: Path, data: bytes) -> None:
    """Read it; what comes out must be fit for JSON, a refusal one line."""
    path.write_bytes(data)
    stub_digest(path.name, data)
    try:
        read = read_submission(path, stub_name="xor", stub_digests=frozenset({"x"}))
    except UnreadableSubmission as error:
        assert error.message
        assert "\n" not in str(error)
        str(error).encode()
    else:
        msgspec.json.encode(read)
        for cell in read.cells:
            compile(cell.source, read.filename(cell), "exec", flags=0x400)  # PyCF_ONLY_AST


@bounded
@given(st.binary(max_size=300))
@pytest.mark.parametrize("suffix", ["py", "ipynb", "zip"])
def test_random_bytes(tmp_path, suffix, data):
    outcome(tmp_path / f"a.{suffix}", data)


pieces = st.sampled_from(
    ["def f(x):", "\n", "    ", "\t", "return", " x", "(", ")", "[", "]", "{", "}", "'", '"', "'''",
     '"""', "f'", "\\", "\\\n", "%", "%%", "!", "?", "=", "!=", "#", "lambda", ":", "1", "await ",
     "async ", "é", "\ud800", "\0", "\f", "\r", "pip install x", "%%time\n", "%%bash\n", "x = !ls",
     "@", "*", "# coding: latin-1\n", "\ufeff", "match x:\n case ", "\u2028"]
)  # fmt: skip
source_text = st.lists(pieces, max_size=25).map("".join)


@bounded
@given(source_text)
def test_source_of_python_like_pieces(tmp_path, text):
    outcome(tmp_path / "a.py", text.encode(errors="surrogatepass"))


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=8,
)
cell = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown"]) | anything},
    optional={"source": source_text | st.lists(source_text | anything, max_size=3) | anything,
              "input": source_text | anything, "outputs": anything, "metadata": anything},
)  # fmt: skip
notebooks = st.fixed_dictionaries(
    {},
    optional={
        "nbformat": st.sampled_from([1, 2, 3, 4, 5]) | anything,
        "nbformat_minor": st.just(0) | anything,
        "cells": st.lists(cell | anything, max_size=4) | anything,
        "worksheets": st.lists(
            st.fixed_dictionaries({"cells": st.lists(cell, max_size=3)}) | anything, max_size=2
        )
        | anything,
        "metadata": anything
        | st.fixed_dictionaries(
            {"autograd_grader": anything | st.fixed_dictionaries({"assignment": anything})}
        ),
    },
)


@bounded
@given(notebooks | anything)
@pytest.mark.parametrize("suffix", ["py", "ipynb"])
def test_json_shaped_like_a_notebook(tmp_path, suffix, content: Any):
    outcome(tmp_path / f"a.{suffix}", json.dumps(content).encode())


def real_zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("é/xor.py", "def relu(x):\n    return x\n" * 20)
        archive.writestr("é/notes.txt", "hello")
        archive.writestr("é/.hidden.py", "hello")
    return buffer.getvalue()


ZIP = real_zip()


@settings(bounded, max_examples=300)
@given(
    st.lists(st.tuples(st.integers(0, len(ZIP) - 1), st.integers(0, 255)), max_size=6),
    st.integers(0, len(ZIP)),
    st.booleans(),
)
def test_mutated_zips(tmp_path, changes, cut, shorten):
    data = bytearray(ZIP)
    for place, value in changes:
        data[place] = value
    outcome(tmp_path / "a.zip", bytes(data[:cut] if shorten else data))
