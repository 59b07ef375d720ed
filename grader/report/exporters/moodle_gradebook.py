"""Moodle: a CSV for the gradebook's import.

One user that Moodle does not know, or one bad number, ends the whole import: only who has what all
others have too, an address or else an id, is written.
"""

from __future__ import annotations

from grader.people import Person
from grader.report.exporters.lines import short
from grader.report.exporters.matching import match, people_of
from grader.report.exporters.moodle_worksheet import participants
from grader.report.exporters.numbers import checked, written
from grader.report.exporters.records import Exported, Format, Mark, Request
from grader.report.exporters.sheet import new_sheet, read_sheet, safe


def _write(request: Request) -> Exported:
    people = [(mark, person) for mark in request.marks for person in _known(request, mark)]
    by_email = any(person.email for _, person in people)
    header = "Email address" if by_email else "ID number"
    rows = [(header, safe(request.title or request.name or "Grade"), "Feedback comments")]
    unmatched: list[str] = []
    said: list[str] = []
    for mark, person in people:
        key = person.email if by_email else person.id
        name = f"{mark.id} ({person.shown})" if person.shown != mark.id else mark.id
        if mark.score is None or mark.max_score is None or mark.document is None:
            said.append(f"{name}: no verdict, so no line is written")
        elif not key or key in {row[0] for row in rows[1:]}:
            what = "address" if by_email else "id"
            unmatched.append(f"{name}: no {what} of their own is known")
        else:
            score, _ = checked(mark.score, mark.max_score, mark.id)
            rows.append((key, written(score), safe(short(mark, request.catalogue))))
    most = {mark.max_score for mark in request.marks if mark.max_score is not None}
    said += [f"the grade item must have a maximum of {written(value)} points" for value in most]
    said.append(f"in the import, identify users by {header.lower()}")
    return Exported((("gradebook.csv", new_sheet(rows)),), tuple(unmatched), tuple(said))


def _known(request: Request, mark: Mark) -> list[Person]:
    """The people of a mark, with what the roster and the worksheet know of them."""
    found = []
    sheet = read_sheet(request.sheet, "worksheet") if request.sheet is not None else None
    for person in people_of(mark):
        email, identity = person.email, "" if request.layout == "moodle" else person.id
        member = request.roster.find(person.id, person.email, person.name)
        if member is not None:
            email, identity = email or member.person.email, identity or member.person.id
        if sheet is not None:
            alone = Mark(mark.id, mark.status, (person,))
            asked = Request((alone,), roster=request.roster)
            for place in match(asked, participants(sheet), "worksheet").marks:
                email = email or sheet.cell(place, sheet.column("Email address"))
                identity = identity or sheet.cell(place, sheet.column("ID number"))
        found.append(Person(identity, person.name, email))
    return found


FORMAT = Format("moodle-gradebook", "Moodle: a CSV for the gradebook's import", "class", _write)
