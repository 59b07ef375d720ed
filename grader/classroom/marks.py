"""What a store holds, as marks: the one thing that every export is made of."""

from __future__ import annotations

from grader.classroom.scores import scores_of, with_decisions
from grader.classroom.store import Store
from grader.report.exporters.records import ExerciseMark, Mark


def marks_of(store: Store) -> tuple[Mark, ...]:
    """One for everything that was handed in, decisions included; "missing" where not graded."""
    voids = store.voids()
    marks = []
    for name, late in store.expected():
        people = store.people(name)
        result = store.result(name)
        if result is None:
            marks.append(Mark(name, "missing", people, late))
            continue
        overrides = store.overrides(name)
        points = any(one.points is not None for one in overrides)
        scores = scores_of(result, overrides, voids)
        counts = result.status == "graded" or points
        marks.append(
            Mark(
                id=name,
                status=result.status,
                people=people,
                late=late,
                score=scores.score if counts else None,
                max_score=scores.max_score if counts else None,
                exercises=tuple(
                    ExerciseMark(one.name, one.score, one.max_score) for one in scores.exercises
                ),
                document=with_decisions(result, overrides, voids),
                when=result.graded,
            )
        )
    return tuple(marks)
