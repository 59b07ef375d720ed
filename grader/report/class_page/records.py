"""What a class page is made of: plain records, with every decision of a TA counted in."""

from __future__ import annotations

from msgspec import Struct


class Cell(Struct, frozen=True):
    """One exercise of one submission, as it counts. `status` is a report's word for it."""

    score: float
    max_score: float
    status: str
    overridden: bool = False


class Mistake(Struct, frozen=True):
    """A mistake in one exercise; `slug` is empty where points were lost and it has no name."""

    exercise: str
    slug: str


class Stop(Struct, frozen=True):
    """A submission's code was stopped; `exercise` is empty where that was while it loaded."""

    exercise: str
    what: str


class Handed(Struct, frozen=True):
    """One submission.

    `names` are those who handed it in, `also` what else finds them (addresses, ids). `href` leads
    to its report, seen from the page; empty where there is none. `status` is a report's, or
    "missing" where nothing was graded yet. `cells` has a place for each of the class's exercises.
    `why` says why there is no verdict, `earlier` names attempts that do not count, `before` is
    the score that the newest one fell from.
    """

    id: str
    status: str
    names: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    href: str = ""
    late: bool = False
    score: float | None = None
    max_score: float | None = None
    cells: tuple[Cell | None, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    stops: tuple[Stop, ...] = ()
    review: tuple[str, ...] = ()
    why: str = ""
    overridden: bool = False
    earlier: tuple[str, ...] = ()
    before: float | None = None

    @property
    def shown(self) -> str:
        """How lists call it: by who handed it in, or by its id where nobody knows."""
        return ", ".join(self.names) or self.id


class Check(Struct, frozen=True):
    """One check over the class: of `judged` that had tried the exercise, `full` lost nothing."""

    id: str
    title: str
    exercise: str
    hidden: bool
    points: float
    judged: int
    full: int
    voided: bool = False


class Decision(Struct, frozen=True):
    """What a TA decided about one exercise. `points` gives points, else `rejected` is a name that
    is wrong. `holds` is false where a newer decision took its place. `at` is in seconds since 1970.
    """

    submission: str
    exercise: str
    points: float | None
    rejected: str
    graded: float | None
    why: str
    who: str
    at: float
    holds: bool = True


class Voided(Struct, frozen=True):
    """A check that was taken out for everybody."""

    check: str
    title: str
    why: str
    who: str
    at: float


class ClassRecords(Struct, frozen=True):
    """A whole class. `max_scores` are the points of `exercises`; `titles` are words by slug.

    `states` counts the different states of assignment and grader that the results come from.
    `graded` is when the newest result was made, in seconds since 1970; 0 where there is none.
    """

    name: str
    title: str
    exercises: tuple[str, ...]
    max_scores: tuple[float, ...]
    handed: tuple[Handed, ...]
    checks: tuple[Check, ...] = ()
    titles: dict[str, str] = {}
    decisions: tuple[Decision, ...] = ()
    voids: tuple[Voided, ...] = ()
    states: int = 1
    complete: bool = True
    graded: float = 0.0
