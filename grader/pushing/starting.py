"""From CONFIG to a channel and a plan. Imports the one library that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from grader.errors import UsageError
from grader.pushing.config import CanvasPeople, People, beside, canvas_token, read_canvas, read_lti
from grader.pushing.hidden import Hidden, readable_by_others
from grader.pushing.plan import Plan, planned
from grader.pushing.recipients import Find, addressed, as_it_is, chained, roster_table
from grader.pushing.retrying import Clock, Patience
from grader.pushing.sending import Channel
from grader.report.exporters.records import Request

_SLACK = 2.0  # seconds: some file systems count in twos


class Ready(msgspec.Struct, frozen=True):
    """A checked configuration. `open` is called with what the store holds when it is our turn.

    It reads from Canvas, and raises a Fault where that is not there.
    """

    target: str
    patience: Patience
    open: Callable[[Request], tuple[Channel, Plan]]
    warnings: tuple[str, ...] = ()


def with_current_pages(request: Request, out: Path) -> Request:
    """Without pages that are older than the result: a batch that was killed may leave such."""
    graded = {mark.id: mark.when for mark in request.marks}

    def page(name: str) -> bytes | None:
        file = out / "reports" / f"{name}.html"
        try:
            old = file.stat().st_mtime < graded.get(name, 0.0) - _SLACK
        except OSError:
            return None
        return None if old else request.pages(name)

    return msgspec.structs.replace(request, pages=page)


def ready_lti(path: Path, clock: Clock) -> Ready:
    """Raises UsageError."""
    from grader.pushing.lti import LtiChannel
    from grader.pushing.lti_access import read_key

    config = read_lti(path)
    key = read_key(path, config)
    find = _ours(path, config.people)

    def begin(request: Request) -> tuple[Channel, Plan]:
        channel = LtiChannel(config, key, request, clock, Hidden())
        return channel, planned(addressed(request.marks, config.people.by, find), request.marks)

    warnings = _open_to_others(beside(path, config.platform.key_file))
    return Ready(config.platform.line_item, config.sending, begin, warnings)


def ready_canvas(path: Path, clock: Clock) -> Ready:
    """Raises UsageError."""
    from grader.pushing.canvas import CanvasChannel
    from grader.pushing.canvas_course import address

    config = read_canvas(path)
    token = canvas_token(path, config.platform)
    find = _ours(path, config.people)

    def begin(request: Request) -> tuple[Channel, Plan]:
        _check_ids(config.people, request)
        channel = CanvasChannel(config, token, request, clock, Hidden())
        target = channel.open()
        everybody = chained(find, target.find(config.people.canvas))
        found = addressed(request.marks, config.people.by, everybody)
        plan = planned(found, request.marks, target.most)
        return channel, channel.fitted(plan, target)

    file = config.platform.token_file
    warnings = _open_to_others(beside(path, file)) if file else ()
    return Ready(address(config.platform), config.sending, begin, warnings)


def _ours(path: Path, people: People) -> Find:
    if not people.roster:
        return as_it_is
    return roster_table(beside(path, people.roster), people.roster_by, people.roster_user)


def _check_ids(people: CanvasPeople, request: Request) -> None:
    """Canvas' own numbers are only known to who came from there: elsewhere 4211 is another 4211."""
    bare = people.canvas == "id" and people.by == "id" and not people.roster
    if bare and request.layout != "canvas":
        raise UsageError(
            'people.canvas = "id" is Canvas\' own number, and these submissions did not come from '
            "Canvas",
            "Use sis_user_id or login_id, or a roster that has Canvas' numbers.",
        )


def _open_to_others(path: Path) -> tuple[str, ...]:
    if not readable_by_others(path):
        return ()
    return (f"others on this machine can read {path}: chmod 600 keeps it to yourself",)
