"""The tape on a student's page: one panel, recorded in workers of its own.

The other tape is the library pieces', never the model answer's.
"""

from __future__ import annotations

from collections.abc import Callable

from grader.assignment import Assignment
from grader.errors import GraderError
from grader.report.page.panel import Panel
from grader.student.backend import Worker
from grader.submission import Submission
from grader.tape.panel import tape_panel
from grader.tape.story import Story, record_story


def page_panels(
    submission: Submission, assignment: Assignment, start: Callable[[], Worker], isolation: str
) -> tuple[Panel, ...]:
    """The tape's panel, where the assignment says what to draw and something was recorded.

    A page does without it rather than fail: as where igraph, an extra, is not installed.
    """
    if assignment.graph is None:
        return ()
    try:
        story = record_story(submission, assignment, assignment.library, start, isolation)
        if not story.begun:
            return ()
        drawn = tape_panel(story)
    except GraderError:
        return ()
    exercise = _exercise(story, {exercise.name for exercise in assignment.exercises})
    return (Panel(exercise, drawn.title, drawn.body, drawn.text),)


def _exercise(story: Story, names: set[str]) -> str:
    """Where the tape is cut, if that is an exercise; else the last function that ran."""
    for cut in story.cuts:
        for spot in cut.spots:
            if spot.function in names:
                return spot.function
    called = [step.function for step in story.steps if step.function in names]
    ran = [step.function for step in story.steps[: len(story.taped.gave)]]
    return next((name for name in reversed(ran) if name in names), called[0])
