"""Optimizers without the compiler: their first step imports all of it, only to say "not here".

`torch._dynamo` takes a second to import, and nobody compiles in a worker. In its place stands a
module that becomes the real one as soon as anything but that is wanted of it.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

import torch

_COMPILER = "torch._dynamo"
_WRAPPED = ("zero_grad", "add_param_group", "state_dict", "load_state_dict")


class _Later(types.ModuleType):
    """Imports the real module when it is asked for something."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":
            raise AttributeError(name)
        if sys.modules.get(_COMPILER) is self:
            del sys.modules[_COMPILER]
        return getattr(importlib.import_module(_COMPILER), name)


def lighten_optimizers() -> None:
    """Let optimizers step without the compiler, where it is not there yet.

    Does nothing on a release of torch that is built otherwise.
    """
    functions = [vars(torch.optim.Optimizer).get(name) for name in _WRAPPED]
    plain = [getattr(function, "__wrapped__", None) for function in functions]
    if _COMPILER in sys.modules or None in plain:
        return
    for function in plain:
        # What the wrapper looks for before it imports anything.
        setattr(function, "__dynamo_disable", function)
    later = _Later(_COMPILER)
    later.__dict__["graph_break"] = _no_break
    sys.modules[_COMPILER] = later
    torch.__dict__["_dynamo"] = later


def _no_break(*args: Any, **kwargs: Any) -> None:
    """Nothing is compiled, so there is nothing to break."""
