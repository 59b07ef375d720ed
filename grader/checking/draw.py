"""Seeded inputs for a check: the same for every submission, others for every check."""

from __future__ import annotations

import zlib

import torch


class Draw:
    """Draws tensors from a generator of its own, seeded by (seed, check)."""

    def __init__(self, seed: int, check: str) -> None:
        self.generator = torch.Generator()
        self.generator.manual_seed(zlib.crc32(f"{seed}/{check}".encode()))

    def normal(self, *shape: int, scale: float = 1.0) -> torch.Tensor:
        """float32, of mean 0 and the given standard deviation."""
        return torch.randn(shape, generator=self.generator) * scale

    def uniform(self, *shape: int, low: float = 0.0, high: float = 1.0) -> torch.Tensor:
        """float32 between `low` and `high`."""
        return low + (high - low) * torch.rand(shape, generator=self.generator)

    def away_from(
        self, point: float, *shape: int, gap: float = 0.1, reach: float = 3.0
    ) -> torch.Tensor:
        """float32 on both sides of `point`, at a distance between `gap` and `reach`."""
        distance = self.uniform(*shape, low=gap, high=reach)
        return point + torch.where(self.labels(*shape) > 0, distance, -distance)

    def labels(self, *shape: int) -> torch.Tensor:
        """float32, exactly 0 or 1, both present wherever there are two or more, unequally often."""
        count = 1
        for length in shape:
            count *= length
        ones = max(1, (count * 3) // 5) if count > 1 else int(self.integer(0, 2))
        order = torch.randperm(count, generator=self.generator)
        flat = torch.zeros(count)
        flat[order[:ones]] = 1.0
        return flat.reshape(shape)

    def integer(self, low: int, high: int) -> int:
        """An integer, low <= i < high."""
        return int(torch.randint(low, high, (1,), generator=self.generator))
