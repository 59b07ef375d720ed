"""Notebooks and zips with anything changed in them: a submission or UnreadableSubmission, soon."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.errors import UnreadableSubmission
from grader.submission import Submission, read_submission

STUB = Path(__file__).resolve().parents[2] / "assignments" / "xor_by_hand" / "xor_by_hand.ipynb"
NOTEBOOK: dict[str, Any] = json.loads(STUB.read_text(encoding="utf-8"))
bounded = settings(
    max_examples=100, deadline=5000, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


def outcome(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        assert isinstance(read_submission(path), Submission)
    except UnreadableSubmission as error:
        assert "\n" not in str(error)


def places(thing: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    pairs = (
        thing.items()
        if isinstance(thing, dict)
        else enumerate(thing)
        if isinstance(thing, list)
        else ()
    )
    return found + [place for key, inner in pairs for place in places(inner, (*path, key))]


PLACES = places(NOTEBOOK)


@bounded
@given(st.lists(st.tuples(st.sampled_from(PLACES), anything), min_size=1, max_size=3))
def test_a_notebook_with_values_replaced(
    tmp_path: Path, changes: list[tuple[tuple[Any, ...], Any]]
) -> None:
    changed = json.loads(json.dumps(NOTEBOOK))
    for path, value in changes:
        at = changed
        try:
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = value
        except (KeyError, IndexError, TypeError):  # an earlier change took the place away
            continue
    outcome(tmp_path / "a.ipynb", json.dumps(changed).encode())


@pytest.mark.filterwarnings("ignore:Duplicate name")
@bounded
@given(st.lists(st.tuples(st.text(max_size=12), st.binary(max_size=60)), max_size=6),
       st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=8))  # fmt: skip
def test_a_zip_with_bytes_replaced(
    tmp_path: Path, members: list[tuple[str, bytes]], changes: list[tuple[int, int]]
) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("answer.py", "def relu(x):\n    return x\n")
        for name, data in members:
            plain = name.encode("utf-8", "replace").decode().replace("\0", "_")
            archive.writestr(plain or "x", data)
    data = bytearray(buffer.getvalue())
    for at, byte in changes:
        data[at % len(data)] = byte
    outcome(tmp_path / "a.zip", bytes(data))
