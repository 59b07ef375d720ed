"""What is told of modules that took part in a call: an answer carries it as bytes of its own.

Only who asks for modules decodes them, and a call without any carries none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Union

import msgspec

from .messages import HandleValue, ListValue, Struct, TensorValue, TupleValue
from .wire import SMALL_FRAME, CannotDecode, count_parts


class Pass(Struct, frozen=True, tag="pass"):
    """One call of a watched module: what it was given, and whether autograd recorded meanwhile.

    `own` is False for a copy of the module; `tracked` says whether the result requires grad.
    `values` and `parameters` (as they were then) are there where steps are watched too.
    """

    shape: tuple[int, ...]
    dtype: str
    grad_mode: bool
    tracked: bool
    own: bool
    filename: str = ""
    line: int = 0
    values: TensorValue | None = None
    parameters: list[TensorValue] = msgspec.field(default_factory=list)


class Arrival(Struct, frozen=True, tag="arrival"):
    """A gradient came to one parameter: `fresh` came now, `total` is what .grad holds after it."""

    parameter: int
    fresh: TensorValue
    total: TensorValue


class OptimizerStep(Struct, frozen=True, tag="step"):
    """A step of one of PyTorch's optimizers begins.

    It holds `own` of the module's parameters, `slopes` of which have a gradient that is not zero,
    and `others` besides.
    """

    kind: str
    own: int
    slopes: int
    others: int
    lr: float
    options: dict[str, float] = msgspec.field(default_factory=dict)
    filename: str = ""
    line: int = 0


Event = Union[Pass, Arrival, OptimizerStep]  # noqa: UP007 - as msgspec wants it


class ModuleFacts(Struct, frozen=True):
    """A module before and after a call; `before` is empty where the call itself gave it.

    `layers` are (name, type) of the module itself, named "", and of all inside of it. The tensors
    carry requires_grad, is_leaf, .grad, and `storage` as a number that is equal where memory is.
    """

    handle: str
    layers: list[tuple[str, str]]
    names: list[str]
    before: list[TensorValue]
    after: list[TensorValue]
    training_before: bool = True
    training: bool = True
    events: list[Event] = msgspec.field(default_factory=list)


def handles_in(value: Any) -> Iterator[str]:
    """The handles in a value of the wire, in order."""
    if isinstance(value, HandleValue):
        yield value.id
    elif isinstance(value, (ListValue, TupleValue)):
        for item in value.items:
            yield from handles_in(item)


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(list[ModuleFacts])


def encode_modules(facts: list[ModuleFacts]) -> bytes:
    """The bytes of them, none for none."""
    return _ENCODER.encode(facts) if facts else b""


def decode_modules(data: bytes) -> list[ModuleFacts]:
    """What `encode_modules` wrote. Raises CannotDecode."""
    if not data:
        return []
    if len(data) > SMALL_FRAME:
        count_parts(data)
    try:
        found: list[ModuleFacts] = _DECODER.decode(data)
    except (msgspec.DecodeError, RecursionError, OverflowError, UnicodeError) as error:
        raise CannotDecode(str(error)) from None
    return found
