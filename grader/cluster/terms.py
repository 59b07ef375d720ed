"""What a worker has to agree with before it grades, so that a verdict is the same everywhere."""

from __future__ import annotations

import importlib.metadata
import platform

import msgspec

import grader
from grader.assignment import Assignment


class Versions(msgspec.Struct, frozen=True):
    """Of what decides a verdict."""

    grader: str
    torch: str
    python: str


class Terms(msgspec.Struct, frozen=True):
    """What the client asks of each worker."""

    versions: Versions
    assignment: str
    digest: str
    level: str
    seed: int


def terms_of(assignment: Assignment, level: str, seed: int) -> Terms:
    """The terms of grading `assignment` like this process would."""
    return Terms(own_versions(), assignment.name, assignment.digest, level, seed)


def own_versions() -> Versions:
    """Those of this process. torch is not imported for it, and Python's last number left out.

    What follows a `+` says only how torch was built.
    """
    torch = importlib.metadata.version("torch").partition("+")[0]
    python = ".".join(platform.python_version_tuple()[:2])
    return Versions(grader.__version__, torch, python)


def disagreement(wanted: Versions, found: Versions) -> str:
    """Why a worker with the versions `found` may not grade, and what to do; nothing if it may."""
    pairs = (("grader", "autograd-grader"), ("torch", "torch"), ("python", "python"))
    for field, package in pairs:
        want, has = getattr(wanted, field), getattr(found, field)
        if want != has:
            remedy = f"Install {package}=={want} there." if field != "python" else ""
            remedy = remedy or f"Start it with Python {want}."
            return f"it has {field} {has}, and {want} is here. {remedy}"
    return ""
