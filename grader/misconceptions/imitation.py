"""How an assignment writes its wrong answers down: as functions that give them.

A wrong function runs on the inputs that the student's got; where it gives the student's values on
every one of them, its name fits. A `fit` estimates one free number (a slope, an epsilon) from the
first call; the others then confirm it.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grader.observation import Observation

Fit = Callable[[tuple[Any, ...], Any], float | None]
NodeTest = Callable[[ast.AST], bool]


@dataclass(frozen=True)
class Imitation:
    """`function(*args)` gives what a submission with these mistakes gives for `args`.

    With `fit`, `function(*args, k)` for the number k = fit(args, returned); None means no fit.
    With `pieces`, `function(pieces, *args)`, where `pieces` is the module of library pieces.
    `account` says what was found, in words; {k} stands for the fitted number.
    For exercises that change their arguments (updates, training loops) the function changes them
    too, and both what it returns and what it leaves behind are compared.
    """

    slugs: tuple[str, ...]
    exercise: str
    function: Callable[..., Any]
    account: str = ""
    fit: Fit | None = None
    pieces: bool = False
    at: NodeTest | None = None


@dataclass(frozen=True)
class Recogniser:
    """`test(record)` is True where one call's record, or its exception, shows the mistake.

    `at`, here and for a wrong answer, holds for the nodes of the function whose line may be shown.
    """

    slug: str
    exercise: str
    test: Callable[[Observation, str], bool]
    account: str = ""
    at: NodeTest | None = None


def imitates(
    *slugs: str,
    exercise: str,
    account: str = "",
    fit: Fit | None = None,
    pieces: bool = False,
    at: NodeTest | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a function as the wrong answer that these misconceptions (usually one) give."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        made = Imitation(slugs, exercise, function, account, fit, pieces, at)
        marks = [*getattr(function, "__imitations__", ()), made]
        function.__imitations__ = marks  # type: ignore[attr-defined]
        return function

    return mark


def recognises(
    slug: str, *, exercise: str, account: str = "", at: NodeTest | None = None
) -> Callable[[Callable[[Observation, str], bool]], Callable[[Observation, str], bool]]:
    """Mark a test of one call's record. It gets the record and the source line it points to."""

    def mark(test: Callable[[Observation, str], bool]) -> Callable[[Observation, str], bool]:
        made = Recogniser(slug, exercise, test, account, at)
        marks = [*getattr(test, "__recognisers__", ()), made]
        test.__recognisers__ = marks  # type: ignore[attr-defined]
        return test

    return mark


@dataclass(frozen=True)
class OwnMisconceptions:
    """An assignment's own wrong answers, by exercise; `inputs` draws more where two still fit.

    `edges(exercise)` gives (slug, args) pairs: inputs at the edge of an exercise's domain, and the
    advice that is due where its result there is not finite.
    """

    imitations: tuple[Imitation, ...] = ()
    recognisers: tuple[Recogniser, ...] = ()
    inputs: Callable[[str, Any], Sequence[tuple[Any, ...]]] | None = None
    edges: Callable[[str], Sequence[tuple[str, tuple[Any, ...]]]] | None = None

    def of(self, exercise: str) -> list[Imitation]:
        return [one for one in self.imitations if one.exercise == exercise]


def collect(module: types.ModuleType) -> OwnMisconceptions:
    """All marked functions of an assignment's `misconceptions.py`, in the order they are written.

    A function `imitations()` in it may return more; a function `inputs(exercise, draw)` gives
    argument tuples that tell the wrong answers of an exercise apart; a function `edges(exercise)`
    gives inputs at the edge of its domain, each with the advice that it may call for.
    """
    imitations: list[Imitation] = []
    recognisers: list[Recogniser] = []
    for thing in list(vars(module).values()):
        imitations.extend(getattr(thing, "__imitations__", ()))
        recognisers.extend(getattr(thing, "__recognisers__", ()))
    more = getattr(module, "imitations", None)
    if more is not None:
        imitations.extend(more())
    return OwnMisconceptions(
        tuple(imitations),
        tuple(recognisers),
        getattr(module, "inputs", None),
        getattr(module, "edges", None),
    )
