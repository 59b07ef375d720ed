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
MAX_PARTS = 500_000  # pieces of which a message is made: each costs far more than its bytes
SMALL_FRAME = 2**18  # bytes that cannot hold too many of them

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


# MessagePack's first bytes: how many bytes follow, or how wide the count of those that follow is
# and what comes besides.
_FIXED = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8,
          0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17,
          0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}  # fmt: skip
_COUNTED = {0xC4: (1, 0), 0xC5: (2, 0), 0xC6: (4, 0), 0xC7: (1, 1), 0xC8: (2, 1), 0xC9: (4, 1),
            0xD9: (1, 0), 0xDA: (2, 0), 0xDB: (4, 0)}  # fmt: skip


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
        found: m.Request = self._decode(self._requests, data)
        return found

    def reply(self, data: bytes) -> m.Reply:
        if len(data) > SMALL_FRAME:
            count_parts(data)
        found: m.Reply = self._decode(self._replies, data)
        return found

    @staticmethod
    def _decode(decoder: Any, data: bytes) -> Any:
        try:
            return decoder.decode(data)
        except (msgspec.DecodeError, RecursionError, OverflowError, UnicodeError) as error:
            raise CannotDecode(str(error)) from None


def count_parts(data: bytes) -> None:
    """Refuse a frame that would unfold into too many objects. Raises FrameTooLarge.

    A byte on the wire can stand for an object of a hundred in memory. Texts and raw bytes are
    stepped over, so that a large tensor costs nothing here.
    """
    at = parts = 0
    while at < len(data):
        parts += 1
        if parts > MAX_PARTS:
            raise FrameTooLarge(f"more than {MAX_PARTS:,} pieces")
        head = data[at]
        at += 1
        if 0xA0 <= head <= 0xBF:
            at += head & 0x1F
        elif head in _FIXED:
            at += _FIXED[head]
        elif head in _COUNTED:
            width, extra = _COUNTED[head]
            at += width + int.from_bytes(data[at : at + width], "big") + extra


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
    _check_lengths(value.shape)
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
    _check_lengths(value.shape)
    return np.frombuffer(value.data, dtype=dtype).reshape(value.shape).copy()


def _check_lengths(shape: tuple[int, ...]) -> None:
    # Beside a length of 0 the number of bytes says nothing about the others.
    if 0 in shape and math.prod(n for n in shape if n) >= 2**60:
        raise CannotDecode("lengths that no tensor has")


def send_frame(connection: socket.socket, data: bytes, seconds: float | None = None) -> None:
    """Write one frame. Raises Closed, and TimeoutError where the other side does not read."""
    if connection.gettimeout() != seconds:
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
    """One frame, before `deadline` (monotonic). Raises Closed, TimeoutError, FrameTooLarge."""
    (length,) = struct.unpack(">I", _read_exactly(connection, 4, deadline))
    if length > most:
        raise FrameTooLarge(f"{length:,} bytes, {most:,} are allowed")
    return _read_exactly(connection, length, deadline)


def _read_exactly(connection: socket.socket, count: int, deadline: float | None) -> bytes:
    pieces: list[bytes] = []
    missing = count
    if deadline is None and connection.gettimeout() is not None:
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
