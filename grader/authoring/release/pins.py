"""The exact releases that this installation runs with, for a machine that is to run the same."""

from __future__ import annotations

import importlib.metadata
import sys

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import grader
from grader.errors import UsageError

DISTRIBUTION = "autograd-grader"


def pins() -> dict[str, str]:
    """Name -> version of everything that the grader needs, itself left out.

    torch's local part (`+cpu`) is left out too: which build it is depends on where it is fetched.
    Raises UsageError where the grader runs without having been installed.
    """
    try:
        waiting = _needed(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        raise UsageError(
            "which releases the grader runs with is only known where it is installed",
            "`pip install -e .` in the checkout, then again.",
        ) from None
    found: dict[str, str] = {}
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            version = Version(importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            continue  # not needed on this system
        found[name] = version.public
        waiting += _needed(name)
    return dict(sorted(found.items()))


def requirements() -> str:
    """The pins as pip reads them, all but torch, which comes from an index of its own."""
    lines = [f"{name}=={version}" for name, version in pins().items() if name != "torch"]
    return "\n".join([f"# What autograd-grader {grader.__version__} ran with.", *lines, ""])


def python_version() -> str:
    """Major and minor: pinned releases are for these."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _needed(name: str) -> list[str]:
    wanted = map(Requirement, importlib.metadata.requires(name) or ())
    return [
        canonicalize_name(requirement.name)
        for requirement in wanted
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    ]
