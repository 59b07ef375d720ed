"""How much memory and processor time a container has, and limits that fit into it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from grader.assignment import Limits

_CHECKS_MB: Final = 512
"""What the checks and a fresh worker take by themselves, measured as shared memory is shared."""
_LEAST_MB: Final = 160
"""Below this torch cannot run a backward pass."""
_UNLIMITED: Final = 1 << 50  # cgroup v1 says so with a number near 2**63
_LONGEST: Final = 3600.0

# cgroup v2, then v1
_MEMORY: Final = ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes")
_SHARE: Final = "sys/fs/cgroup/cpu.max"
_QUOTA: Final = "sys/fs/cgroup/cpu/cpu.cfs_quota_us"
_PERIOD: Final = "sys/fs/cgroup/cpu/cpu.cfs_period_us"


class Resources(msgspec.Struct, frozen=True):
    """Megabytes and processors (0.5 is half a core) of a container; None: no limit is known."""

    memory_mb: int | None = None
    processors: float | None = None


def resources(root: Path, usual: Resources) -> Resources:
    """What the container says of itself below `root`, else what its host `usual`ly gives."""
    memory = next((found for name in _MEMORY if (found := _number(root / name))), None)
    if memory is not None and memory < _UNLIMITED:
        megabytes: int | None = memory >> 20
    else:
        megabytes = usual.memory_mb
    share = _words(root / _SHARE)
    quota, period = (
        (_whole(share[0]), _whole(share[1]))
        if len(share) == 2
        else (_number(root / _QUOTA), _number(root / _PERIOD))
    )
    processors = quota / period if quota and period else usual.processors
    return Resources(megabytes, processors)


def fitting(limits: Limits, here: Resources) -> Limits:
    """Less memory where the container has little, more time where it has less than a core."""
    memory = limits.memory_mb
    if here.memory_mb is not None:
        memory = min(memory, max(_LEAST_MB, here.memory_mb - _CHECKS_MB))
    slower = max(1.0, 1.0 / here.processors) if here.processors else 1.0
    return msgspec.structs.replace(
        limits,
        memory_mb=memory,
        call_seconds=_scaled(limits.call_seconds, slower),
        submission_seconds=_scaled(limits.submission_seconds, slower),
        load_seconds=_scaled(limits.load_seconds, slower),
        statement_seconds=_scaled(limits.statement_seconds, slower),
    )


def _scaled(seconds: float, slower: float) -> float:
    return min(seconds * slower, _LONGEST)


def _words(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        return []


def _number(file: Path) -> int | None:
    words = _words(file)
    return _whole(words[0]) if words else None


def _whole(word: str) -> int | None:
    return int(word) if word.isdigit() else None  # "max" and "-1" are no limits
