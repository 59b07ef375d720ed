"""The kernel's own settings, put aside while something is graded, and put back."""

from __future__ import annotations

import contextlib
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch

_LAST = ("last_exc", "last_type", "last_value", "last_traceback")


@contextlib.contextmanager
def settings_kept() -> Iterator[None]:
    """Torch as it is when it is new, for the body; then everything as it was before.

    Generators go on where they were, `%debug` looks at the exception that it looked at.
    """
    with contextlib.ExitStack() as stack:
        for put_back in (
            *_modes(),
            _printing(),
            *_generators(),
            *_attributes(sys, *_LAST),
            # Ours for as long as checks run.
            *_attributes(torch.autograd, "_make_grads"),
        ):
            stack.callback(put_back)
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.enter_context(torch.inference_mode(False))
        if torch.get_default_device() != torch.device("cpu"):
            stack.enter_context(torch.device("cpu"))
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        torch.autograd.set_detect_anomaly(False)
        torch.use_deterministic_algorithms(False)
        yield


def _modes() -> list[Callable[[], object]]:
    grad, dtype = torch.is_grad_enabled(), torch.get_default_dtype()
    anomaly, check_nan = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
    strict = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    return [
        lambda: torch.set_grad_enabled(grad),
        lambda: torch.set_default_dtype(dtype),
        lambda: torch.autograd.set_detect_anomaly(anomaly, check_nan),
        lambda: torch.use_deterministic_algorithms(strict, warn_only=warn_only),
    ]


def _printing() -> Callable[[], object]:
    options = torch._tensor_str.get_printoptions()
    return lambda: torch.set_printoptions(**options)  # type: ignore[no-untyped-call]


def _generators() -> list[Callable[[], object]]:
    state, plain = torch.default_generator.get_state(), random.getstate()
    found: list[Callable[[], object]] = [
        lambda: torch.default_generator.set_state(state),
        lambda: random.setstate(plain),
    ]
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        kept = numpy_random.get_state()
        found.append(lambda: numpy_random.set_state(kept))
    return found


def _attributes(owner: Any, *names: str) -> list[Callable[[], object]]:
    return [_attribute(owner, name) for name in names]


def _attribute(owner: Any, name: str) -> Callable[[], object]:
    if not hasattr(owner, name):
        return lambda: delattr(owner, name) if hasattr(owner, name) else None
    value = getattr(owner, name)
    return lambda: setattr(owner, name, value)
