"""What the trusted side and the zygote say to one another, one message a packet.

Descriptors travel beside a message. No torch here: both sides read this before they import it.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any

import msgspec

MAX_PACKET = 128 * 1024
MOST_DESCRIPTORS = 2


class Setup(msgspec.Struct, frozen=True, tag="setup"):
    """The first message to a zygote: whether to run the paths that workers will need.

    `home`, if any, is a folder of its own, for it to remove should the trusted side be gone.
    """

    warm: bool
    home: str = ""


class Spawn(msgspec.Struct, frozen=True, tag="spawn"):
    """Fork a worker. With it come the wire and the pipe for its last words.

    `plan` is how it shuts itself in; `home`, if any, a folder of its own to work in.
    """

    plan: dict[str, Any]
    home: str = ""


class Reap(msgspec.Struct, frozen=True, tag="reap"):
    """Take the exit status of a worker that ended."""

    pid: int


class Up(msgspec.Struct, frozen=True, tag="up"):
    """A zygote's first word: it can fork."""


class Forked(msgspec.Struct, frozen=True, tag="forked"):
    """The answer to `Spawn`, with a pidfd: `pid` is the zygote's number for the worker."""

    pid: int


class Reaped(msgspec.Struct, frozen=True, tag="reaped"):
    """The answer to `Reap`; a negative status is a signal, None a process that still runs."""

    status: int | None


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """A request that the system refused."""

    why: str


Request = Setup | Spawn | Reap
Reply = Up | Forked | Reaped | Failed


class NoMessage(Exception):
    """A packet that is none of the messages above, or the end of the channel."""


def send(control: socket.socket, message: Request | Reply, fds: Sequence[int] = ()) -> None:
    """Write one message with `fds` beside it. Raises OSError."""
    data = msgspec.msgpack.encode(message)
    if fds:
        socket.send_fds(control, [data], fds)
    else:
        control.send(data)


def receive_request(control: socket.socket) -> tuple[Request, list[int]]:
    """The next request and its descriptors. Raises OSError and NoMessage."""
    data, fds = _receive(control)
    request: Request = _decode(data, Request)
    return request, fds


def receive_reply(control: socket.socket) -> tuple[Reply, list[int]]:
    """The next reply and its descriptors. Raises OSError (of it TimeoutError) and NoMessage."""
    data, fds = _receive(control)
    reply: Reply = _decode(data, Reply)
    return reply, fds


def _receive(control: socket.socket) -> tuple[bytes, list[int]]:
    # Closed on exec, so that no program started meanwhile by another thread inherits them.
    flags = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
    data, fds, _, _ = socket.recv_fds(control, MAX_PACKET, MOST_DESCRIPTORS, flags)
    if not data:
        raise NoMessage("the channel was closed")
    return data, list(fds)


def _decode(data: bytes, kind: Any) -> Any:
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise NoMessage(str(error)) from None
