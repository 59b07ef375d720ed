"""An invented class of 30, its results, and downloads as each LMS lays them out.

Nobody in it exists. Some names are as awkward as real ones are.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from msgspec import to_builtins

from grader.classroom.intake import opened_class
from grader.classroom.marks import marks_of
from grader.classroom.store import Store
from grader.people import Roster, roster_from
from grader.report.exporters import Request, export
from grader.report.model import (
    AssignmentRef,
    ExerciseEntry,
    FileRef,
    FindingEntry,
    NoteEntry,
    Report,
    SubmissionRef,
)

TITLE = "Nets by hand, part 1"
AWKWARD = (
    ("Ada", "Inventedname"),
    ("Sean", "O'Invented"),
    ("Zoë", "Erfündén-Lind"),
    ("Łucja", "Żmyślona"),
    ("ليلى", "متخيلة"),
    ("דנה", "בדויה"),
    ("虚", "构名"),
    ("=SUM(A1", "A9)"),
    ("@cmd", "Made-Up"),
    ("Kim", "Madeup, Jr."),
    ("Jo", 'Made "Up"'),
    ("Anna Lena", "von der Erfindung"),
)
SECRET_TITLE = "keeps secret inputs of 42.4242 apart"
SECRET_CHECK = "hidden/test_relu.py::test_secret_corner"
SECRETS = (SECRET_TITLE, SECRET_CHECK, "test_secret_corner", "42.4242", "7.7777")


@dataclass(frozen=True)
class Student:
    number: int
    first: str
    last: str

    @property
    def name(self):
        return f"{self.first} {self.last}"

    @property
    def sortable(self):
        return f"{self.last}, {self.first}"

    @property
    def login(self):
        return f"made_up{self.number:02d}"

    @property
    def sid(self):
        return f"00{self.number:02d}7"  # leading zeros are lost by whoever makes a number of it

    @property
    def canvas(self):
        return str(4200 + self.number)

    @property
    def moodle(self):
        return str(9900 + self.number)

    @property
    def email(self):
        return f"{self.login}@invented.example"

    @property
    def late(self):
        return self.number % 10 == 3


def _students():
    for number in range(30):
        if number < len(AWKWARD):
            yield Student(number, *AWKWARD[number])
        else:
            yield Student(number, f"Madeup{number}", f"Invented{number}")


CLASS = tuple(_students())
SOURCE = b"def relu(x):\n    return x\n"
MOST = Fraction(10)


def points(number):
    """What the submission that student `number` handed in is worth: thirds, too."""
    return Fraction(number % 11) if number % 4 else Fraction(number, 3) % 10


def document(name, score, *, status="graded", students=(), hints=("look at it", "idea", "idiom")):
    """A report made by hand: two exercises of 5 points, two public checks and two hidden ones."""
    score = float(score)
    first = min(score, 5.0)
    second = score - first
    secret = FindingEntry(
        None,
        "at x = 42.4242 it differs",
        "you returned 7.7777",
        {"x": 42.4242},
        line=3,
        hints=("try 42.4242",),
        check=SECRET_CHECK,
        hidden=True,
        output="saw 42.4242",
    )
    public = FindingEntry(
        "gradient-not-reset",
        "nothing reset the gradient",
        "after the second step it is g1 + g2",
        {},
        line=12,
        hints=hints,
        check="checks/test_sgd.py::test_reset",
    )
    entries = (
        _entry("relu", first, (secret,)),
        _entry("sgd", second, (public,)),
    )
    rows = (
        ("checks/test_relu.py::test_values", "relu", "keeps what is positive", 2.0, "visible"),
        (SECRET_CHECK, "relu", SECRET_TITLE, 3.0, "hidden"),
        ("checks/test_sgd.py::test_reset", "sgd", "resets the gradient", 3.0, "visible"),
        ("hidden/test_sgd.py::test_other", "sgd", "does so for 42.4242 others", 2.0, "hidden"),
    )
    left = {"relu": first, "sgd": second}
    tests = []
    if status == "graded":
        for check, exercise, title, most, visibility in rows:
            earned = min(left[exercise], most)
            left[exercise] -= earned
            tests.append(_test(check, exercise, title, most, earned, visibility))
    graded = status == "graded"
    report = Report(
        AssignmentRef("nets", TITLE, "0" * 64, 2),
        SubmissionRef(name, (FileRef("hw1.py", hashlib.sha256(SOURCE).hexdigest()),), students),
        status,
        graded,
        score if graded else 0.0,
        float(MOST) if graded else 0.0,
        entries if graded else (),
        () if graded else (NoteEntry("unreadable", "hw1.py is empty. Did you save it?"),),
        duration=1.25,
    )
    made = {
        "created": 1_790_000_000.125,
        "duration": 1.25,
        "exitcode": 0,
        "root": "",
        "environment": {},
        "summary": {"total": len(tests), "collected": len(tests)},
        "tests": tests,
        "grade": to_builtins(report),
    }
    return json.loads(json.dumps(made))


def _entry(name, score, findings):
    status = "passed" if score >= 5 else "partial" if score else "failed"
    return ExerciseEntry(name, score, 5.0, status, () if score >= 5 else findings)


def _test(check, exercise, title, most, earned, visibility):
    outcome = "passed" if earned >= most else "failed"
    stage = {"duration": 0.0021239, "outcome": outcome}
    return {
        "nodeid": check,
        "lineno": 1,
        "outcome": outcome,
        "metadata": {
            "exercise": exercise,
            "title": title,
            "points": most,
            "earned": earned,
            "visibility": visibility,
            "follow_through": [],
        },
        "setup": {"duration": 0.0, "outcome": "passed"},
        "call": stage,
        "teardown": {"duration": 0.0, "outcome": "passed"},
    }


def zipped(files):
    """A zip of {path: bytes}."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return packed.getvalue()


def laid_out(place, files, form):
    """`files` as a folder or a zip below `place`; the path of it."""
    if form == "zip":
        source = place / "download.zip"
        source.write_bytes(zipped(files))
        return source
    folder = place / "download"
    for path, data in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder


def roster(header, rows):
    """A roster from a header and rows, through the reader that reads a teacher's file."""
    lines = [header, *(",".join(f'"{cell}"'.replace("\n", " ") for cell in row) for row in rows)]
    return roster_from("\n".join(lines))


@contextmanager
def taken_in(source, layout="auto", known=None):
    with opened_class(source, layout, known or Roster()) as intake:
        yield intake


def stored(place, intake, score_of, *, statuses=None):
    """A store in which every entry has a made-up result; its marks."""
    with Store(place / "out", create=True) as store:
        store.expect(intake.entries)
        for entry in intake.entries:
            status = (statuses or {}).get(entry.id, "graded")
            made = document(entry.id, score_of(entry), status=status, students=entry.students)
            store.save(entry.id, "key", made)
        return marks_of(store)


def exported(name, marks, file_name="out.csv", **about):
    request = Request(tuple(marks), **{"title": TITLE, "name": "nets", **about})
    return export(name, request, file_name)
