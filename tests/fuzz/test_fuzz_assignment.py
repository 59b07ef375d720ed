"""An assignment's toml: an assignment or AssignmentError, whatever it holds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.assignment import Assignment, load_assignment
from grader.errors import AssignmentError

SHIPPED = Path(__file__).resolve().parents[2] / "assignments" / "xor_by_hand"
TOML = (SHIPPED / "assignment.toml").read_text(encoding="utf-8")
bounded = settings(
    max_examples=100, deadline=3000, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "checks").mkdir()
    shutil.copy(SHIPPED / "library_pieces.py", tmp_path)
    return tmp_path


def outcome(folder: Path, data: bytes) -> None:
    (folder / "assignment.toml").write_bytes(data)
    try:
        found = load_assignment(folder)
    except AssignmentError as error:
        assert str(error)
        assert str(folder / "assignment.toml") in str(error)
    else:
        assert isinstance(found, Assignment)


@bounded
@given(st.binary(max_size=300))
def test_any_bytes(folder: Path, data: bytes) -> None:
    outcome(folder, data)


@bounded
@given(st.integers(0, len(TOML) - 1), st.integers(0, 60), st.text(max_size=30))
def test_the_shipped_one_with_a_piece_replaced(folder: Path, at: int, cut: int, text: str) -> None:
    outcome(folder, (TOML[:at] + text + TOML[at + cut :]).encode("utf-8", "surrogatepass"))


values = st.sampled_from(
    ["0", "-1", "1e400", "nan", "true", '""', '"x"', "[]", "[[]]", "{}", "1979-05-27", '["relu"]',
     "99999999999999999999", '"def(x"', '"relu(x): import os"', '"relu(x, *, y=(yield))"']
)  # fmt: skip
keys = st.sampled_from(
    [
        "name",
        "signature",
        "points",
        "kind",
        "uses",
        "banned",
        "optional",
        "parts",
        "handout",
        "other",
    ]
)


@bounded
@given(
    st.lists(st.lists(st.tuples(keys, values), max_size=5), max_size=3),
    st.lists(
        st.tuples(st.sampled_from(["call_seconds", "memory_mb", "output_kb", "x"]), values),
        max_size=3,
    ),
)
def test_any_keys_and_values(
    folder: Path, exercises: list[list[tuple[str, str]]], limits: list[tuple[str, str]]
) -> None:
    lines = ['format_version = 1\ntitle = "t"\n[limits]']
    lines += [f"{key} = {value}" for key, value in dict(limits).items()]
    for exercise in exercises:
        lines += ["[[exercise]]", *(f"{key} = {value}" for key, value in dict(exercise).items())]
    outcome(folder, "\n".join(lines).encode())
