"""What an assignment may be called: its name becomes folders, a module and a word in commands."""

from __future__ import annotations

import importlib.metadata
import keyword
import re
import sys

from grader.errors import UsageError

LONGEST = 60
_SHAPE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", re.ASCII)
# Files that lie beside the stub, and names that Windows keeps for devices.
_TAKEN = ("checks", "conftest", "library_pieces", "misconceptions", "pictures", "reference")
_DEVICES = re.compile(r"aux|con|nul|prn|(com|lpt)[0-9]")


def checked_name(name: str) -> str:
    """`name` itself. Raises UsageError, with what to do, where it cannot be an assignment's."""
    if not _SHAPE.fullmatch(name) or len(name) > LONGEST:
        plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:LONGEST].strip("_")
        raise UsageError(
            f"{name!r} is no name for an assignment",
            "Small letters and digits, words joined by _"
            + (f": {plain}?" if _SHAPE.fullmatch(plain) else "."),
        )
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise UsageError(f"{name!r} is a word of Python's own", "Choose another name.")
    if name in _TAKEN or _DEVICES.fullmatch(name):
        raise UsageError(f"{name!r} is the name of another file", "Choose another name.")
    installed = {"grader", *importlib.metadata.packages_distributions()}
    if name in sys.stdlib_module_names or name in installed:
        # A file of this name beside students' code would be imported in the module's place.
        raise UsageError(f"{name!r} is a module that can be imported", "Choose another name.")
    return name


def title_of(name: str) -> str:
    """`two_small_words` as a title: `Two small words`."""
    return name.replace("_", " ").capitalize()
