"""What is known of the notebook that we run in. Without IPython: nothing, and that is no error."""

from __future__ import annotations

import builtins
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_LABEL = re.compile(r"In\s?\[(\d{1,7})\]")
_OLD_NAME = re.compile(r"<ipython-input-(\d{1,7})-")


def shell() -> Any:
    """The running IPython shell, or None. Imports nothing."""
    get = getattr(builtins, "get_ipython", None) or getattr(
        sys.modules.get("IPython"), "get_ipython", None
    )
    return get() if callable(get) else None


def namespace() -> Mapping[str, object]:
    """The names that the notebook, or else the main module, has."""
    running = shell()
    if running is not None:
        found: Mapping[str, object] = running.user_ns
        return found
    return vars(sys.modules["__main__"])


def notebook_file() -> Path | None:
    """The notebook's file, where the front end told the kernel: VS Code and Jupyter do."""
    running = shell()
    told = [running.user_ns.get("__vsc_ipynb_file__")] if running is not None else []
    for name in (*told, os.environ.get("JPY_SESSION_NAME")):
        if isinstance(name, str) and name.endswith(".ipynb") and os.path.isfile(name):
            return Path(name)
    return None


def cell_number(filename: str) -> int | None:
    """The number in the brackets beside the cell that was compiled as `filename`; None for none."""
    running = shell()
    named = getattr(getattr(running, "compile", None), "format_code_name", None)
    label = named(filename) if callable(named) else None
    found = _LABEL.search(label[1]) if label else _OLD_NAME.match(filename)
    return int(found[1]) if found else None
