"""autograd-grader: judge and explain exercises in which a network is written by hand on tensors.

What an author's checks import stands here; it is loaded when it is first asked for, so that a
command can start its worker before anything imports torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "Failure", "Observation", "assert_gradient", "assert_leaves", "assert_losses",
    "assert_matches", "assert_reset", "assert_steps", "assert_tensor", "assert_tracked",
    "assert_unchanged", "fail", "left_over",
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
    from grader.observation import Observation

_HOMES = ("grader.checking.assertions", "grader.checking.facts", "grader.checking.failure",
          "grader.observation")  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in __all__:
        for home in _HOMES:
            found = getattr(importlib.import_module(home), name, None)
            if found is not None:
                return found
    raise AttributeError(f"module 'grader' has no attribute {name!r}")
