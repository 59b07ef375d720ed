"""autograd-grader: judge and explain exercises in which a network is written by hand on tensors.

What an author's checks import stands here; it is loaded when it is first asked for, so that a
command can start its worker before anything imports torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "Failure", "Handle", "Observation", "assert_callable", "assert_data", "assert_float",
    "assert_floats", "assert_gradient", "assert_gradients", "assert_leaves",
    "assert_leaves_behind", "assert_losses", "assert_matches", "assert_module",
    "assert_module_kept", "assert_moved", "assert_numbers", "assert_operations_behind",
    "assert_own_memory", "assert_parameters", "assert_reset", "assert_steps", "assert_tensor",
    "assert_tracked", "assert_unchanged", "computed", "fail", "first_on_graph", "leaf",
    "left_over", "sequential",
]  # fmt: skip

if TYPE_CHECKING:
    from grader.checking.assertions import (
        assert_gradient,
        assert_matches,
        assert_tensor,
        assert_unchanged,
        fail,
    )
    from grader.checking.facts import (
        assert_leaves,
        assert_losses,
        assert_reset,
        assert_steps,
        assert_tracked,
        left_over,
    )
    from grader.checking.failure import Failure
    from grader.checking.inspected import assert_leaves_behind, assert_operations_behind
    from grader.checking.modules import (
        assert_callable,
        assert_float,
        assert_floats,
        assert_module,
        assert_module_kept,
        assert_moved,
        assert_parameters,
        first_on_graph,
    )
    from grader.checking.recorded import (
        assert_data,
        assert_gradients,
        assert_numbers,
        assert_own_memory,
    )
    from grader.observation import Observation
    from grader.student.computed import computed, leaf
    from grader.student.handles import Handle, sequential

_HOMES = ("grader.checking.assertions", "grader.checking.facts", "grader.checking.failure",
          "grader.observation", "grader.checking.recorded", "grader.checking.inspected",
          "grader.student.computed", "grader.checking.modules",
          "grader.student.handles")  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in __all__:
        for home in _HOMES:
            found = getattr(importlib.import_module(home), name, None)
            if found is not None:
                return found
    raise AttributeError(f"module 'grader' has no attribute {name!r}")


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext grader` in a notebook: the magic `grade`."""
    importlib.import_module("grader.notebook").load_ipython_extension(shell)
