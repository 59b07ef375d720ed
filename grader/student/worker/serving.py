"""The loop that answers requests."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import os
import random
import signal
import socket
from collections.abc import Callable

import torch

from . import messages as m
from .calls import Caller
from .capture import Output, alarm
from .light import lighten_optimizers
from .loading import load
from .tape import remembering_lines
from .wire import CannotDecode, Closed, Codec, read_frame, send_frame

LOADING_SEED = 0


def serve(connection: socket.socket, hang_log: int | None = None) -> None:
    """Answer requests on `connection` until it closes.

    `hang_log` is a descriptor to which the Python stack is written on SIGUSR1: the trusted side
    sends it when a call overruns in C, where no alarm reaches. Student code can take the signal
    away, and so leave its own line unsaid.
    """
    torch.set_num_threads(1)
    lighten_optimizers()
    if hang_log is not None and hasattr(faulthandler, "register"):
        # Asked for when it is needed: a watch set for each call costs a thread each time.
        # Of the thread that answers: another's lines say nothing of the call.
        faulthandler.register(signal.SIGUSR1, file=hang_log, all_threads=False)
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
            _send(connection, codec, _answer(caller, one))


def _answer(caller: Caller, request: m.Call | m.Backward | m.Record) -> m.Reply:
    if isinstance(request, m.Call):
        return caller.call(request)
    return caller.record(request) if isinstance(request, m.Record) else caller.backward(request)


def _load(request: m.Load, progress: Callable[[m.Progress], None]) -> tuple[Caller, m.Loaded]:
    output = Output(min(request.output_limit, 1_000_000))
    _seed_draws(request.cells)
    with output.captured(), remembering_lines() if request.lines else contextlib.nullcontext():
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
