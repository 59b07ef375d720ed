"""The command line. Commands are imported when they are called: `grade --help` needs no torch."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import os
import signal
import sys
import types
from typing import NoReturn

import click

from grader import __version__
from grader.errors import GraderError, GraderFailed, UsageError

COMMANDS = {
    "check": "grade one submission",
    "watch": "grade again at every save",
    "batch": "grade a whole class",
    "report": "the class page",
    "export": "the file that an LMS takes",
    "push": "send the grades to a platform",
    "override": "record a TA's decision",
    "void": "take a bad check out for the whole class",
    "diff": "who moved between two results",
    "forget": "erase a person",
    "start": "begin an exercise: one file to fill in",
    "explain": "what a named mistake means",
    "graph": "the tape: what hangs on what, and where it is cut",
    "new": "a new assignment that works from the first day (authors)",
    "audit": "do the checks catch what they should? (authors)",
    "release": "a bundle for students or for an LMS (staff)",
    "doctor": "versions, and which isolation holds here",
    "demo": "grade the small classes that ship with the project",
}  # fmt: skip


class _Commands(click.Group):
    """Loads a command's module when it is asked for; without one, it is `check`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"grader.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            raise UsageError(f"there is no command {name!r}", _meant(name))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        if not ctx._protected_args and not ctx.args and ctx.invoked_subcommand is None:
            command = self.get_command(ctx, "check")
            assert command is not None
            with command.make_context("check", [], parent=ctx) as inner:
                return command.invoke(inner)
        return super().invoke(ctx)


def _meant(name: str) -> str:
    if os.path.exists(name):
        return f"To grade it: `grade check {name}`."
    near = difflib.get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
    return f"Did you mean {near[0]}?" if near else "`grade --help` lists them."


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="grade")
def cli() -> None:
    """Grade exercises in which a neural network is written by hand on PyTorch tensors.

    Without a command, and in a folder that holds an exercise, this is `grade check`.
    """


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and leave with its status: 0, 1, 2 or 3; 130 when interrupted."""
    interrupted = _remember_interrupts()
    try:
        status = cli.main(arguments, standalone_mode=False)
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else 1
    except click.exceptions.Abort:
        status = _said("stopped", 130)
    except click.exceptions.Exit as leaving:
        status = leaving.exit_code
    except click.ClickException as error:
        error.show()
        status = 2
    except KeyboardInterrupt:
        status = _said("stopped", 130)
    except GraderFailed as error:
        status = _said(f"the grader failed: {error}", 3)
    except GraderError as error:
        status = _said(str(error), 2)
    except BrokenPipeError:
        # The reader of our output went away: there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except Exception as error:
        if "GRADE_TRACEBACK" in os.environ:
            raise
        text = f"the grader failed: {type(error).__name__}: {error}"
        status = _said(f"{text}. Set GRADE_TRACEBACK=1 to see where.", 3)
    if interrupted and status == 3:
        # An interrupt in the middle of an import may come out as any error of that module.
        status = 130
    leave(status if isinstance(status, int) else 0)


def _remember_interrupts() -> list[int]:
    """A list that fills with the interrupts that arrive; each still raises KeyboardInterrupt."""
    arrived: list[int] = []

    def remember(number: int, frame: types.FrameType | None) -> None:
        arrived.append(number)
        signal.default_int_handler(number, frame)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, remember)
    return arrived


def _said(text: str, status: int) -> int:
    click.echo(f"grade: {text}", err=True)
    return status


def leave(status: int) -> NoReturn:
    """End the process at once: tearing torch down takes a third of a second, for nothing."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)
