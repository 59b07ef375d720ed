"""The JSON Schema of a report: generated from the model, inside the layout of the plugin.

`python -m grader.report.schema` writes it anew beside this file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from grader.report.files import write_atomically
from grader.report.model import Report

SCHEMA_FILE = Path(__file__).with_name("report.schema.json")

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NUMBER = {"type": "number", "minimum": 0}
_OUTCOME = {"enum": ["passed", "failed"]}

# What a reader may rely on. Records have defaults for some of it; a report writes it all.
_ALWAYS = {
    "Report": "format assignment submission status complete score max_score exercises notes "
    "review seed isolation versions duration",
    "SubmissionRef": "id files students",
    "ExerciseEntry": "name score max_score status findings advice stood_in",
    "FindingEntry": "bug title message evidence file line hints check",
    "AdviceEntry": "slug message line",
    "NoteEntry": "kind message file line",
}


def report_schema() -> dict[str, Any]:
    """The schema of a whole document: pytest-json-report's keys and "grade"."""
    (grade,), definitions = msgspec.json.schema_components([Report], ref_template="#/$defs/{name}")
    for name, keys in _ALWAYS.items():
        definitions[name]["required"] = keys.split()
    stage = _object({"duration": _NUMBER, "outcome": _OUTCOME})
    metadata = _object(
        {
            "exercise": {"type": "string"},
            "title": {"type": "string"},
            "points": _NUMBER,
            "earned": _NUMBER,
            "visibility": {"enum": ["visible", "hidden"]},
            "follow_through": {"type": "array", "items": {"type": "string"}},
        }
    )
    test = _object(
        {
            "nodeid": {"type": "string", "pattern": "^(checks|hidden)/"},
            "lineno": {"type": "integer", "minimum": 0},
            "outcome": _OUTCOME,
            "metadata": {"$ref": "#/$defs/Metadata"},
            "setup": {"$ref": "#/$defs/Stage"},
            "call": {"$ref": "#/$defs/Stage"},
            "teardown": {"$ref": "#/$defs/Stage"},
        },
        optional=("setup", "call", "teardown"),
    )
    counts = {"type": "integer", "minimum": 0}
    summary = _object(
        {"total": counts, "collected": counts, "passed": counts, "failed": counts},
        optional=("passed", "failed"),
    )
    document = _object(
        {
            "created": _NUMBER,
            "duration": _NUMBER,
            "exitcode": {"enum": [0, 1, 3, 5]},
            "root": {"const": ""},
            "environment": {"type": "object", "additionalProperties": {"type": "string"}},
            "summary": summary,
            "tests": {"type": "array", "items": {"$ref": "#/$defs/Test"}},
            "grade": grade,
        }
    )
    return {
        "$schema": _DIALECT,
        "title": "A report of autograd-grader, format grade/1",
        **document,
        "$defs": {**definitions, "Metadata": metadata, "Stage": stage, "Test": test},
    }


def schema_text() -> str:
    """The schema as it is committed."""
    return json.dumps(report_schema(), indent=2) + "\n"


def _object(properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


if __name__ == "__main__":
    write_atomically(SCHEMA_FILE, schema_text().encode())
