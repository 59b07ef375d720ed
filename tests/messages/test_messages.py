"""How each named mistake reads on a terminal: one golden text a slug.

`GOLDEN=write pytest tests/messages` writes them again; read the difference before you commit it.
Numbers are compared as numbers, so that the last digit may differ from machine to machine.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.assignment import find_assignment
from grader.checking.collection import with_checks
from grader.grading import Grading, catalogue_of
from grader.report.model import FindingEntry, Report
from grader.report.terminal import render
from grader.submission import read_submission

TESTS = Path(__file__).parents[1]
WRONG = TESTS.parent / "solutions" / "xor_by_hand" / "wrong"
GOLDEN = Path(__file__).parent / "golden"
WIDTH = 100
EXPECT = re.compile(r"# expect: (\w+): ([\w-]+)\s*$")
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")

pytestmark = pytest.mark.skipif(not WRONG.is_dir(), reason="solutions are staff's")


def first_line(path: Path) -> str:
    if path.suffix == ".ipynb":
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return next(
            "".join(c["source"]).partition("\n")[0] for c in cells if c["cell_type"] == "code"
        )
    return path.read_text(encoding="utf-8-sig").partition("\n")[0]


def chosen() -> dict[str, tuple[Path, str]]:
    """For each slug the first submission with that mistake alone, and the exercise it is in."""
    files: dict[str, tuple[Path, str]] = {}
    for path in sorted(WRONG.glob("*.py")) if WRONG.is_dir() else ():
        expected = EXPECT.match(first_line(path))
        if expected is not None and expected[2] != "none":
            files.setdefault(expected[2], (path, expected[1]))
    return files


CHOSEN = chosen()
UNNAMED = ("unnamed_logistic_base_two.py", "unnamed_sgd_faster_biases.py")
NOTEBOOKS = sorted(WRONG.glob("*.ipynb")) if WRONG.is_dir() else []


@dataclass(frozen=True)
class Shown:
    """One finding, and its block on the terminal at hints=1."""

    report: Report
    exercise: str
    finding: FindingEntry

    def text(self, hints: int = 1) -> str:
        rendered = render(self.report, hints=hints, width=WIDTH, color=False)
        blocks = re.split(r"\n\n", rendered)
        title = re.sub(r"\s+", " ", self.finding.title)
        for block in blocks:
            flat = re.sub(r"\s+", " ", block)
            if flat.startswith(f"{self.exercise}") and f": {title}" in flat.partition("  ")[0]:
                return block.rstrip("\n") + "\n"
        raise AssertionError(f"no block of {title!r} in:\n{rendered}")


@pytest.fixture(scope="module")
def shown() -> dict[str, Shown]:
    """Every chosen submission and every notebook, graded in one session, in this process."""
    assignment = find_assignment("xor_by_hand")
    found: dict[str, Shown] = {}

    def first(grading: Grading, path: Path) -> Shown:
        report = grading.grade(read_submission(path)).report
        exercise = next((e for e in report.exercises if e.findings), None)
        assert exercise is not None, (path.name, report.status, report.notes, report.exercises)
        return Shown(report, exercise.name, exercise.findings[0])

    def body(checks: Any, bench: Any, config: Any) -> None:
        def alone(exercise: str) -> Grading:
            return Grading(
                assignment, checks, bench, config,
                start_worker=None, isolation="", only=(exercise,),
            )  # fmt: skip

        gradings = {e.name: alone(e.name) for e in assignment.exercises}
        for slug, (path, exercise) in CHOSEN.items():
            found[slug] = first(gradings[exercise], path)
        for name in UNNAMED:
            found[name] = first(gradings[name.split("_")[1]], WRONG / name)
        for path in NOTEBOOKS:
            expected = EXPECT.match(first_line(path))
            assert expected is not None, path
            found[path.name] = first(gradings[expected[1]], path)

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with_checks(assignment, body)
    finally:
        torch.set_num_threads(threads)
    return found


def same(text: str, golden: str) -> bool:
    """Equal words; decimal numbers equal to four digits."""
    if NUMBER.split(text) != NUMBER.split(golden):
        # A digit more or less may move a line break.
        flat, other = " ".join(text.split()), " ".join(golden.split())
        if NUMBER.split(flat) != NUMBER.split(other):
            return False
    pairs = zip(NUMBER.findall(text), NUMBER.findall(golden), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=1e-3, abs_tol=1e-6) for a, b in pairs)


def golden_names() -> list[str]:
    return [*CHOSEN, *(Path(name).stem for name in UNNAMED)]


def golden_text(name: str) -> str:
    return (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*CHOSEN, *UNNAMED])
def test_a_finding_reads_as_agreed(shown, name):
    text = shown[name].text()
    path = GOLDEN / f"{Path(name).stem if name in UNNAMED else name}.txt"
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    golden = path.read_text(encoding="utf-8")
    if "it raised" in golden and not torch.__version__.startswith("2.13."):
        pytest.skip("holds an error message of torch 2.13")
    assert same(text, golden), text


def test_each_slug_with_a_finding_has_a_golden_text():
    known = catalogue_of(find_assignment("xor_by_hand"))
    due = {slug for slug, entry in known.items() if entry.group != "advice"}
    # General mistakes that this assignment gives no room for are shown by another's.
    others = [path for path in WRONG.parents[1].glob("*/wrong/*.py") if path.parent != WRONG]
    elsewhere = {slug for path in others for slug in re.findall(r": ([\w-]+)", first_line(path))}
    assert set(CHOSEN) <= due <= set(CHOSEN) | elsewhere
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(golden_names())


def test_chosen_findings_have_their_name(shown):
    assert {slug: shown[slug].finding.bug for slug in CHOSEN} == {slug: slug for slug in CHOSEN}


# What no text may hold

ENGINE = re.compile(
    r"StudentError|Observation|gradcheck|Jacobian|Traceback|AssertionError|\bFailure\b|\boracle\b"
    r"|\bworker\b|in-process|in_process|stand.in\b|nonscalar|<module>"
)
PATHS = re.compile(r"/(work|home|tmp|root|usr|opt)/|site-packages|#cell-|grader/|\.py:\d|\\Users")


def own_words(text: str) -> str:
    """The text without what it quotes from the student."""
    lines = [line for line in text.splitlines() if not line.startswith("  Your line:")]
    return re.sub(r"`[^`]*`", "", "\n".join(lines))


def solution_lines() -> list[str]:
    spec = importlib.util.spec_from_file_location(
        "catalogue_tests", TESTS / "misconceptions" / "test_catalogue.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [line for lines in module.SOLUTIONS.values() for line in lines]


@pytest.mark.parametrize("name", golden_names())
def test_no_text_gives_a_solution_or_the_engine_away(name):
    text = golden_text(name)
    assert not ENGINE.search(text)
    assert not PATHS.search(text)
    dense = re.sub(r"\s", "", own_words(text))
    assert not [line for line in solution_lines() if line in dense]


@pytest.mark.parametrize("name", golden_names())
def test_a_text_is_at_most_six_lines_before_wrapping(name):
    lines = golden_text(name).splitlines()
    assert all(len(line) <= WIDTH for line in lines)
    assert len(lines) <= 9
    assert sum(line.startswith("  Try:") for line in lines) == 1


def test_messages_are_short_whole_sentences_and_never_the_title_again(shown):
    for name, one in shown.items():
        lines = one.finding.message.splitlines()
        assert len(lines) <= 4, name
        assert one.finding.title.casefold() not in one.finding.message.casefold(), name
        for line in lines:
            if not line.startswith("Your line:"):
                assert line.endswith((".", "?")), (name, line)
                assert line[0] == line[0].upper() or re.match(
                    r"[a-z_]+[\d.\[(_]|[bx] |backward|tanh|relu|torch", line
                ), (name, line)


def test_every_finding_shows_numbers_or_what_ran(shown):
    """Evidence is the student's own: their numbers, their shapes, their line, their error."""
    for name, one in shown.items():
        said = one.finding.message
        assert re.search(r"\d|Your line:|raised|is False|is off", said), name


def test_a_solution_line_would_be_noticed():
    text = "sgd, line 3: x\n  Write p.data -= lr * p.grad here.\n  Your line: p -= lr * p.grad\n"
    dense = re.sub(r"\s", "", own_words(text))
    assert [line for line in solution_lines() if line in dense]


# How much is said


@pytest.mark.parametrize("slug", ["gradient-not-reset", "graph-cut", "logistic-precedence"])
def test_hints_open_one_at_a_time(shown, slug):
    one = shown[slug]
    ladder = [" ".join(hint.split()) for hint in one.finding.hints]
    for level in range(4):
        flat = " ".join(one.text(level).split())
        assert [hint in flat for hint in ladder] == [i < level for i in range(3)]
        assert ("Try:" in flat, "Hint 2:" in flat, "Hint 3:" in flat) == (
            level > 0,
            level > 1,
            level > 2,
        )
        # Whatever is hinted at, what happened is always said.
        assert " ".join(one.finding.message.splitlines()[0].split()) in flat


# In a notebook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_name_cell_and_line_in_the_cell(shown, path):
    one = shown[path.name]
    finding = one.finding
    assert finding.cell is not None
    assert finding.line is not None
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    cell = [cell for cell in cells if cell["cell_type"] == "code"][finding.cell - 1]
    line = "".join(cell["source"]).splitlines()[finding.line - 1].strip()
    quoted = re.search(r"Your line: (.*)", finding.message)
    if quoted is not None:
        assert line.startswith(quoted[1].removesuffix(" ..."))
    else:
        assert line.startswith(f"def {one.exercise}")
    assert one.text().startswith(f"{one.exercise}, cell {finding.cell}, line")
