"""Each limit that a submission overruns is named in a finding or a note."""

from __future__ import annotations

import pytest
from hostile_session import Seen, Sessions

OVERRUNS = {
    "call": (
        "def relu(x):\n    while True:\n        pass\n",
        "longer than the 0.5 s that one call may take",
    ),
    "call, in C": (
        "def relu(x):\n    return sum(iter(int, 1))\n",
        "longer than the 0.5 s that one call may take",
    ),
    "submission": (
        "import time\n\n\n"
        + "\n\n".join(
            f"def {name}(*args):\n    time.sleep(0.45)\n"
            for name in (
                "relu",
                "logistic",
                "cross_entropy",
                "forward",
                "sgd",
                "init_params",
                "train",
            )
        ),
        "the 3.5 s for the whole submission were used up",
    ),
    "statement": ("while True:\n    pass\n", "stopped after 0.5 s"),
    "answer": (
        "import torch\n\n\ndef relu(x):\n    return torch.zeros(20_000_000)\n",
        "67,108,864 are allowed",
    ),
    "items": ("def relu(x):\n    return [0.0] * 300_000\n", "A tensor is due"),
    "memory": (
        "import torch\n\n\ndef relu(x):\n    return torch.zeros(2_000_000_000)\n",
        "1,024 MB of memory",
    ),
}


def messages(seen: Seen) -> str:
    found = [finding.message for entry in seen.report.exercises for finding in entry.findings]
    return "\n".join(found + [note.message for note in seen.report.notes])


@pytest.mark.parametrize("overrun", OVERRUNS)
def test_overrun(overrun: str, here: Sessions) -> None:
    source, words = OVERRUNS[overrun]
    only = () if overrun == "submission" else ("relu",)
    seen = here.short.grade(source, only=only)
    assert seen.report.status == "graded"
    assert words in messages(seen)
    assert seen.scores["relu"] == 0
    assert seen.survivors == {}


def test_output_is_kept_only_up_to_its_limit(here: Sessions) -> None:
    source = "def relu(x):\n    print('word ' * 200_000)\n    return x\n"
    seen = here.short.grade(source, only=("relu",))
    assert len(seen.document) < 300_000


def test_a_file_grows_only_up_to_its_limit(here: Sessions) -> None:
    source = """
import os

def relu(x):
    size = 0
    try:
        with open("big", "wb", buffering=0) as file:
            while size < 1 << 26:
                size += file.write(b"x" * (1 << 20))
    except OSError:
        pass
    raise ValueError(f"wrote {size} bytes")
"""
    seen = here.short.grade(source, only=("relu",))
    written = int(seen.document.partition("wrote ")[2].split()[0])
    assert written <= 16 << 20
