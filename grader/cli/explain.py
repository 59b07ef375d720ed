"""`grade explain`: the catalogue of known mistakes, without torch and so at once."""

from __future__ import annotations

import contextlib
import difflib
from pathlib import Path

import click
from rich.text import Text

from grader.assignment import known_assignments
from grader.cli.finding import assignment_for
from grader.errors import UnreadableSubmission, UsageError
from grader.misconceptions.catalogue import GROUPS, Misconception, general, load_catalogue
from grader.report.screen import Screen, fitting_width

WIDTH = 80
INDENT = 2
GROUP_TITLES = {
    "update": "The update step",
    "graph": "The graph",
    "types": "Types",
    "function": "Single functions",
    "network": "The network",
    "initialization": "Making parameters",
    "training": "The training loop",
    "by-hand": "By hand",
    "advice": "Advice (costs no points)",
}


@click.command(name="explain")
@click.argument("slug", required=False)
@click.option("--hints", is_flag=True, help="Show the hints as well, all of them.")
def command(slug: str | None, hints: bool) -> None:
    """Say what a named mistake means. Without SLUG, list all that are known."""
    known = entries(_here())
    screen = Screen(min(WIDTH, fitting_width()))
    if slug is None:
        _list(screen, known)
    else:
        if slug not in known:
            raise UsageError(f"no mistake is called {slug!r}", _nearest(slug, list(known)))
        _entry(screen, *known[slug], hints)
    click.echo(screen.text(), nl=False)


def entries(here: str = "") -> dict[str, tuple[Misconception, str]]:
    """Each known mistake by slug, with its assignment's name ("" for the general ones).

    Where several know a slug, the words of the assignment `here` count, then the general ones.
    """
    found = {slug: (entry, "") for slug, entry in general().items()}
    for name, folder in sorted(known_assignments().items()):
        own = folder / "misconceptions.toml"
        if own.is_file():
            mine = {slug: (entry, name) for slug, entry in load_catalogue(own).items()}
            found = found | mine if name == here else mine | found
    return found


def _here() -> str:
    """The assignment of the folder in which the command is given, if it is one's."""
    with contextlib.suppress(UsageError, UnreadableSubmission):
        return assignment_for(Path(), None, None).name
    return ""


def _nearest(slug: str, known: list[str]) -> str:
    close = difflib.get_close_matches(slug.lower().replace("_", "-"), known, n=3, cutoff=0.5)
    close = close or [name for name in known if slug.lower() in name][:3]
    if not close:
        return "`grade explain` lists all."
    return f"Did you mean {' or '.join(close)}? `grade explain` lists all."


def _list(screen: Screen, known: dict[str, tuple[Misconception, str]]) -> None:
    widest = max(len(slug) for slug in known)
    for group in GROUPS:
        members = [entry for entry, _ in known.values() if entry.group == group]
        if not members:
            continue
        screen.blank()
        screen.add(GROUP_TITLES[group], style="bold")
        for entry in members:
            row = Text(f"{entry.slug:<{widest}}  ", style="cyan")
            row.append(entry.title, style="default")
            screen.add(row, indent=2, hanging=widest + 2)
    screen.blank()
    screen.add(f"{len(known)} in all. `grade explain SLUG` says more about one.", style="dim")


def _entry(screen: Screen, entry: Misconception, assignment: str, hints: bool) -> None:
    headline = Text(entry.slug, style="bold cyan")
    headline.append(f": {entry.title}", style="bold")
    screen.add(headline, hanging=2)
    screen.blank()
    screen.add(entry.explanation)
    _section(screen, "How it is noticed")
    screen.add(entry.evidence, indent=2)
    _section(screen, "For example, in another program (# prints: is what comes out)")
    for line in entry.example.splitlines():
        for part in _fitted(line, screen.width - INDENT):
            screen.add(part, indent=INDENT, whole=True)
    _section(screen, "Hints" if hints else "What to try")
    for number, hint in enumerate(entry.hints if hints else entry.hints[:1], 1):
        label = f"{number}. " if hints else ""
        screen.add(f"{label}{hint}", indent=2, hanging=len(label))
    screen.blank()
    handout = f"the handout of {assignment}" if assignment else "the handout"
    more = "" if hints else " `--hints` shows all hints."
    screen.add(f"More in {handout}, section {entry.handout}.{more}", style="dim")


def _fitted(line: str, width: int) -> list[str]:
    """A line of code; where it is too long, with its comment on a line of its own."""
    code, mark, comment = line.rpartition("  # ")
    if len(line) <= width or not mark or not code.strip():
        return [line]
    margin = line[: len(line) - len(line.lstrip())]
    return [code.rstrip(), f"{margin}# {comment}"]


def _section(screen: Screen, title: str) -> None:
    screen.blank()
    screen.add(title, style="bold")
