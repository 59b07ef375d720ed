"""`grade explain`: the whole catalogue, one entry, and what it says to a slug it does not know."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from grader.cli import explain
from grader.errors import UsageError
from grader.report.screen import NARROWEST

ENTRIES = explain.entries()


def said(*arguments: str) -> str:
    result = CliRunner().invoke(explain.command, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def flat(text: str) -> str:
    return " ".join(text.split())


def test_list_has_every_slug_once_under_its_group():
    text = said()
    rows = [line.split()[0] for line in text.splitlines() if re.match(r"  \S", line)]
    assert sorted(rows) == sorted(ENTRIES)
    groups = [title for title in explain.GROUP_TITLES.values() if title in text.splitlines()]
    assert groups == list(explain.GROUP_TITLES.values())
    advice = text.partition("Advice (costs no points)")[2]
    assert "log-of-zero" in advice
    assert "relu-leaky" not in advice


@pytest.mark.parametrize("slug", ENTRIES)
def test_entry_says_all_but_the_ladder(slug):
    entry, _ = ENTRIES[slug]
    text = said(slug)
    for part in (slug, entry.title, entry.explanation, entry.evidence, entry.hints[0]):
        assert flat(part) in flat(text)
    assert flat(entry.example) in flat(text)
    assert f"section {entry.handout}." in flat(text)
    assert flat(entry.hints[2]) not in flat(text)


def test_hints_show_the_whole_ladder():
    entry, _ = ENTRIES["graph-cut"]
    text = flat(said("graph-cut", "--hints"))
    for number, hint in enumerate(entry.hints, 1):
        assert f"{number}. {flat(hint)}" in text


def test_off_a_terminal_it_is_plain_and_narrow():
    for arguments in ([], *([slug, "--hints"] for slug in ENTRIES)):
        text = said(*arguments)
        assert "\x1b" not in text
        assert [line for line in text.splitlines() if len(line) > explain.WIDTH] == []


def test_a_narrow_terminal_is_kept_to(monkeypatch):
    monkeypatch.setenv("COLUMNS", "62")
    prose = said("gradient-ascent").partition("For example")[0]
    assert NARROWEST <= max(map(len, prose.splitlines())) + 5 <= 67


@pytest.mark.parametrize(
    ("slug", "meant"),
    [
        ("graph_cut", "graph-cut"),
        ("gradient-not-rest", "gradient-not-reset"),
        ("Relu-Leaky", "relu-leaky"),
        ("thresholded", "output-thresholded"),
    ],
)
def test_an_unknown_slug_gets_the_nearest(slug, meant):
    with pytest.raises(UsageError, match=f"no mistake is called '{slug}'.*{meant}"):
        CliRunner().invoke(explain.command, [slug], catch_exceptions=False)


def test_nothing_near_is_no_suggestion():
    with pytest.raises(UsageError) as caught:
        CliRunner().invoke(explain.command, ["zzzz"], catch_exceptions=False)
    assert "mean" not in str(caught.value)


def test_as_a_command_without_torch():
    """A process of its own, which lists what it imports: status 0 and 2, and never torch."""
    for slug, status in (("bias-missing", 0), ("bias-misssing", 2)):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "grader", "explain", slug],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == status
        assert "bias-missing" in done.stdout + done.stderr
        imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        assert "grader.misconceptions.catalogue" in imported
        assert not {name for name in imported if name.partition(".")[0] in ("torch", "numpy")}
