"""Read and check an assignment: its toml, its files, its digest."""

from __future__ import annotations

import ast
import difflib
import hashlib
import os
import tomllib
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from grader.composition import Composition
from grader.errors import AssignmentError, UsageError

FORMAT_VERSION = 1
SOLUTIONS_VARIABLE = "GRADE_SOLUTIONS"

# Operators that packing, unpacking and looking at what a call did are made of.
_NEEDED = frozenset(
    {
        "_local_scalar_dense", "all", "bitwise_and", "bitwise_or", "clone", "copy_", "detach",
        "detach_", "empty", "eq", "fill_", "item", "ne", "reshape", "view", "zero_", "zeros_like",
    }
)  # fmt: skip

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=80)]
Points = Annotated[float, msgspec.Meta(gt=0, le=1000)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]
Kind = Literal[
    "function", "update", "initializer", "training", "object", "score", "numbers", "descent",
    "inspection",
]  # fmt: skip


class Exercise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One function to write. `points` is the total of public and hidden checks.

    `parts` names the members of an argument that is a list of tensors. `banned` are library calls
    that zero the exercise, `required` those of which one at least has to be made: operators' names,
    or "torch.optim". The kinds "object" (it returns a module or a function) and "score" (a number
    about a module) are about what stays with the submission. "numbers" returns plain numbers that
    backward found; "descent" moves a leaf along a gradient of its own making, and may return
    numbers; "inspection" says what a recorded graph holds.
    """

    name: Name
    signature: str
    points: Points
    kind: Kind = "function"
    handout: str = ""
    uses: tuple[Name, ...] = ()
    banned: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    optional: bool = False
    parts: dict[str, tuple[str, ...]] = {}


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a submission may use; each overrun is a finding that names the limit."""

    call_seconds: Seconds = 5.0
    submission_seconds: Seconds = 60.0
    load_seconds: Seconds = 8.0
    statement_seconds: Seconds = 2.0
    memory_mb: Annotated[int, msgspec.Meta(ge=64)] = 1024
    files_mb: Annotated[int, msgspec.Meta(ge=1)] = 16
    output_kb: Annotated[int, msgspec.Meta(ge=1, le=16_000)] = 1000


class Tolerance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """|got - expected| may be atol + rtol * |expected|."""

    rtol: Annotated[float, msgspec.Meta(ge=0)]
    atol: Annotated[float, msgspec.Meta(ge=0)]


class _Toml(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format_version: int
    title: str
    exercise: Annotated[tuple[Exercise, ...], msgspec.Meta(min_length=1)]
    seed: int = 0
    stub: str = ""
    max_hints: Annotated[int, msgspec.Meta(ge=0, le=3)] = 3
    limits: Limits = Limits()
    tolerances: dict[str, Tolerance] = {}
    graph: Composition | None = None


class Assignment(msgspec.Struct, frozen=True):
    """An assignment on disk. `solutions` is None where only its public part is at hand."""

    name: str
    path: Path
    title: str
    exercises: tuple[Exercise, ...]
    seed: int
    stub: str
    max_hints: int
    limits: Limits
    tolerances: dict[str, Tolerance]
    solutions: Path | None
    digest: str
    graph: Composition | None = None
    """What `grade graph` draws, if the assignment says."""

    @property
    def checks(self) -> Path:
        return self.path / "checks"

    @property
    def hidden_checks(self) -> Path | None:
        folder = self.solutions / "checks" if self.solutions else None
        return folder if folder is not None and folder.is_dir() else None

    @property
    def library(self) -> Path:
        """The same functions from library pieces: stand-ins, and the public oracle."""
        return self.path / "library_pieces.py"

    @property
    def oracle(self) -> Path:
        """What a submission is compared with: the model answer where it is at hand."""
        reference = self.solutions / "reference.py" if self.solutions else None
        return reference if reference is not None and reference.is_file() else self.library

    def exercise(self, name: str) -> Exercise:
        """The exercise called `name`. Raises UsageError, naming the nearest."""
        for exercise in self.exercises:
            if exercise.name == name:
                return exercise
        names = [exercise.name for exercise in self.exercises]
        raise UsageError(f"{self.name} has no exercise called {name!r}", _suggest(name, names))

    def tolerance(self, dtype: str) -> Tolerance:
        return self.tolerances.get(dtype, DEFAULT_TOLERANCES.get(dtype, LOOSE))

    def used_by(self, name: str) -> tuple[str, ...]:
        """The exercises that `name` is built on, through others too, in the toml's order."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            for used in self.exercise(waiting.pop()).uses:
                if used not in found:
                    found.add(used)
                    waiting.append(used)
        return tuple(exercise.name for exercise in self.exercises if exercise.name in found)


LOOSE = Tolerance(rtol=1e-4, atol=1e-5)
DEFAULT_TOLERANCES = {"float32": LOOSE, "float64": Tolerance(rtol=1e-6, atol=1e-8)}


def load_assignment(path: Path, solutions: Path | None = None) -> Assignment:
    """The assignment in folder `path`; `solutions` is the folder of all solutions, if any.

    Raises AssignmentError (file, key, why).
    """
    toml = path / "assignment.toml"
    parsed = _read_toml(toml)
    if parsed.format_version != FORMAT_VERSION:
        why = f"is {parsed.format_version}, this grader reads {FORMAT_VERSION}"
        raise AssignmentError(toml, "format_version", why)
    _check_exercises(toml, parsed.exercise)
    problem = parsed.graph and parsed.graph.problem([e.name for e in parsed.exercise])
    if problem:
        raise AssignmentError(toml, f"graph.{problem[0]}", problem[1])
    if not (path / "library_pieces.py").is_file():
        raise AssignmentError(path / "library_pieces.py", "", "is missing")
    if not (path / "checks").is_dir():
        raise AssignmentError(path / "checks", "", "is missing")
    own_solutions = _own_solutions(path, solutions)
    return Assignment(
        name=path.name,
        path=path,
        title=parsed.title,
        exercises=parsed.exercise,
        seed=parsed.seed,
        stub=parsed.stub or path.name,
        max_hints=parsed.max_hints,
        limits=parsed.limits,
        tolerances=parsed.tolerances,
        solutions=own_solutions,
        digest=_digest(path, own_solutions),
        graph=parsed.graph,
    )


def find_assignment(
    name: str, solutions: Path | None = None, start: Path | None = None
) -> Assignment:
    """The assignment called `name`, or in the folder `name`. Raises UsageError, suggesting one."""
    folder = Path(name)
    if (folder / "assignment.toml").is_file():
        return load_assignment(folder.resolve(), solutions)
    if folder.is_dir() and (os.sep in name or name in (".", "..")):
        raise AssignmentError(folder / "assignment.toml", "", "is missing")
    known = known_assignments(start)
    if name in known:
        return load_assignment(known[name], solutions)
    raise UsageError(f"there is no assignment called {name!r}", _suggest(name, list(known)))


def known_assignments(start: Path | None = None) -> dict[str, Path]:
    """Assignments by name: beside the working folder and its parents, then those shipped."""
    found: dict[str, Path] = {}
    here = (start or Path.cwd()).resolve()
    shipped = Path(__file__).resolve().parent
    for root in [*_upwards(here), shipped.parent, shipped]:
        folder = root / "assignments"
        if folder.is_dir():
            for toml in sorted(folder.glob("*/assignment.toml")):
                found.setdefault(toml.parent.name, toml.parent)
    return found


def enclosing_assignment(folder: Path) -> Path | None:
    """The assignment folder that `folder` is or lies in."""
    for root in _upwards(folder.resolve()):
        if (root / "assignment.toml").is_file():
            return root
    return None


def _upwards(folder: Path) -> list[Path]:
    return [folder, *folder.parents]


def _own_solutions(path: Path, solutions: Path | None) -> Path | None:
    if solutions is not None:
        if not (solutions / path.name).is_dir():
            raise UsageError(f"{solutions} holds no folder called {path.name}")
        return (solutions / path.name).resolve()
    named = os.environ.get(SOLUTIONS_VARIABLE)
    beside = Path(named) if named else path.parent.parent / "solutions"
    own = beside / path.name
    return own.resolve() if own.is_dir() else None


def _read_toml(toml: Path) -> _Toml:
    try:
        raw = tomllib.loads(toml.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise AssignmentError(toml, "", "is missing") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AssignmentError(toml, "", f"is no TOML: {error}") from None
    try:
        return msgspec.convert(raw, _Toml)
    except msgspec.ValidationError as error:
        why, _, key = str(error).partition(" - at `$.")
        raise AssignmentError(toml, key.rstrip("`") or "top level", why) from None


def _check_exercises(toml: Path, exercises: tuple[Exercise, ...]) -> None:
    before: set[str] = set()
    for number, exercise in enumerate(exercises):
        key = f"exercise[{number}]"
        if exercise.name in before:
            raise AssignmentError(toml, f"{key}.name", f"{exercise.name} stands there twice")
        for used in exercise.uses:
            if used not in before:
                why = f"{used} is no exercise before {exercise.name}"
                raise AssignmentError(toml, f"{key}.uses", why, _suggest(used, list(before)))
        needed = sorted(_NEEDED.intersection(exercise.banned))
        if needed:
            why = f"{needed[0]} cannot be banned: what reads arguments and answers needs it itself"
            raise AssignmentError(toml, f"{key}.banned", why)
        try:
            call = ast.parse(f"def {exercise.signature}: pass").body[0]
        except SyntaxError:
            call = None
        if not isinstance(call, ast.FunctionDef) or call.name != exercise.name:
            why = f"{exercise.signature!r} is no signature of {exercise.name}"
            raise AssignmentError(toml, f"{key}.signature", why)
        before.add(exercise.name)


def _digest(path: Path, solutions: Path | None) -> str:
    """Changes when rules, checks, pieces, pictures, misconceptions or the model answer change."""
    digest = hashlib.sha256()
    files = [path / "assignment.toml", path / "library_pieces.py", path / "pictures.py"]
    files += sorted(path.glob("misconceptions.*")) + sorted((path / "checks").glob("*.py"))
    if solutions is not None:
        files += [solutions / "reference.py", *sorted((solutions / "checks").glob("*.py"))]
    for file in files:
        if file.is_file():
            digest.update(f"{file.parent.name}/{file.name}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _suggest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if near:
        return f"Did you mean {near[0]}?"
    return f"Known: {', '.join(sorted(known))}" if known else ""
