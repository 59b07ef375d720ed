"""Seeded inputs."""

from __future__ import annotations

import pytest
import torch

from grader.checking.draw import Draw


def drawn(draw: Draw) -> list[torch.Tensor]:
    return [draw.normal(3, 2), draw.uniform(4), draw.away_from(1.0, 5), draw.labels(7, 1)]


def test_the_same_seed_and_check_draw_the_same():
    for a, b in zip(drawn(Draw(1, "a")), drawn(Draw(1, "a")), strict=True):
        assert torch.equal(a, b)
    for seed, check in [(2, "a"), (1, "b")]:
        others = drawn(Draw(seed, check))
        assert not any(map(torch.equal, drawn(Draw(1, "a"))[:3], others[:3]))


def test_the_common_generator_is_left_alone():
    torch.manual_seed(5)
    before = torch.get_rng_state()
    drawn(Draw(1, "a"))
    assert torch.equal(torch.get_rng_state(), before)


def test_ranges():
    draw = Draw(0, "ranges")
    uniform = draw.uniform(2000, low=-2.0, high=0.5)
    assert uniform.dtype == torch.float32
    assert -2.0 <= float(uniform.min()) < -1.9
    assert 0.4 < float(uniform.max()) < 0.5
    away = draw.away_from(1.0, 2000, gap=0.5, reach=2.0)
    assert 0.5 <= float((away - 1).abs().min()) < 0.55
    assert 1.9 < float((away - 1).abs().max()) <= 2.0
    assert 0.3 < float((away > 1).float().mean()) < 0.7
    normal = draw.normal(4000, scale=3.0)
    assert abs(float(normal.mean())) < 0.3
    assert 2.7 < float(normal.std()) < 3.3
    assert {draw.integer(2, 5) for _ in range(200)} == {2, 3, 4}


@pytest.mark.parametrize("shape", [(2,), (3,), (7, 1), (1, 2), (10, 3)])
def test_labels_are_of_both_kinds_and_never_balanced_by_chance(shape):
    labels = Draw(0, "labels").labels(*shape)
    ones = int(labels.sum())
    assert labels.shape == shape
    assert labels.dtype == torch.float32
    assert set(labels.reshape(-1).tolist()) == {0.0, 1.0}
    assert ones == max(1, labels.numel() * 3 // 5)


def test_one_label_is_either():
    found = {float(Draw(seed, "one").labels(1, 1)) for seed in range(30)}
    assert found == {0.0, 1.0}
