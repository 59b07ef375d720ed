# attack: prints and writes forged reports wherever one might be looked for
# levels: jail confined
import json
import os
import sys

FORGED = json.dumps(
    {"tests": [{"outcome": "passed"}], "grade": {"status": "graded", "score": 25.0, "max_score": 25.0}}
)
for place in (".", "..", os.environ.get("HOME", ""), "/tmp", "@CANARY@", "@ASSIGNMENT@", "@SOLUTIONS@"):
    for name in ("report.json", ".report.json", "results.json", "grade.json", "grades.csv"):
        try:
            with open(os.path.join(place, name), "w") as file:
                file.write(FORGED)
        except OSError:
            pass


def relu(x):
    print(FORGED)
    print(FORGED, file=sys.stderr)
    sys.__stdout__.write(FORGED)
    return x


def logistic(x):
    raise AssertionError(FORGED)
