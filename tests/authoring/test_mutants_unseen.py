"""What is said to be the same, where a function reads, looks, or makes data; and what is not."""

from __future__ import annotations

import pytest

from grader.authoring.mutants import mutants


def reasons(body: str, operator: str, before: str = "") -> list[bool]:
    """Whether each mutant of that kind of `f`, in order, is called equivalent."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    source = f"import torch\n\n{before}\n\ndef f(x, y, out):\n{lines}\n"
    return [bool(m.equivalent) for m in mutants(source, ["f"], ()) if m.operator == operator]


WALKS = "def walk(t):\n    seen = [t.grad_fn]\n    seen.append(t)\n    return seen\n"
WORKS = "def walk(t):\n    return [t * 2]\n"


@pytest.mark.parametrize(
    ("body", "operator", "equivalent"),
    [
        ("return x.grad", "detach-returned", [True]),
        ("return x * 2", "detach-returned", [False]),
        ("return torch.tensor(x)", "detach-returned", [True]),
        ("return torch.tensor(x, requires_grad=True)", "detach-returned", [False]),
        ("return x.grad", "rewrap-returned", [True]),
        ("m = x * 2\nm.retain_grad()\nreturn m.grad", "rewrap-intermediate", [True]),
        ("m = x * 2\nm.retain_grad()\nreturn x.grad", "rewrap-intermediate", [False]),
        ("m = x * 2\nm.retain_grad()\nreturn m", "rewrap-intermediate", [False]),
        ("return torch.tensor(x)", "body-under-no-grad", [True]),
        ("return torch.sigmoid(x)", "body-under-no-grad", [False]),
        (
            "m = x + y\nm.retain_grad()\nz = m.sum()\nreturn z",
            "swap-statements",
            [False, True, False],
        ),
        ("m.retain_grad()\nm = x + y\nreturn m", "swap-statements", [False, False]),
        ("m.retain_grad()\ng = z.backward()\nreturn g", "swap-statements", [False, False]),
        (
            "for i in x:\n    out.append(y.item())\n    with torch.no_grad():\n        x -= y.grad",
            "swap-statements",
            [False],
        ),
        (
            "for i in x:\n    out.append(y.item())\n    with torch.no_grad():\n        x -= 2",
            "swap-statements",
            [True],
        ),
        ("return torch.tensor(x)", "flatten-returned", [False]),
        ("return torch.zeros(3)", "flatten-returned", [True]),
    ],
)  # fmt: skip
def test_what_is_claimed(body: str, operator: str, equivalent: list[bool]) -> None:
    assert reasons(body, operator) == equivalent


@pytest.mark.parametrize(("helper", "equivalent"), [(WALKS, [True]), (WORKS, [False])])
def test_a_function_that_only_looks(helper: str, equivalent: list[bool]) -> None:
    """Its helpers are looked through as well."""
    body = "return [node for node in walk(x) if not hasattr(node, 'y')]"
    assert reasons(body, "body-under-no-grad", helper) == equivalent
