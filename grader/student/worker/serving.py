"""The loop that answers requests."""

from __future__ import annotations

import faulthandler
import gc
import importlib
import os
import random
import socket
from collections.abc import Callable

import torch

from . import messages as m
from .calls import Caller
from .capture import Output, alarm
from .loading import load
from .wire import CannotDecode, Closed, Codec, read_frame, send_frame

LOADING_SEED = 0


def serve(connection: socket.socket, hang_log: int | None = None) -> None:
    """Answer requests on `connection` until it closes.

    `hang_log` is a descriptor to which the Python stack is written when a call overruns in C,
    where no alarm reaches.
    """
    torch.set_num_threads(1)
    codec = Codec()
    caller: Caller | None = None
    _send(connection, codec, m.Ready(str(torch.__version__)))
    while True:
        try:
            request = codec.request(read_frame(connection))
        except (Closed, CannotDecode):
            return
        if isinstance(request, m.Load):
            caller, reply = _load(request, lambda at: _send(connection, codec, at))
            _send(connection, codec, reply)
            gc.collect()
            continue
        requests = request.requests if isinstance(request, m.Batch) else [request]
        for one in requests:
            if caller is None:
                return
            if hang_log is not None:
                faulthandler.dump_traceback_later(one.seconds + 0.3, file=hang_log)
            try:
                answer = caller.call(one) if isinstance(one, m.Call) else caller.backward(one)
            finally:
                if hang_log is not None:
                    faulthandler.cancel_dump_traceback_later()
            _send(connection, codec, answer)


def _load(request: m.Load, progress: Callable[[m.Progress], None]) -> tuple[Caller, m.Loaded]:
    output = Output(min(request.output_limit, 1_000_000))
    _seed_draws(request.cells)
    with output.captured():
        module, notes = load(request, alarm, progress)
    files = {cell.filename for cell in request.cells}
    functions = [name for name, thing in list(module.__dict__.items()) if callable(thing)]
    loaded = m.Loaded(
        functions=[str(name)[:100] for name in functions][:2_000],
        notes=notes[:50],
        stdout=output.stdout.getvalue(),
        warnings=output.warned,
    )
    return Caller(module, files, request.output_limit), loaded


def _seed_draws(cells: list[m.Cell]) -> None:
    """What a submission draws as it loads is the same every time."""
    torch.default_generator.manual_seed(LOADING_SEED)
    random.seed(LOADING_SEED)
    if any("numpy" in cell.source for cell in cells):
        # NumPy imports its own late, and takes a seed from the system then.
        importlib.import_module("numpy.random").seed(LOADING_SEED)


def _send(connection: socket.socket, codec: Codec, reply: m.Reply) -> None:
    try:
        data = codec.encode(reply)
    except CannotDecode as error:
        why = m.Raised("AnswerTooLarge", [], str(error), [])
        data = codec.encode(m.Answer(getattr(reply, "id", ""), raised=why))
    try:
        send_frame(connection, data)
    except Closed:
        # At once: what the student's code registered at exit is not to run.
        os._exit(0)
