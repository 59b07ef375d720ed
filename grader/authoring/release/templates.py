"""Text files of the bundles, which lie beside this module, with their blanks filled in."""

from __future__ import annotations

import importlib.resources
import re
from collections.abc import Mapping


def filled(name: str, values: Mapping[str, str]) -> str:
    """The template `name` with each `@{KEY}` replaced. A key without a value is a KeyError."""
    template = importlib.resources.files("grader.authoring.release") / "templates" / name
    text = template.read_text(encoding="utf-8")
    return re.sub(r"@\{([A-Z_]+)\}", lambda found: values[found[1]], text)
