"""Whatever a check saw becomes JSON that any reader accepts."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.misconceptions.finding import Advice
from grader.report.plain import plain


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (-math.inf, "-inf"),
        ({"a": [1.5, (math.nan, {"b": -math.inf})]}, {"a": [1.5, ["nan", {"b": "-inf"}]]}),
        (torch.tensor([[1.0, math.inf]]), [[1.0, "inf"]]),
        (torch.tensor(math.nan), "nan"),
        (np.array([2, 3]), [2, 3]),
        (np.float32(0.5), 0.5),
        (np.float64(math.nan), "nan"),
        (1 + 2j, [1.0, 2.0]),
        (True, True),
        ({1: None}, {"1": None}),
        ({"b", "a"}, ["a", "b"]),
        ("half \ud800", "half \\ud800"),
        (2**5000, "about 2**5000"),
        (object(), "object"),
        (Advice("slug", "said"), {"slug": "slug", "message": "said", "line": None, "cell": None}),
    ],
)
def test_examples(value, expected):
    got = plain(value)
    assert got == expected
    assert type(got) is type(expected)


def test_depth_and_length_end():
    nested: list[object] = []
    for _ in range(5000):
        nested = [nested]
    assert "..." in json.dumps(plain(nested))
    assert len(plain(list(range(10**5)))) < 2000
    assert len(plain("x" * 10**6)) < 10**5


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())


@given(
    st.recursive(
        LEAVES,
        lambda inner: st.lists(inner) | st.dictionaries(LEAVES, inner) | st.tuples(inner, inner),
    )
)
def test_always_valid_json(value):
    once = plain(value)
    text = json.dumps(once, allow_nan=False, ensure_ascii=False).encode()
    assert json.loads(text) == once
    assert plain(once) == once
