"""Solutions and hidden checks in what is about to be given away, found before it is."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from grader.assignment import Assignment
from grader.errors import UsageError
from grader.submission.decoding import decode

_SHORTEST: Final = 20
"""Characters, blanks not counted, below which an exercise's body is no secret: `return x * 2`."""

_SHORTEST_HELPER: Final = 60
"""The same for any other function: short helpers are written alike by chance."""


class Secret(msgspec.Struct, frozen=True):
    """A function's body, without blanks, and where it stands."""

    file: str
    function: str
    text: str


def secrets_of(assignment: Assignment) -> list[Secret]:
    """Every function's body in the model answer, the right submissions and the hidden checks.

    But for what stands in the library pieces, which are given away, and in the stub.
    """
    solutions = assignment.solutions
    if solutions is None:
        return []
    files = [solutions / "reference.py", *sorted((solutions / "checks").glob("*.py"))]
    files += sorted((solutions / "right").glob("*"))
    exercises = {exercise.name for exercise in assignment.exercises}
    found: list[Secret] = []
    for file in files:
        if file.is_file() and file.suffix in (".py", ".ipynb"):
            for source in _sources(file.name, file.read_bytes()):
                found += _bodies(file.name, source, exercises)
    given = [assignment.library, assignment.path / f"{assignment.stub}.py"]
    public = "\n".join(
        _bare(source)
        for file in given
        if file.is_file()
        for source in _sources(file.name, file.read_bytes())
    )
    return [secret for secret in found if secret.text not in public]


def refuse_leaks(files: Iterable[tuple[str, bytes]], assignment: Assignment) -> None:
    """Raise UsageError where one of `files` (names and contents) holds a secret."""
    secrets = secrets_of(assignment)
    for name, content in files:
        text = "\n".join(_bare(source) for source in _sources(name, content))
        for secret in secrets:
            if secret.text in text:
                raise UsageError(
                    f"{name} holds the body of {secret.function} from {secret.file}",
                    "Nothing was written. Take it out of the assignment's folder.",
                )


def _sources(name: str, content: bytes) -> Iterator[str]:
    """The text of a file; of a notebook, that of each cell."""
    text = decode(content, name, python=False) if _is_text(content) else content.decode("latin-1")
    if name.endswith(".ipynb"):
        try:
            for cell in json.loads(text)["cells"]:
                yield "".join(cell["source"])
        except (ValueError, KeyError, TypeError):
            yield text
        return
    yield text


def _is_text(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _bare(source: str) -> str:
    return re.sub(r"\s+", "", source)


def _bodies(file: str, source: str, exercises: set[str]) -> Iterator[Secret]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return  # a cell with magics, or one that is broken on purpose
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        if not body:
            continue  # nothing but a docstring
        last = body[-1].end_lineno or body[-1].lineno
        text = _bare("\n".join(source.splitlines()[body[0].lineno - 1 : last]))
        exposed = node.name in exercises or node.name.startswith("test_")
        if len(text) >= (_SHORTEST if exposed else _SHORTEST_HELPER):
            yield Secret(file, node.name, text)
