"""`grade doctor`: versions, and which isolation level holds here and why."""

from __future__ import annotations

import platform
import sys

import click

from grader.assignment import known_assignments, load_assignment
from grader.errors import GraderError


@click.command(name="doctor")
def command() -> None:
    """Say what this machine has, which isolation holds on it, and try one worker."""
    from grader.report.build import versions
    from grader.student import jail
    from grader.student.backend import WorkerBackend
    from grader.student.isolation import resolve_level, starter
    from grader.student.worker import messages as m

    for name, version in versions().items():
        click.echo(f"{name:<12} {version}")
    click.echo(f"{'system':<12} {platform.system()} {platform.release()} {platform.machine()}\n")

    found = jail.probe()
    level, _ = resolve_level()
    click.echo(f"isolation    {level}")
    for one in jail.LEVELS:
        why = jail.why_not(one, found)
        click.echo(f"  {one:<10} {'holds' if not why else f'does not hold: {why}'}")
    click.echo()
    for name, folder in known_assignments().items():
        try:
            assignment = load_assignment(folder)
            hidden = "with" if assignment.hidden_checks else "without"
            click.echo(f"assignment   {name}: {assignment.title} ({hidden} hidden checks)")
        except GraderError as error:
            click.echo(f"assignment   {name}: {error}")
    from grader.assignment import Limits

    with starter(level, Limits(), warm=False) as start:
        backend = WorkerBackend(start, m.Load([m.Cell("probe.py", "def one(): return 1")]))
        backend.load()
        answer = backend.call(m.Call("doctor", "one"))
        backend.close()
    good = answer.returned == 1
    click.echo(f"\na worker at level {level} {'answers' if good else 'does not answer'}")
    sys.exit(0 if good else 3)
