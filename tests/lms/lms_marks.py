"""One mark, and the sheets that know its student."""

from __future__ import annotations

import io
import zipfile

from hypothesis import HealthCheck, settings
from lms_class import document, exported

from grader.people import Person
from grader.report.exporters import mark_of

FEW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
TOLD = {
    "classroom": "c", "owner": "o", "submission": "submit/1", "commit": "0", "release": "r",
    "review": "v",
}  # fmt: skip
CANVAS = 'Student,ID,SIS User ID,SIS Login ID,Section,"Nets by hand, part 1 (7)"\n'
SHEETS = {
    "canvas": CANVAS + '"Inventedname, Ada",1,s1,l1,A,\n',
    "moodle": "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Feedback comments\n"
    "Participant 1,Ada Inventedname,a@invented.example,x,,10,\n",
    "blackboard": 'Last Name,First Name,Username,"Nets by hand, part 1 [Total Pts: 10 Score] |7"\n'
    "Inventedname,Ada,1,\n",
    "brightspace": 'OrgDefinedId,"Nets by hand, part 1 Points Grade",End-of-Line Indicator\n'
    "#1,,#\n",
}


def one(score=4.0, status="graded", **about):
    return mark_of(document("one", score, status=status, **about), (Person("1", "Ada"),))


def everything(name, mark, **about):
    sheet = SHEETS.get(name)
    about = {"sheet": sheet.encode() if sheet else None, "settings": TOLD, **about}
    layout = "moodle" if name.startswith("moodle") else ""
    return exported(name, (mark,), "out.zip", layout=layout, **about)


def text_of(data):
    archive = zipfile.ZipFile(io.BytesIO(data))
    return "\n".join(n + archive.read(n).decode("utf-8-sig") for n in archive.namelist())
