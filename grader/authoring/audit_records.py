"""What an audit asks of the processes that grade for it, and what they answer: plain JSON."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Kind = Literal["reference", "library", "stub", "right", "wrong", "mutant", "degenerate"]


class Place(Struct, frozen=True):
    """Where a grading process finds its assignment. `solutions` is the folder of all solutions."""

    assignment: str
    solutions: str
    isolation: str


class Task(Struct, frozen=True):
    """One submission to grade.

    `only` are the exercises whose checks run (none named: all). `lifted` lets banned calls pass.
    `both_oracles` grades once more as it is without the solutions: by public checks, against the
    library pieces. `expected` is, for a wrong submission, the slug due in each exercise that must
    lose points, and "" where no name is due.
    """

    kind: Kind
    name: str
    path: str
    only: tuple[str, ...] = ()
    lifted: bool = False
    both_oracles: bool = False
    expected: dict[str, str] = {}


class CheckSeen(Struct, frozen=True):
    """What one check gave of its points."""

    exercise: str
    title: str
    points: float
    earned: float
    hidden: bool

    @property
    def lost(self) -> bool:
        return self.earned < self.points


class ExerciseSeen(Struct, frozen=True):
    """An exercise's points and status; `names` are the slugs named, `account` the first finding."""

    score: float
    max_score: float
    status: str
    names: tuple[str, ...] = ()
    account: str = ""

    @property
    def lost(self) -> bool:
        return self.score < self.max_score


class Seen(Struct, frozen=True):
    """A graded submission. `error` is why there is no verdict, else empty.

    `public` is what public checks earn without the solutions, where that was asked.
    """

    checks: dict[str, CheckSeen] = {}
    exercises: dict[str, ExerciseSeen] = {}
    public: dict[str, float] = {}
    error: str = ""
