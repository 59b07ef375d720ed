"""Grading inside a notebook: `from grader.notebook import check; check("scale", scale)`.

`%load_ext grader` adds `%%grade scale` on top of a cell, and `%grade scale` on a line. What is
graded are the objects in this very kernel, without isolation: it is for one's own work, as `grade
check` is, and the mark is decided after hand-in. A name that is asked for here is imported when it
is called, so that this import costs a notebook nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.notebook.result import Result

__all__ = ["check", "load_ipython_extension"]

_MISSING: Any = object()


def check(
    exercise: object = _MISSING,
    function: object = _MISSING,
    /,
    *,
    assignment: str | None = None,
    hints: int = 1,
    seed: int | None = None,
    **functions: object,
) -> Result:
    """Run the public checks of one exercise, or of several, on functions of this kernel.

        check("scale", scale)
        check("scale")                    # the scale that this notebook has
        check(scale=scale, shift=move)    # several at once
        check()                           # all that the assignment asks for

    `assignment` is a name or folder, where the notebook does not know it; `hints` (0 to 3) how much
    of each ladder of hints; `seed` draws other inputs. Gives a result to look at, which has
    `passed`, `score` and `max_score`. Raises nothing: what goes wrong, the result says.
    """
    from grader.notebook.checking import check_functions

    asked = [] if exercise is _MISSING else [(exercise, function)]
    return check_functions(
        [*asked, *functions.items()],
        assignment=assignment,
        hints=hints,
        seed=seed,
        missing=_MISSING,
    )


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext grader`: the magic `grade`, for a line and for a cell."""
    from grader.notebook.magic import register

    register(shell)
