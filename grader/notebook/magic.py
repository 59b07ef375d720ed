"""`%%grade scale` runs its cell and checks what the cell defined; `%grade scale` only checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.notebook.result import Result


def register(shell: Any) -> None:
    """Add the magic `grade` to an IPython shell."""

    def grade(line: str, cell: str | None = None) -> Result | None:
        """Check exercises by name: `%grade scale shift`; on top of a cell, run it first."""
        if cell is not None and not _run(shell, cell):
            return None  # the shell has shown what went wrong
        # Imported here, for it imports torch.
        from grader.notebook.checking import check_functions

        missing = object()
        names = line.replace(",", " ").split()
        return check_functions([(name, missing) for name in names], missing=missing)

    shell.register_magic_function(grade, magic_kind="line_cell", magic_name="grade")


def _run(shell: Any, cell: str) -> bool:
    # Where the magic's line was stands a comment, so that lines keep their numbers. Another magic
    # has to be on the first line.
    source = cell if cell.lstrip().startswith("%%") else f"# grade\n{cell}"
    count, outer = shell.execution_count, getattr(shell.displayhook, "exec_result", None)
    number = getattr(outer, "execution_count", None)
    try:
        # A cell in a cell: it is known by the number that stands beside the whole.
        shell.execution_count = count if number is None else number
        return bool(shell.run_cell(source).success)
    finally:
        shell.execution_count = count
        shell.displayhook.exec_result = outer
