"""A class as a TA has it: the zip or folder that their LMS gave them, or any folder.

Each layout is a module of its own behind one interface, `records.Layout`. What fits no rule is
listed, never dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.classroom.intake import (
    blackboard,
    brightspace,
    canvas,
    github,
    google,
    gradescope,
    moodle,
    plain,
)
from grader.classroom.intake.assembling import assemble
from grader.classroom.intake.records import Entry, Intake, Layout
from grader.classroom.intake.unpacking import only_folder, unpacked, visible
from grader.errors import UsageError
from grader.people import Person, Roster
from grader.submission import ReadLimits

__all__ = [
    "LAYOUTS",
    "Entry",
    "Intake",
    "Person",
    "described",
    "opened",
    "opened_class",
    "read_folder",
]

# In the order in which they are tried: the narrower rule first.
_KNOWN = (
    gradescope.LAYOUT,
    moodle.LAYOUT,
    blackboard.LAYOUT,
    brightspace.LAYOUT,
    canvas.LAYOUT,
    github.LAYOUT,
    google.LAYOUT,
)
LAYOUTS = ("auto", *(layout.name for layout in _KNOWN), "folder")
_ENOUGH = 0.5  # the share of names that must follow a rule before it is taken


@contextmanager
def opened(source: Path, limits: ReadLimits | None = None) -> Iterator[Path]:
    """The folder that `source` is; a zip is unpacked for the length of the block, privately.

    Raises UsageError for what is neither, and for a zip that is harmful, encrypted or damaged.
    """
    with unpacked(source, limits) as (folder, _):
        # A zip of one folder is that folder.
        yield (None if source.is_dir() else only_folder(folder)) or folder


@contextmanager
def opened_class(
    source: Path,
    layout: str = "auto",
    roster: Roster | None = None,
    limits: ReadLimits | None = None,
) -> Iterator[Intake]:
    """What `source` holds, in one of `LAYOUTS`; its files are there for the length of the block.

    Raises UsageError as `opened` and `read_folder` do, and where nothing fits the layout asked for.
    """
    with unpacked(source, limits) as (folder, work):
        folder, known = _choose(folder, layout, zipped=not source.is_dir())
        if known is None:
            intake = read_folder(folder)
        else:
            intake = _read(known, folder, work, roster or Roster())
        yield intake


def read_folder(folder: Path) -> Intake:
    """Each file that could be one, and each folder, is a submission. Raises UsageError if none."""
    return plain.read(folder, visible(folder))


def described(intake: Intake) -> str:
    """What was read, in one line."""
    late = sum(entry.late for entry in intake.entries)
    earlier = sum(len(entry.superseded) for entry in intake.entries)
    count = len(intake.entries)
    parts = [f"{count} submission{'s' * (count != 1)}"]
    groups = sum(len(entry.people) > 1 for entry in intake.entries)
    parts += [f"{groups} of groups"] if groups else []
    parts += [f"{late} late"] if late else []
    parts += [f"{earlier} earlier attempt{'s' * (earlier != 1)} left aside"] if earlier else []
    others = len(intake.left_over)
    parts += [f"{others} other name{'s' * (others != 1)}"] if others else []
    return f"read as {intake.title}: {', '.join(parts)}"


def _choose(folder: Path, asked: str, zipped: bool) -> tuple[Path, Layout | None]:
    """(where the submissions lie, the layout); None for a plain folder."""
    inner = only_folder(folder)
    if asked == "folder":
        return (inner if zipped and inner else folder), None
    # The rule may hold one folder further down: zips are packed both ways.
    for place in (folder, inner):
        if place is None:
            continue
        names = [path for path in visible(place) if path.name.lower() != "index.html"]
        if asked != "auto":
            known = next(layout for layout in _KNOWN if layout.name == asked)
            if known.fits(place, names) > 0:
                return place, known
            continue
        best = max(_KNOWN, key=lambda layout: layout.fits(place, names))
        if best.fits(place, names) >= _ENOUGH:
            return place, best
    if asked != "auto":
        raise UsageError(
            f"nothing in {folder.name} is named as in a download from {asked}",
            "Leave --from away, or say --from folder.",
        )
    return (inner if zipped and inner else folder), None


def _read(layout: Layout, folder: Path, work: Path, roster: Roster) -> Intake:
    found = layout.read(folder, visible(folder))
    entries, left_over = assemble(found, work, roster)
    if not entries:
        raise UsageError(
            f"{folder.name}, read as {layout.title}, holds no submission ({len(left_over)} others)"
        )
    return Intake(tuple(entries), tuple(left_over), layout.name, layout.title)
