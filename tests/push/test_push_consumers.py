"""The bodies that the platform received, read by a platform's own program, or by its rules."""

from __future__ import annotations

import json
import os
import re
import subprocess
from datetime import datetime
from pathlib import Path

import pytest
from fake_server import CUT_AFTER
from push_class import make_class, push, regrade

from grader.people import Person

READER = Path(__file__).parents[1] / "lms" / "consumers" / "lti_reads.py"
PYTHON = os.environ.get("GRADE_CONSUMERS_PYTHON", "")
ISO = r"\d{4}-\d\d?-\d\d?[T ]\d\d?:\d\d(:\d\d([.,]\d{1,6}\d{0,6})?)?\s*(Z|[+-]\d\d(:?\d\d)?)"


@pytest.fixture
def bodies(lti, config, tmp_path):
    """What arrives of a class with thirds, zero and all points, a group, and awkward ids."""
    people = {
        1: (Person("00427", "Ada"), Person("b/ü 2", "Ben")),
        2: (Person("5b2c-77", "Zoë O'Invented\u2028"),),
        3: (Person("虚", "构名"),),
    }
    out = make_class(tmp_path / "OUT", (10 / 3, 0, 10), people=people)
    lti.script = [("scores", CUT_AFTER)]
    assert push("lti", config(), out) == 0
    regrade(out, "s1", 1e-9)
    assert push("lti", config(), out) == 0
    return [one.body for one in lti.asked if one.path.endswith("/scores")]


def taken(body, stored=None):
    """What lti-consumer-xblock's serializer makes of a body; raises AssertionError as it would.

    `stored` is the time of the score that it has of this user.
    """
    data = json.loads(body, parse_constant=lambda word: pytest.fail(word))
    for name in ("activityProgress", "gradingProgress", "userId"):
        assert isinstance(data[name], str)
        assert data[name].strip()
        assert "\0" not in data[name]
    assert re.fullmatch(ISO, data["timestamp"])
    when = datetime.fromisoformat(data["timestamp"])
    assert when.tzinfo is not None
    assert stored is None or when > stored, "Score already exists, or a later one"
    for name in ("scoreGiven", "scoreMaximum"):
        assert isinstance(data[name], int | float)
        assert not isinstance(data[name], bool)
    assert data["scoreMaximum"] > 0
    assert "\0" not in data.get("comment", "")
    return when


def test_the_rules_hold_for_every_body(bodies):
    stored = {}
    assert len(bodies) == len(set(bodies)) == 6
    for body in bodies:
        user = json.loads(body)["userId"]
        stored[user] = taken(body, stored.get(user))
    assert set(stored) == {"00427", "b/ü 2", "5b2c-77", "虚"}


@pytest.mark.parametrize(
    "change",
    [{"timestamp": "2026-10-01T12:00:00"}, {"scoreMaximum": 0}, {"userId": ""}, {"comment": "\0"}],
)
def test_the_rules_are_rules(bodies, change):
    with pytest.raises(AssertionError):
        taken(json.dumps({**json.loads(bodies[0]), **change}))


@pytest.mark.skipif(not PYTHON, reason="GRADE_CONSUMERS_PYTHON is not set: see lms/consumers")
def test_a_platforms_own_serializer_takes_every_body(bodies, tmp_path):
    for number, body in enumerate(bodies):
        file = tmp_path / f"{number}.json"
        file.write_bytes(body)
        done = subprocess.run([PYTHON, READER, file], capture_output=True, timeout=60, check=True)
        read, sent = json.loads(done.stdout), json.loads(body)
        assert (read["score_given"], read["score_maximum"], read["user_id"]) == (
            sent["scoreGiven"], sent["scoreMaximum"], sent["userId"],
        )  # fmt: skip
