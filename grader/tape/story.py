"""What is to be said about a submission's tape: where it is cut, what it reaches, how it differs.

Each thing is said once, the most useful first. Where a cut is, follows from what ran; that a
gradient is missing is for the checks to judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from grader.assignment import Assignment
from grader.errors import AssignmentError
from grader.observation import LoadNote, Raised
from grader.student.backend import Worker
from grader.submission import Submission, display_place, read_submission
from grader.tape.drawing import Drawing, draw
from grader.tape.history import COMPARE, Cut, History
from grader.tape.recording import Taped, record_steps
from grader.tape.words import (
    count,
    function_text,
    listed,
    operation_text,
    place_text,
    places_text,
)

Sign = Literal["bad", "good", "note"]
UNWRITTEN = ("NotImplementedError", "MissingFunction")
MOST_QUOTED = 3
MOST_CUTS = 6


@dataclass(frozen=True)
class Said:
    """A sentence, whether it is good news, and lines of the student's that belong to it."""

    sign: Sign
    text: str
    quoted: tuple[str, ...] = ()


class Story:
    """A submission's tape and the one that it is compared with."""

    def __init__(self, taped: Taped, other: Taped) -> None:
        assert taped.composition is not None, "a board has no steps"
        self.taped = taped
        self.other = other
        self.composition = taped.composition
        self.history = History(taped.tape, taped.root, self._leaves(taped))
        self._others = History(other.tape, other.root, self._leaves(other))
        self.steps = self.composition.calls

    @property
    def result(self) -> str:
        """What the tape is followed back from: the last result that is there."""
        return self.taped.gave[-1] if self.taped.gave else self.composition.result

    @property
    def whole(self) -> bool:
        """Everything ran, and the result leads back to all that the other's leads back to."""
        if self.taped.raised is not None or self.history.root_node < 0:
            return False
        # Of given leaves only those; a module's own parameters may have other names there.
        free = set(self.composition.leaves) - set(self._others.reached)
        return set(self.history.missing) <= free

    def _leaves(self, taped: Taped) -> list[str]:
        """The leaves that were given, and the parameters of the modules that were made."""
        modules = tuple(f"{step.gives}." for step in self.composition.calls)
        made = [n.name for n in taped.tape.names if n.name.startswith(modules)]
        return [*self.composition.leaves, *made]

    @property
    def begun(self) -> bool:
        """There is something to draw."""
        return self.history.root >= 0 or bool(self.cuts)

    @property
    def stopped(self) -> bool:
        """Something that was written did not run through."""
        raised = self.taped.raised
        return raised is not None and raised.type not in UNWRITTEN

    @cached_property
    def cuts(self) -> tuple[Cut, ...]:
        """Places where the way back ends, the first of them."""
        return self.history.cuts[:MOST_CUTS] if self._followed else ()

    @property
    def _followed(self) -> bool:
        """A result is there that was a tensor, or is made of numbers that were in one."""
        named = [named for named in self.taped.tape.names if named.name == self.result]
        numbers = ("float", "int", "list", "ndarray")
        return bool(named) and (named[-1].tensor >= 0 or named[-1].kind in numbers)

    def drawing(self) -> Drawing:
        """The student's tape with its cuts."""
        return draw(self.history, self.result, self.cuts)

    def other_drawing(self) -> Drawing:
        """The one that it is compared with."""
        return draw(self._others, self.composition.result, lines=False)

    def told(self) -> list[Said]:
        """All that is to be said."""
        said = [
            *self._ending(),
            *self._type(),
            *self._cut(),
            *self._not_led_to(),
            *self._reached(),
            *self._strangers(),
            *self._asides(),
            *self._differences(),
        ]
        if self.taped.tape.cut:
            said.append(Said("note", "The tape is longer than what is kept of it."))
        return said

    def _ending(self) -> Iterator[Said]:
        """What stopped it, if anything did."""
        raised = self.taped.raised
        if raised is None:
            return
        done = len(self.taped.gave)
        function = self.steps[min(done, len(self.steps) - 1)].function
        yield Said("bad", ended_text(raised, function, [s.function for s in self.steps[done:]]))
        if raised.type == "MissingFunction":
            for note in self.taped.notes[:MOST_QUOTED]:
                yield Said("note", note_text(note))
        if self.taped.gave and self.history.root >= 0:
            yield Said("note", f"What is shown is the tape of {self.result}, which came before.")
        elif self.begun and not self.taped.gave:
            yield Said("note", "What is shown is the tape as far as it came.")

    def _type(self) -> Iterator[Said]:
        named = [named for named in self.taped.tape.names if named.name == self.result]
        if self.taped.gave and named and named[-1].tensor < 0:
            function = self.steps[len(self.taped.gave) - 1].function
            what = f"{function} returned {_article(named[-1].kind)}"
            yield Said("bad", f"{what}, and only a tensor has a tape behind it.")

    def _cut(self) -> Iterator[Said]:
        for cut in self.cuts:
            where = places_text(cut.spots) + function_text(cut.spots[0])
            lead = f"The path from {self.result} to {listed(cut.leaves)} ends here: "
            if cut.recording:
                text = f"{lead}{operation_text(cut.name)}, {where}."
                if cut.name in COMPARE:
                    text += " A comparison gives yes or no, and no gradient goes through that."
            else:
                text = f"{lead}{where}, where recording is off (no_grad)."
            sources = [self.taped.source(spot.filename, spot.line) for spot in cut.spots]
            yield Said("bad", text, tuple(dict.fromkeys(filter(None, sources)))[:MOST_QUOTED])

        more = len(self.history.cuts) - len(self.cuts) if self._followed else 0
        if more:
            yield Said("bad", f"It ends in {more} more place{'' if more == 1 else 's'}.")

    def _not_led_to(self) -> Iterator[Said]:
        if not self._followed:
            return
        unused = self.history.unused
        if unused:
            verb = "were" if len(unused) > 1 else "was"
            yield Said("bad", f"{listed(unused)} {verb} given, and no operation took "
                              f"{'them' if len(unused) > 1 else 'it'}.")  # fmt: skip
        known = {leaf for cut in self.history.cuts for leaf in cut.leaves} | set(unused)
        lost = [leaf for leaf in self.history.missing if leaf not in known]
        if lost:
            what = f"nothing that came of {'them' if len(lost) > 1 else 'it'} is in {self.result}"
            yield Said("bad", f"{listed(lost)} {'were' if len(lost) > 1 else 'was'} used, but "
                              f"{what}.")  # fmt: skip

    def _reached(self) -> Iterator[Said]:
        reached = self.history.reached
        if reached and self.taped.gave:
            whole = " All paths hold." if self.whole else ""
            yield Said("good", f"{self.result} leads back to {listed(reached)}.{whole}")

    def _strangers(self) -> Iterator[Said]:
        """Leaves on the tape that nobody gave."""
        if self.taped.gave and self.history.strangers:
            yield Said(
                "note",
                "On the tape is a leaf of your own, which is no parameter: backward() ends there, "
                "and whatever it was computed from learns nothing.",
            )

    def _asides(self) -> Iterator[Said]:
        for made in self.history.asides[:MOST_QUOTED] if self._followed else ():
            where = place_text(made.spot) + function_text(made.spot)
            source = self.taped.source(made.spot.filename, made.spot.line)
            yield Said("note", f"{operation_text(made.name)}, {where}, leaves one path out; "
                               "another one holds.", (source,))  # fmt: skip

    def _differences(self) -> Iterator[Said]:
        for name in self.taped.gave:
            mine, theirs = self.taped.tensor(name), self.other.tensor(name)
            if mine is None or theirs is None:
                continue
            one = count(mine.shape) == count(theirs.shape) == 1  # of one element: in any shape
            if mine.shape != theirs.shape and not one:
                text = f"Your {name} has shape {mine.shape}; {theirs.shape} was expected."
                yield Said("note", text)
            if mine.dtype != theirs.dtype:
                spot = self.history.first_of_dtype(mine.dtype)
                since = f" {mine.dtype} first shows in {place_text(spot)}." if spot else ""
                text = f"Your {name} is {mine.dtype}; {theirs.dtype} was expected.{since}"
                yield Said("note", text)
                return


def record_story(
    submission: Submission,
    assignment: Assignment,
    other: Path,
    start: Callable[[], Worker],
    isolation: str,
) -> Story:
    """Record a submission's tape and that of the author's module `other`, each in a worker.

    `assignment` says what to compose. Raises AssignmentError where `other` does not run through,
    GraderFailed where no worker comes up.
    """
    composition = assignment.graph
    assert composition is not None, "the assignment says what to draw"
    theirs = record_steps(read_submission(other), assignment, composition, start, isolation)
    if theirs.raised is not None:
        why = f"its steps raise {theirs.raised.type} there: {theirs.raised.message}"
        raise AssignmentError(other, "graph", why)
    taped = record_steps(submission, assignment, composition, start, isolation)
    return Story(taped, theirs)


def ended_text(raised: Raised, function: str, left: list[str]) -> str:
    """What ended the calls before their end, in a sentence."""
    if raised.type in UNWRITTEN:
        what = "is not written yet" if raised.type == UNWRITTEN[0] else "is not there"
        return f"{function} {what}, so there is no tape of it."
    if raised.type == "TimeLimit":
        return f"{function} took too long and was stopped{_at(raised)}."
    if raised.type == "Garbled":
        return "What came back is no tape, so there is nothing to show."
    if not raised.families:  # the process is gone, and with it all that it knew
        return f"While {' or '.join(left) or function} ran, {raised.message}."
    message = raised.message.strip().splitlines()
    told = f": {message[0][:200]}" if message else ""
    return f"{function} raised {raised.type}{_at(raised)}{told}"


def _at(raised: Raised) -> str:
    if not raised.frames:
        return ""
    cell, line = display_place(raised.frames[-1].filename, raised.frames[-1].line)
    return f" in line {line}" if cell is None else f" in cell {cell}, line {line}"


def note_text(note: LoadNote) -> str:
    """A statement that was skipped as the file was loaded."""
    cell, line = display_place(note.filename, note.line)
    where = (f"cell {cell}, " if cell is not None else "") + (f"line {line}" if line else "")
    return f"{where} was skipped: {note.message}" if where else note.message


def _article(kind: str) -> str:
    known = {"NoneType": "None", "ndarray": "a NumPy array", "int": "an int"}
    return known.get(kind, f"a {kind}")
