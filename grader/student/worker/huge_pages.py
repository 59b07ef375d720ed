"""Gathers this process's memory into large pages: a fork copies an entry for each page.

Linux 6.1 and later; elsewhere nothing happens. What PyTorch's libraries and Python's own
allocator hold is in small pages otherwise, tens of thousands of them.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator
from typing import Final

_COLLAPSE: Final = 25  # MADV_COLLAPSE
_LARGE: Final = 1 << 21  # bytes


def gather() -> None:
    """Collapse every stretch of private memory that fills a large page. Never raises."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError, ValueError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        for start, end in list(_stretches()):
            first, last = -(-start // _LARGE), end // _LARGE
            for page in range(first, last):
                libc.madvise(page * _LARGE, _LARGE, _COLLAPSE)  # refused: it stays as it is


def _stretches() -> Iterator[tuple[int, int]]:
    """First and last address of what was allocated: no file behind it, readable and writable."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            fields = line.split()
            named = len(fields) > 5 and fields[5] != "[heap]"
            if fields[1].startswith("rw-p") and not named:
                start, end = fields[0].split("-")
                yield int(start, 16), int(end, 16)
