"""The loop of `grade watch`: grade what lies there, show it, wait for the next save."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from pathlib import Path

from grader.assignment import Assignment
from grader.errors import UnreadableSubmission
from grader.grading import Graded, Grading
from grader.reading import read_for
from grader.report.model import Report
from grader.submission import submission_id
from grader.watching.changes import changes
from grader.watching.display import Display
from grader.watching.saves import Saves
from grader.watching.spare import Spares
from grader.watching.view import run_block, waiting_block


class Session:
    """Watches one submission. `wrote` hears of each run, to put it elsewhere too."""

    def __init__(
        self,
        path: Path,
        assignment: Assignment,
        grading: Grading,
        spares: Spares,
        display: Display,
        *,
        hints: int,
        show_input: bool,
        wrote: Callable[[Graded], None],
    ) -> None:
        self._path = path
        self._assignment = assignment
        self._grading = grading
        self._spares = spares
        self._display = display
        self._hints = hints
        self._show_input = show_input
        self._wrote = wrote
        self._verdict: Report | None = None  # the last one there was
        self._name = ""  # of the file that was read last
        self._saves = Saves(path)

    def run(self) -> None:
        """Grade now, and again at every save, until somebody interrupts."""
        self._once()
        for saved in self._saves.wait():
            if saved:
                self._once()
            else:
                self._display.tick()

    def _once(self) -> None:
        # First looked at, then read: a save in between is one more run.
        self._saves.look()
        began = time.monotonic()
        at = time.strftime("%H:%M:%S")
        if self._name and not self._saves.present:
            gone = functools.partial(waiting_block, self._name, self._verdict)
            self._display.show(f"{at} · waiting · Ctrl-C ends", gone)
            return
        self._display.busy(f"{at} · grading ...")
        graded = self.grade()
        report = graded.report
        changed = None if self._verdict is None else changes(self._verdict, report)
        block = functools.partial(
            run_block,
            report,
            changed,
            hints=self._hints,
            snippets=graded.replays if self._show_input else None,
        )
        # First the file, so that it is there when the run is seen.
        self._wrote(graded)
        took = time.monotonic() - began
        self._display.show(f"{at} · {took:.2f} s · graded at every save · Ctrl-C ends", block)
        if report.status == "graded":
            self._verdict = report
        self._spares.refill()

    def grade(self) -> Graded:
        """What lies there now; where it cannot be read, a report that says so."""
        try:
            submission = read_for(self._path, self._assignment)
        except UnreadableSubmission as error:
            self._name = self._name or self._path.name
            return self._grading.unreadable(submission_id(self._path), error)
        self._name = submission.name
        graded = self._grading.grade(submission)
        if graded.report.status == "grader_failed" and self._spares.used:
            # A worker that had waited for hours may have been ended by the system meanwhile.
            self._spares.close()
            graded = self._grading.grade(submission)
        return graded
