"""Runs that several tests look at, made once; copies of the assignment that a test may break."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from e2e_commands import ASSIGNMENT, NAME, REFERENCE, WRONG, Run, checked


@pytest.fixture(scope="session")
def of_reference(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return checked(tmp_path_factory.mktemp("reference"), REFERENCE)


@pytest.fixture(scope="session")
def of_wrong(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Full hints and snippets, in a narrow window."""
    return checked(
        tmp_path_factory.mktemp("wrong"), WRONG, "--show-input", "--hints", "3", COLUMNS="60"
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The assignment alone, without solutions: what a student may be given."""
    folder = tmp_path / "course" / "assignments" / NAME
    shutil.copytree(ASSIGNMENT, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder
