"""Lines that make the modules and other objects of a replayed call once more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from grader.observation import Observation
from grader.student.handles import CALL, WITH_PARAMETERS, Handle

MOST_NUMBERS = 400

Assign = Callable[[str, Any], list[str]]


def plain_call(call: Observation) -> tuple[str, tuple[Any, ...], list[str]]:
    """(the submission's function to import, what is called with it, names for those).

    Of a call of an object that one of its functions returned: that function, and the object first.
    """
    if call.function == CALL:
        rest = call.args[1:]
    elif call.function == WITH_PARAMETERS:
        rest = call.args[3:]
    else:
        return call.function, call.args, []
    thing = call.args[0]
    names = ["model", "X"] if call.module(thing) and call.modules[0].names else ["loss", "z", "y"]
    return thing.origin, (thing, *rest), names


def handle_lines(name: str, handle: Handle, call: Observation, assign: Assign) -> list[str]:
    """Lines that put the like of an object under a name, with the numbers that it had."""
    lines: list[str] = []
    if handle.blueprint is not None:
        made = ", ".join(
            f"nn.{layer}({', '.join(map(str, sizes))})" for layer, *sizes in handle.blueprint.layers
        )
        lines.append(f"{name} = nn.Sequential({made})")
    else:
        arguments = []
        for place, arg in enumerate(handle.given):
            tensor = isinstance(arg, torch.Tensor)
            arguments.append(f"given_{place + 1}" if tensor else repr(arg))
            lines += assign(f"given_{place + 1}", arg) if tensor else []
        lines.append(f"{name} = {handle.origin}({', '.join(arguments)})")
    values = _values(handle, call)
    if values is not None:
        flat = [number for value in values for number in value.detach().reshape(-1).tolist()]
        if len(flat) <= MOST_NUMBERS:
            numbers = f"torch.tensor({flat})"
            lines.append(f"nn.utils.vector_to_parameters({numbers}, {name}.parameters())")
    return lines


def _values(handle: Handle, call: Observation) -> list[torch.Tensor] | None:
    """The parameters with which a module was called."""
    if call.function == WITH_PARAMETERS:
        return list(call.args[2])
    seen = call.module(handle)
    if seen is None or not seen.names:
        return None
    return seen.before
