"""Run once what every submission will need: torch imports half of itself on first use.

A small submission goes through the very code that serves a real one, and is then forgotten.
"""

from __future__ import annotations

import importlib
import linecache
import sys
import warnings
from typing import Final

import torch

from . import messages as m
from .calls import Caller
from .capture import alarm
from .loading import load
from .values import Packer
from .wire import Codec

# What such submissions import besides torch. No plot library: it is slow, and often missing.
USUAL_MODULES: Final = (
    "abc", "argparse", "collections", "contextlib", "copy", "csv", "dataclasses", "datetime",
    "enum", "functools", "inspect", "itertools", "json", "logging", "math", "numbers", "numpy",
    "numpy.random", "operator", "os", "pathlib", "random", "re", "statistics", "string", "sys",
    "tempfile", "time", "traceback", "typing", "unittest", "warnings",
)  # fmt: skip
FILE: Final = "warmup.py"
# Seconds. Far more than it takes on a busy machine: an alarm in the middle of an import leaves a
# half of a module behind, and every worker would inherit it.
PATIENCE: Final = 600.0
SOURCE: Final = """
import torch
import torch.nn as nn
import torch.nn.functional as F

def step(W, b, X, Y):
    hidden = (X @ W + b).exp().log1p()
    picked = torch.where(hidden > 1, hidden, hidden[:, :1].expand_as(hidden))
    probability = torch.sigmoid(torch.matmul(picked, torch.ones(3, 1)) - picked.mean())
    by_hand = -(Y * probability.log() + (1 - Y) * (1 - probability).log()).mean()
    loss = by_hand + F.binary_cross_entropy(probability, Y) + F.relu(W).clamp(min=0).sum()
    loss.backward()
    with torch.no_grad():
        b -= 0.1 * b.grad
        b.grad.zero_()
    optimizer = torch.optim.SGD([W], lr=0.1)
    optimizer.step()
    optimizer.zero_grad()
    torch.func.grad(lambda w: (w * w).sum())(W.detach())
    float(loss), loss.item(), W.tolist(), W.detach().numpy().copy(), repr(W)
    torch.autograd.grad((W * W).sum(), W)
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1), nn.Sigmoid())
    nn.BCELoss()(model(X), Y).backward()
    return loss.detach(), torch.from_numpy(W.detach().numpy()), torch.rand(2), torch.randn(2)

def double(x):
    print("said")
    return x * 2

def fails(x):
    return x @ x
"""


def warm_up() -> None:
    """Load and call a small submission; leave no trace but what is now imported."""
    for name in USUAL_MODULES:
        importlib.import_module(name)
    codec = Codec()
    before = set(sys.modules)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loading = m.Load([m.Cell(FILE, SOURCE)], statement_seconds=PATIENCE, total_seconds=PATIENCE)
        module, notes = load(loading, alarm)
        if notes:
            raise RuntimeError(notes[0].message)
        caller = Caller(module, {FILE}, 10_000)
        for request in _requests():
            arrived = codec.request(codec.encode(request))
            if isinstance(arrived, m.Call):
                answer: m.Answer | m.Gradients = caller.call(arrived)
            else:
                assert isinstance(arrived, m.Backward)
                answer = caller.backward(arrived)
            codec.encode(answer)
            # A module that was left half imported would be so in every worker.
            if answer.raised is not None and request.id != "5":
                raise RuntimeError(f"warming up: {answer.raised.type}: {answer.raised.message}")
    for name in ("submission", "grader", "grader.notebook"):
        if name not in before:
            sys.modules.pop(name, None)
    linecache.cache.pop(FILE, None)


def _requests() -> list[m.Call | m.Backward]:
    leaf = torch.ones(2, 3, requires_grad=True)
    packed: list[m.Argument] = [
        Packer().pack(tensor)
        for tensor in (leaf, torch.zeros(3, requires_grad=True), torch.ones(2, 2), torch.ones(2, 1))
    ]
    ones = Packer().pack(torch.ones(2, 3, dtype=torch.float64, requires_grad=True))
    grad = Packer().pack(torch.ones(2, 3, dtype=torch.float64))
    assert isinstance(grad, m.TensorValue)
    banned = ["relu", "torch.optim"]
    return [
        m.Call("1", "step", packed, graph=True, seconds=PATIENCE),
        m.Call("2", "step", packed, trace=True, seconds=PATIENCE),
        m.Call("3", "double", [ones], graph=True, banned=banned, seconds=PATIENCE),
        m.Backward("4", "3", [grad], seconds=PATIENCE),
        m.Call("5", "fails", [ones], seconds=PATIENCE),
    ]
