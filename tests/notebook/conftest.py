"""A shell of IPython's in this process: cells run in it as in a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """It stands in an empty folder, and writes no history."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    # In this checkout assignments lie beside the package, as they lie in it once installed.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    config = Config()
    config.HistoryManager.enabled = False
    running = InteractiveShell.instance(config=config)
    try:
        yield running
    finally:
        InteractiveShell.clear_instance()


@pytest.fixture
def run(shell: Any) -> Any:
    """`run(source)` runs one cell and gives what its last line gave. What it raises is raised."""

    def run(source: str) -> Any:
        done = shell.run_cell(source, store_history=True)
        done.raise_error()
        return done.result

    return run
