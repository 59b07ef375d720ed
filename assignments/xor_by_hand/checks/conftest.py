"""Fixtures that public and hidden checks share."""

from itertools import pairwise

import pytest
import torch


class Network:
    """Parameters and samples that keep every activation's bend out of a rounding error's reach."""

    def __init__(self, draw, oracle, kept):
        self._draw = draw
        self._oracle = oracle
        self._kept = kept

    def parameters(self, hidden, b1=None, b2=(1,)):
        """[W1, b1, W2, b2], leaves that require grad; b1 is (hidden,) unless given."""
        shapes = [(2, hidden), b1 or (hidden,), (hidden, 1), b2]
        return [self._draw.normal(*shape).requires_grad_() for shape in shapes]

    def samples(self, count, params, gap=0.02):
        """(X, Y): points of the unit square at which every pre-activation is `gap` from 0."""
        W1, b1 = params[0].detach(), params[1].detach()
        kept = []
        while len(kept) < count:
            x = self._draw.uniform(1, 2)
            if float((x @ W1 + b1).abs().min()) > gap:
                kept.append(x)
        X = torch.cat(kept)
        Y = ((X > 0.5).sum(dim=1, keepdim=True) == 1).float()
        return X, Y

    def start(self, hidden, count, rounds, lr):
        """(params, X, Y, after, losses): a screened start and what right training makes of it.

        Screened: at no step a pre-activation within 1e-3 of 0, first losses at least 1e-2 apart,
        labels of both kinds: there, right trainings stay together and wrong ones part.
        """
        key = ("start", hidden, count, rounds, lr)
        return self._kept(key, lambda: self._screened(hidden, count, rounds, lr))

    def _screened(self, hidden, count, rounds, lr):
        for _ in range(200):
            params = self.parameters(hidden)
            X, Y = self.samples(count, params)
            copies = clones(params)
            losses = []
            near = False
            for i in list(range(count)) * rounds:
                pre = X[i : i + 1] @ copies[0] + copies[1]
                near = near or float(pre.detach().abs().min()) < 1e-3
                losses += self._oracle.train(copies, X[i : i + 1], Y[i : i + 1], 1, lr)
            first = sorted(losses[:count])
            apart = all(b - a >= 1e-2 for a, b in pairwise(first))
            if not near and apart and 0 < float(Y.sum()) < count:
                return params, X, Y, copies, losses
        raise RuntimeError("no start passes the screen")


@pytest.fixture
def network(draw, oracle, kept):
    return Network(draw, oracle, kept)


def clones(params):
    """Fresh leaves of the same values, without gradients."""
    return [p.detach().clone().requires_grad_() for p in params]


def with_gradients(draw, params, least=0.5):
    """The same parameters, each entry's gradient at least `least` times its size and 0.1."""
    for p in params:
        size = torch.maximum(p.detach().abs() * least, torch.full_like(p, 0.1))
        p.grad = draw.away_from(0, *p.shape, gap=1.0, reach=4.0) * size
    return params


@pytest.fixture
def fresh():
    return clones


@pytest.fixture
def fill(draw):
    return lambda params: with_gradients(draw, params)
