"""How the mistakes of `tensor_gotchas` read on a terminal, where no other assignment shows them.

`GOLDEN=write pytest tests/messages` writes the golden texts again.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import test_messages as first
import torch

from grader.assignment import find_assignment
from grader.checking.collection import with_checks
from grader.grading import Grading
from grader.misconceptions.catalogue import load_catalogue
from grader.submission import read_submission

HERE = Path(__file__).parent
WRONG = HERE.parents[1] / "solutions" / "tensor_gotchas" / "wrong"
GOLDEN = HERE / "golden_gotchas"

pytestmark = pytest.mark.skipif(not WRONG.is_dir(), reason="solutions are staff's")


def chosen() -> dict[str, tuple[Path, str]]:
    """For each slug that is not shown yet the first submission with that mistake alone."""
    files: dict[str, tuple[Path, str]] = {}
    for path in sorted(WRONG.glob("*.py")) if WRONG.is_dir() else ():
        expected = first.EXPECT.match(first.first_line(path))
        if expected is not None and expected[2] != "none" and expected[2] not in first.CHOSEN:
            files.setdefault(expected[2], (path, expected[1]))
    return files


CHOSEN = chosen()
UNNAMED = {
    "unnamed_numbers": ("z_other_formula.py", "z_and_gradients"),
    "unnamed_step": ("update_halved.py", "update"),
    "unnamed_operations": ("operations_lower_case.py", "operations_of"),
}
NAMES = [*CHOSEN, *UNNAMED]


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """Every chosen submission, graded in one session, in this process."""
    assignment = find_assignment("tensor_gotchas")
    found: dict[str, Any] = {}

    def body(checks: Any, bench: Any, config: Any) -> None:
        for name, (path, exercise) in [*CHOSEN.items(), *UNNAMED.items()]:
            grading = Grading(
                assignment, checks, bench, config,
                start_worker=None, isolation="", only=(exercise,),
            )  # fmt: skip
            report = grading.grade(read_submission(WRONG / path)).report
            entry = next((e for e in report.exercises if e.findings), None)
            assert entry is not None, (name, report.status, report.notes)
            found[name] = first.Shown(report, entry.name, entry.findings[0])

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with_checks(assignment, body)
    finally:
        torch.set_num_threads(threads)
    return found


def golden_text(name: str) -> str:
    return (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_finding_reads_as_agreed(shown: dict[str, Any], name: str) -> None:
    text = shown[name].text()
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    golden = path.read_text(encoding="utf-8")
    if "it raised" in golden and not torch.__version__.startswith("2.13."):
        pytest.skip("holds an error message of torch 2.13")
    assert first.same(text, golden), text


def test_each_slug_with_a_finding_has_a_golden_text() -> None:
    own = load_catalogue(find_assignment("tensor_gotchas").path / "misconceptions.toml")
    assert set(own) <= set(CHOSEN) | set(first.CHOSEN)
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(NAMES)


def test_chosen_findings_have_their_name(shown: dict[str, Any]) -> None:
    assert {slug: shown[slug].finding.bug for slug in CHOSEN} == {slug: slug for slug in CHOSEN}
    assert {shown[name].finding.bug for name in UNNAMED} == {None}


@pytest.mark.parametrize("name", NAMES)
def test_no_text_gives_the_engine_away(name: str) -> None:
    text = first.own_words(golden_text(name))
    assert not first.ENGINE.search(text)
    assert not first.PATHS.search(text)


@pytest.mark.parametrize("name", NAMES)
def test_a_text_is_at_most_six_lines_before_wrapping(name: str) -> None:
    lines = golden_text(name).splitlines()
    assert all(len(line) <= first.WIDTH for line in lines)
    assert len(lines) <= 9
    assert sum(line.startswith("  Try:") for line in lines) == 1


def test_messages_are_short_whole_sentences_and_never_the_title_again(
    shown: dict[str, Any],
) -> None:
    for name, one in shown.items():
        lines = one.finding.message.splitlines()
        assert len(lines) <= 4, name
        assert one.finding.title.casefold() not in one.finding.message.casefold(), name
        for line in lines:
            if not line.startswith("Your line:"):
                assert line.endswith((".", "?")), (name, line)
                named = re.match(r"[a-z_]+[\d.\[(_]|[wxyz] |backward|torch|requires_grad|'", line)
                assert line[0] == line[0].upper() or named, (name, line)


def test_every_finding_shows_numbers_or_what_ran(shown: dict[str, Any]) -> None:
    """Evidence is the student's own: their numbers, shapes, names, their line, their error."""
    for name, one in shown.items():
        said = one.finding.message
        seen = r"\d|Your line:|raised|is True|'\w+'|AccumulateGrad|leaf is|leaves are"
        assert re.search(seen, said), name
