"""A CSV of our own: a line a student, a column an exercise. No verdict is an empty cell."""

from __future__ import annotations

from grader.report.exporters.matching import people_of
from grader.report.exporters.numbers import checked, written
from grader.report.exporters.records import Exported, Format, Request
from grader.report.exporters.sheet import new_sheet, safe


def _write(request: Request) -> Exported:
    names = dict.fromkeys(one.name for mark in request.marks for one in mark.exercises)
    fixed = ("submission", "id", "name", "email", "status", "late", "score", "max_score")
    rows: list[tuple[str, ...]] = [(*fixed, *names)]
    for mark in request.marks:
        by_name = {one.name: one for one in mark.exercises}
        numbers = ("", "")
        if mark.score is not None and mark.max_score is not None:
            score, most = checked(mark.score, mark.max_score, mark.id)
            numbers = (written(score), written(most))
        cells = tuple(
            written(checked(by_name[name].score, by_name[name].max_score, mark.id)[0])
            if name in by_name
            else ""
            for name in names
        )
        late = "late" if mark.late else ""
        for person in people_of(mark):
            who = (safe(mark.id), safe(person.id), safe(person.name), safe(person.email))
            rows.append((*who, mark.status.replace("_", " "), late, *numbers, *cells))
    return Exported((("grades.csv", new_sheet(rows)),))


FORMAT = Format("csv", "a CSV: a line a student, a column an exercise", "class", _write)
