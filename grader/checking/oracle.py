"""The oracle: the model answer where it is at hand, the library pieces elsewhere."""

from __future__ import annotations

import importlib.util
import types
from pathlib import Path

from grader.errors import AssignmentError


def load_module(path: Path, name: str) -> types.ModuleType:
    """An author's own module, run in this process: never anything that a student wrote.

    Raises AssignmentError where it cannot be run.
    """
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise AssignmentError(path, "", "cannot be imported")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except FileNotFoundError:
        raise AssignmentError(path, "", "is missing") from None
    except Exception as error:
        raise AssignmentError(path, "", f"fails: {type(error).__name__}: {error}") from error
    return module
