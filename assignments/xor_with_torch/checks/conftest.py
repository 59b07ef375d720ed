"""Fixtures that public and hidden checks share."""

from itertools import pairwise

import pytest
import torch

from grader import sequential
from grader.assignment import Tolerance

NAMES = ("W1", "b1", "W2", "b2")


def logits(X, W1, b1, W2, b2):
    """What the by-hand network gives before its logistic."""
    return (X @ W1 + b1).clamp(min=0) @ W2 + b2


def stored(weights):
    """By-hand weights as a library model keeps them: each matrix transposed."""
    W1, b1, W2, b2 = (w.detach() for w in weights)
    return [W1.T.contiguous(), b1, W2.T.contiguous(), b2]


class Network:
    """By-hand weights, samples, and models of the checks' own that live beside the submission."""

    def __init__(self, student, oracle, draw, kept):
        self._student = student
        self._oracle = oracle
        self._draw = draw
        self._kept = kept

    def weights(self, hidden):
        """[W1, b1, W2, b2] in the by-hand shapes."""
        return [self._draw.normal(*s) for s in ((2, hidden), (hidden,), (hidden, 1), (1,))]

    def given(self, hidden, count, gap=0.02):
        """(weights, X) such that logits of both signs come out, none of them close to 0."""
        while True:
            weights = self.weights(hidden)
            X, _ = self.samples(count, weights, gap)
            weights[3] = weights[3] - logits(X, *weights).mean()
            if float(logits(X, *weights).abs().min()) > 0.02:
                return weights, X

    def shapes(self, hidden):
        """The shapes of a library model's parameters."""
        return [(hidden, 2), (hidden,), (1, hidden), (1,)]

    def model(self, weights, steps=False):
        """A right model with these by-hand weights; it tells how it is used."""
        hidden = weights[0].shape[1]
        layers = [("Linear", 2, hidden), ("ReLU",), ("Linear", hidden, 1)]
        return sequential(self._student, layers, stored(weights), steps=steps)

    def samples(self, count, weights, gap=0.02):
        """(X, y): points of the unit square at which every pre-activation is `gap` from 0."""
        W1, b1 = weights[0], weights[1]
        kept = []
        while len(kept) < count:
            x = self._draw.uniform(1, 2)
            if float((x @ W1 + b1).detach().abs().min()) > gap:
                kept.append(x)
        X = torch.cat(kept)
        return X, ((X > 0.5).sum(dim=1, keepdim=True) == 1).float()

    def start(self, hidden, count, epochs, lr):
        """(weights, X, y, after, totals): a screened start and what right training makes of it.

        Screened: at no step a pre-activation within 1e-3 of 0, first losses at least 1e-2 apart,
        labels of both kinds: there, right trainings stay together and wrong ones part.
        """
        key = ("start", hidden, count, epochs, lr)
        return self._kept(key, lambda: self._screened(hidden, count, epochs, lr))

    def _screened(self, hidden, count, epochs, lr):
        for _ in range(300):
            weights = self.weights(hidden)
            X, y = self.samples(count, weights)
            if not 0 < float(y.sum()) < count:
                continue
            after, losses, clear = self._trained(weights, X, y, epochs, lr)
            apart = all(b - a >= 1e-2 for a, b in pairwise(sorted(losses[:count])))
            if clear and apart:
                totals = [sum(losses[i : i + count]) for i in range(0, len(losses), count)]
                return weights, X, y, stored(after), totals
        raise RuntimeError("no start passes the screen")

    def _trained(self, weights, X, y, epochs, lr):
        """(weights after, each step's loss, whether no bend was near) of one step a sample."""
        loss = self._oracle.loss_function()
        now = [w.clone().requires_grad_() for w in weights]
        losses, clear = [], True
        for i in list(range(len(X))) * epochs:
            x = X[i : i + 1]
            clear = clear and float((x @ now[0] + now[1]).detach().abs().min()) > 1e-3
            cost = loss(logits(x, *now), y[i : i + 1])
            slopes = torch.autograd.grad(cost, now)
            now = [(w - lr * g).detach().requires_grad_() for w, g in zip(now, slopes, strict=True)]
            losses.append(cost.item())
        return now, losses, clear

    def judged(self, count, hidden=5):
        """(weights, X, y, share): a model that gets some samples right, its share of them.

        Screened: logits on both sides of 0, some of them between 0 and 0.5, none close to either;
        the share is none that a common slip would give as well.
        """
        return self._kept(("judged", count, hidden), lambda: self._uneven(count, hidden))

    def _uneven(self, count, hidden):
        for _ in range(500):
            weights = self.weights(hidden)
            X, _ = self.samples(count, weights)
            z = logits(X, *weights)
            weights[3] = weights[3] - z.median() + 0.2
            z = logits(X, *weights)
            y = self._draw.labels(count, 1)
            share = float(((z > 0) == (y == 1)).float().mean())
            if informative(z, y, share):
                return weights, X, y, share
        raise RuntimeError("no model passes the screen")


def informative(z, y, share):
    """Whether the right share differs from what slips give, and no logit is a close call."""
    between = (z > 0.05) & (z < 0.45)
    close = min(float(z.abs().min()), float((z - 0.5).abs().min()))
    ones = (z > 0).float()
    slips = [
        1 - share,
        float(((z > 0.5) == (y == 1)).float().mean()),
        float(ones.mean()),
        float(y.mean()),
        1 - float(y.mean()),
        float((ones == y.reshape(-1)).float().mean()),
        float(((ones == 1) & (y == 1)).float().mean()),
        float((z.round() == y).float().mean()),
        float(((z > z.mean()) == (y == 1)).float().mean()),
        float(ones[0] == y[0]),
    ]
    apart = all(abs(slip - share) > 1e-3 for slip in slips)
    return bool(between.any()) and bool((z < 0).any()) and close > 0.02 and apart


@pytest.fixture
def network(student, oracle, draw, kept):
    return Network(student, oracle, draw, kept)


@pytest.fixture
def by_hand():
    """`by_hand(X, W1, b1, W2, b2)`: the by-hand network's logits."""
    return logits


@pytest.fixture
def close():
    """Equal but for rounding."""
    return Tolerance(rtol=1e-6, atol=1e-6)
