"""From what the checks saw to findings: records first, values second, else the plain account."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence

from grader.assignment import Assignment
from grader.checking.by_hand import OTHERWISE
from grader.checking.by_library import WITHOUT
from grader.checking.collection import Bench
from grader.checking.failure import Failure
from grader.checking.judging import CheckResult, ExerciseResult, Judgement
from grader.misconceptions.case import Case, Match
from grader.misconceptions.catalogue import Misconception
from grader.misconceptions.descent import match_descent
from grader.misconceptions.finding import Finding
from grader.misconceptions.function import match_function
from grader.misconceptions.imitation import OwnMisconceptions
from grader.misconceptions.initializer import match_initializer
from grader.misconceptions.inspected import match_inspection
from grader.misconceptions.module_raised import match_module_raised
from grader.misconceptions.module_training import match_module_training, trains_module
from grader.misconceptions.objects import match_object, match_score
from grader.misconceptions.plain import account_plainly
from grader.misconceptions.raised import match_raised
from grader.misconceptions.recorded import match_numbers
from grader.misconceptions.source import Place, Source
from grader.misconceptions.training import match_training
from grader.misconceptions.update import match_update
from grader.misconceptions.words import finding_from
from grader.student.proxy import Student

BUILT_IN = "built-in-used"
NOT_USED = "library-piece-not-used"
MOST_NAMED = 2
# What a kernel is called by those who call it.
KERNELS = {
    "cross_entropy_loss": "cross_entropy",
    "nll_loss_nd": "nll_loss",
    "nll_loss_forward": "nll_loss",
    "special_expit": "special.expit",
    "log_sigmoid": "logsigmoid",
    "log_sigmoid_forward": "logsigmoid",
    "_prelu_kernel": "prelu",
}
ONE_STORY = frozenset({"function", "numbers", "descent", "inspection", "object", "score"})
INDEPENDENT = frozenset({"dtype"})  # kinds that say nothing about the values
MOST_PLAIN = 2


class Diagnosis:
    """Explains submissions of one assignment; made once, used for each."""

    def __init__(
        self,
        assignment: Assignment,
        bench: Bench,
        library: types.ModuleType,
        own: OwnMisconceptions,
        catalogue: Mapping[str, Misconception],
    ) -> None:
        self._assignment = assignment
        self._bench = bench
        self._library = library
        self._own = own
        self._catalogue = catalogue

    def explain(
        self, judgement: Judgement, cells: Sequence[tuple[str, str]]
    ) -> dict[str, list[Finding]]:
        """Findings by exercise, for each exercise that lost points and was attempted."""
        source: Source | None = None
        findings: dict[str, list[Finding]] = {}
        for outcome in judgement.exercises:
            if outcome.score >= outcome.max_score or outcome.status == "not_attempted":
                continue
            source = source or Source(cells)
            case = Case(
                self._assignment,
                outcome.exercise,
                outcome,
                self._student_for(judgement, outcome),
                self._bench.oracle,
                self._library,
                source,
                self._own,
            )
            findings[outcome.exercise.name] = [
                finding_from(case, match, self._catalogue) for match in matches(case)
            ]
        return findings

    def _student_for(self, judgement: Judgement, outcome: ExerciseResult) -> Student:
        losing = judgement.losing(self._assignment, outcome.exercise.name)
        return judgement.stood_in.get(losing, judgement.student)


def matches(case: Case) -> list[Match]:
    """At most two named mistakes, each with evidence of its own; else at most two accounts."""
    named: list[Match] = []
    plain: list[Match] = []
    update_done = False
    for result, failure in case.failing:
        found: list[Match] = []
        if failure.bug is not None:
            place = _line_of(failure) or case.whole_function()
            found = [Match(failure.bug, failure.message, failure.evidence, place)]
        elif failure.kind in ("raised", "raised-in-backward"):
            found = _raised(case, failure)
        elif case.exercise.kind == "function":
            found = match_function(case, result, failure)
        elif case.exercise.kind == "update":
            found = [] if update_done else match_update(case)
            update_done = True
        elif case.exercise.kind == "initializer":
            found = match_initializer(case, failure)
        elif case.exercise.kind == "numbers":
            found = match_numbers(case, failure)
        elif case.exercise.kind == "descent":
            found = [] if update_done else match_descent(case)
            update_done = True
        elif case.exercise.kind == "inspection":
            found = match_inspection(case, failure)
        elif case.exercise.kind == "object":
            found = match_object(case, failure)
        elif case.exercise.kind == "score":
            found = match_score(case, failure)
        elif trains_module(failure.observation):
            found = match_module_training(case, failure)
        else:
            found = match_training(case, failure)
        for match in found or [account_plainly(case, result, failure)]:
            whole = _of(match, result)
            (named if whole.slug else plain).append(whole)
        if named and case.exercise.kind in ONE_STORY and failure.kind not in INDEPENDENT:
            break  # what else fails is the same mistake seen again
    if case.outcome.banned is not None:
        # Where nothing was earned anyway, the wrong values are the whole story.
        earned = sum(result.earned for result in case.outcome.results)
        return _distinct(named)[:1] + ([] if named and not earned else [_banned(case)])
    return _distinct(named)[:MOST_NAMED] or _distinct(plain)[:MOST_PLAIN]


def _line_of(failure: Failure) -> Place | None:
    """The line that a check names itself."""
    file, line = failure.evidence.get("file"), failure.evidence.get("line")
    return Place(file, line) if isinstance(file, str) and file and isinstance(line, int) else None


def _raised(case: Case, failure: Failure) -> list[Match]:
    call = failure.observation
    if call is None or call.stopped:
        return []
    place = case.deepest(call)
    for recogniser in case.own.recognisers:
        if recogniser.exercise == case.exercise.name:
            try:
                fits = recogniser.test(call, case.source.text(place))
            except Exception:
                fits = False
            if fits:
                account = fits if isinstance(fits, str) else recogniser.account
                return [Match(recogniser.slug, account, {}, place)]
    if case.exercise.kind in ("object", "score") or trains_module(call):
        late = failure.kind == "raised-in-backward" and bool(call.backward_raised)
        found = match_module_raised(case, call, call.backward_raised[-1] if late else call.raised)
        if found is not None:
            return [found]
    match = match_raised(case, call, failure.kind == "raised-in-backward")
    return [match] if match else []


def _banned(case: Case) -> Match:
    banned = case.outcome.banned
    assert banned is not None
    place = case.place_of(banned.frames[-1]) if banned.frames else case.whole_function()
    name = KERNELS.get(banned.name, banned.name.strip("_"))
    if banned.name.startswith(WITHOUT):
        piece = banned.name.removeprefix(WITHOUT)
        account = f"the answer is right, and `{piece}` was never called for it; it gets no points"
        return Match(NOT_USED, account, {"called": ""}, place, case.outcome.results[0])
    if banned.name == OTHERWISE:
        account = "with the library's functions out of reach, the answer was right no more"
        return Match(BUILT_IN, account, {"called": ""}, place, case.outcome.results[0])
    account = f"`{name}` ran, and this exercise asks for it by hand; it gets no points for that"
    return Match(BUILT_IN, account, {"called": banned.name}, place, case.outcome.results[0])


def _of(match: Match, result: CheckResult) -> Match:
    return Match(
        match.slug, match.account, match.evidence, match.place, match.result or result, match.title
    )


def _distinct(found: Sequence[Match]) -> list[Match]:
    kept: dict[tuple[str | None, str], Match] = {}
    for match in found:
        key = (match.slug, "" if match.slug else match.title)
        kept.setdefault(key, match)
    return list(kept.values())
