"""The wire: what crosses between the trusted side and a worker, and how it is written.

MessagePack by msgspec, decoded into the closed set of types in `messages`; never pickle. A
tensor is a dtype from a table, a shape and its raw bytes, and decodes into storage of its own.
A frame is a length (4 bytes, big-endian) and that many bytes.
"""

from __future__ import annotations

import math
import socket
import struct
import time
from typing import Any

import msgspec
import numpy as np
import torch

from . import messages as m

MAX_FRAME = 64 * 2**20  # bytes of one answer
MAX_DEPTH = 16  # lists within lists
MAX_ITEMS = 200_000  # values in one answer, tensors counting as one
MAX_TEXT = 4_000  # characters of any one text that a worker sends

DTYPES = {
    "float16": torch.float16, "bfloat16": torch.bfloat16,
    "float32": torch.float32, "float64": torch.float64,
    "complex64": torch.complex64, "complex128": torch.complex128,
    "int8": torch.int8, "int16": torch.int16, "int32": torch.int32, "int64": torch.int64,
    "uint8": torch.uint8, "bool": torch.bool,
}  # fmt: skip
ARRAY_DTYPES = frozenset(
    {"float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"}
)


class CannotDecode(Exception):
    """Bytes that are no message, or a message that contradicts itself."""


class FrameTooLarge(CannotDecode):
    """A frame announces, or an answer needs, more than `MAX_FRAME` bytes."""


class Closed(Exception):
    """The other side is gone."""


class Codec:
    """Encoders and decoders, made once a process."""

    def __init__(self) -> None:
        self._encoder = msgspec.msgpack.Encoder()
        self._requests = msgspec.msgpack.Decoder(m.Request)
        self._replies = msgspec.msgpack.Decoder(m.Reply)

    def encode(self, message: m.Request | m.Reply) -> bytes:
        """The message's bytes. Raises FrameTooLarge."""
        try:
            data = self._encoder.encode(message)
        except (RecursionError, OverflowError, ValueError) as error:
            raise CannotDecode(f"cannot be written: {error}") from None
        if len(data) > MAX_FRAME:
            raise FrameTooLarge(f"{len(data):,} bytes, {MAX_FRAME:,} are allowed")
        return data

    def request(self, data: bytes) -> m.Request:
        return self._decode(self._requests, data)

    def reply(self, data: bytes) -> m.Reply:
        return self._decode(self._replies, data)

    @staticmethod
    def _decode(decoder: Any, data: bytes) -> Any:
        try:
            return decoder.decode(data)
        except (msgspec.DecodeError, RecursionError, OverflowError, UnicodeError) as error:
            raise CannotDecode(str(error)) from None


def tensor_bytes(tensor: torch.Tensor) -> bytes:
    """The elements of a dense CPU tensor in C order."""
    flat = tensor.detach().contiguous().reshape(-1)
    if flat.numel() == 0:
        return b""
    return flat.view(torch.uint8).numpy().tobytes()


def tensor_from(value: m.TensorValue) -> torch.Tensor:
    """A fresh tensor in storage of its own, without gradient facts. Raises CannotDecode."""
    dtype = DTYPES.get(value.dtype)
    if dtype is None:
        raise CannotDecode(f"dtype {value.dtype[:40]!r} is not in the table")
    if any(n < 0 for n in value.shape) or len(value.shape) > 64:
        raise CannotDecode("a negative length or too many dimensions")
    count = math.prod(value.shape)
    if count * dtype.itemsize != len(value.data):
        raise CannotDecode("shape and number of bytes disagree")
    if count == 0:
        return torch.empty(value.shape, dtype=dtype)
    # A copy first: frombuffer shares its buffer, and bytes are read-only.
    if dtype is torch.bool:
        raw = torch.frombuffer(bytearray(value.data), dtype=torch.uint8)
        return (raw != 0).reshape(value.shape)
    return torch.frombuffer(bytearray(value.data), dtype=dtype).reshape(value.shape).clone()


def array_from(value: m.ArrayValue) -> np.ndarray[Any, Any]:
    """A fresh array. Raises CannotDecode."""
    if value.dtype not in ARRAY_DTYPES:
        raise CannotDecode(f"array dtype {value.dtype[:40]!r} is not in the table")
    dtype = np.dtype(value.dtype)
    if any(n < 0 for n in value.shape) or len(value.shape) > 32:
        raise CannotDecode("a negative length or too many dimensions")
    if math.prod(value.shape) * dtype.itemsize != len(value.data):
        raise CannotDecode("shape and number of bytes disagree")
    return np.frombuffer(value.data, dtype=dtype).reshape(value.shape).copy()


def send_frame(connection: socket.socket, data: bytes, seconds: float | None = None) -> None:
    """Write one frame. Raises Closed, and TimeoutError where the other side does not read."""
    connection.settimeout(seconds)
    try:
        connection.sendall(struct.pack(">I", len(data)) + data)
    except TimeoutError:
        raise
    except OSError as error:
        raise Closed(str(error)) from None


def read_frame(
    connection: socket.socket, deadline: float | None = None, most: int = MAX_FRAME
) -> bytes:
    """Read one frame before `deadline` (time.monotonic). Raises Closed, TimeoutError, FrameTooLarge."""
    (length,) = struct.unpack(">I", _read_exactly(connection, 4, deadline))
    if length > most:
        raise FrameTooLarge(f"{length:,} bytes, {most:,} are allowed")
    return _read_exactly(connection, length, deadline)


def _read_exactly(connection: socket.socket, count: int, deadline: float | None) -> bytes:
    pieces: list[bytes] = []
    missing = count
    connection.settimeout(None)
    while missing:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            connection.settimeout(left)
        try:
            piece = connection.recv(min(missing, 1 << 20))
        except TimeoutError:
            raise
        except OSError as error:
            raise Closed(str(error)) from None
        if not piece:
            raise Closed("end of stream")
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)
