"""The mutant maker: every operator fires, every mutant is a real change, every claim is true."""

from __future__ import annotations

import ast
import inspect
import itertools
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.authoring.mutants import OPERATORS, Mutant, degenerate, mutants

REFERENCE = Path(__file__).parents[2] / "solutions" / "xor_by_hand" / "reference.py"
FUNCTIONS = ("relu", "logistic", "cross_entropy", "forward", "sgd", "init_params", "train")

SGD = "with torch.no_grad():\n  for p in ps:\n    p -= lr * p.grad\n    p.grad.zero_()"
LOOP = "out = []\nfor i in range(len(x)):\n  l = g(x[i:i+1])\n  out.append(l.item())\n  step(l)"
LOOP_AND_RETURN = LOOP + "\nreturn out"

# operator: (the body of f, something that one of its mutants must hold)
FIRES: dict[str, tuple[str, str]] = {
    "drop-reset": (SGD, "p -= lr * p.grad\n\n"),
    "drop-no-grad": (SGD, "    for p in ps:\n        p -= lr * p.grad\n        p.grad.zero_()"),
    "no-grad-not-called": (SGD, "with torch.no_grad:"),
    "body-under-no-grad": ("return x * 2", "with torch.no_grad():\n        return x * 2"),
    "rebind-update": (SGD, "p = p - lr * p.grad"),
    "out-of-place-method": ("for p in ps: p.sub_(lr * p.grad)", "p.sub(lr * p.grad)"),
    "in-place-function": ("return torch.log(x)", "torch.log_(x)"),
    "detach-returned": ("return x + y", "return (x + y).detach()"),
    "rewrap-returned": ("return x + y", "(x + y).detach().clone().requires_grad_()"),
    "rewrap-intermediate": ("h = x @ y\nreturn h", "h = (x @ y).detach().clone()"),
    "data-of-operand": ("return x @ y", "return x.data @ y"),
    "gradient-to-value": (SGD, "p -= lr * p\n"),
    "drop-requires-grad": ("return [torch.zeros(2, requires_grad=True)]", "[torch.zeros(2)]"),
    "scaled-leaf": ("w = torch.zeros(2, requires_grad=True)\nreturn [w]", "=True) * 0.5"),
    "zeros-for-randn": ("return [torch.randn(2, 3)]", "torch.zeros(2, 3)"),
    "swap-matmul": ("return x @ y", "return y @ x"),
    "times-for-matmul": ("return x @ y", "return x * y"),
    "transpose-operand": ("return x @ y", "return x @ y.T"),
    "sum-for-mean": ("return x.mean()", "return x.sum()"),
    "drop-reduction": ("return torch.mean(x)", "return x\n"),
    "drop-complement": ("return 1 - x", "return x\n"),
    "drop-term": ("return x @ y + z", "return x @ y\n"),
    "drop-factor": ("return x * y", "return y\n"),
    "flip-sign": (SGD, "p += lr * p.grad"),
    "drop-minus": ("return torch.exp(-x)", "return torch.exp(x)"),
    "add-minus": ("return torch.exp(x)", "return torch.exp(-x)"),
    "divide-for-times": ("return x * y", "return x / y"),
    "swap-operands": ("return x - y", "return y - x"),
    "change-constant": ("return x * 0.5 + 1", "x * 0.55 + 1"),
    "change-comparison": ("return (x > 0) * x", "(x < 0) * x"),
    "swap-arguments": ("return g(x, y)", "g(y, x)"),
    "other-base": ("return torch.log(x)", "torch.log2(x)"),
    "drop-function": ("return torch.exp(x)", "return x\n"),
    "repeat-function": ("return g(x)", "g(g(x))"),
    "confuse-names": ("return x @ y", "return y @ y"),
    "cast-to-double": ("return x + y", "(x + y).double()"),
    "cast-to-long": ("return x + y", "(x + y).long()"),
    "return-none": ("return x + y", "return None"),
    "return-wrapped": ("return x + y", "return [x + y]"),
    "return-numbers": (LOOP_AND_RETURN, "return sum(out)"),
    "return-tuple": ("return [x, y]", "return (x, y)"),
    "drop-item-of-list": ("return [x, y, z]", "return [x, z]"),
    "swap-items-of-list": ("return [x, y, z]", "return [x, z, y]"),
    "drop-to-number": (LOOP, "out.append(l)"),
    "slice-to-index": (LOOP, "g(x[i])"),
    "flatten-returned": ("return x + y", "(x + y).flatten()"),
    "delete-statement": (LOOP, "out.append(l.item())\n\n"),
    "repeat-statement": ("l = g(x)\nl.backward()", "l.backward()\n    l.backward()"),
    "swap-statements": ("a = x + y\nb = a + z\nreturn b", "b = a + z\n    a = x + y"),
    "move-earlier": ("a = x\nb = a\nstep(b)", "step(b)\n    a = x\n    b = a"),
    "record-after-update": (LOOP, "step(l)\n        out.append(g(x[i:i + 1]).item())"),
    "break-after-first": (LOOP, "step(l)\n        break"),
    "return-inside-loop": (LOOP_AND_RETURN, "step(l)\n        return out"),
    "out-of-loop": (LOOP, "out.append(l.item())\n    step(l)"),
    "into-loop": (LOOP, "for i in range(len(x)):\n        out = []"),
    "shorter-loop": (LOOP, "range(1, len(x))"),
    "reverse-loop": (LOOP, "range(len(x))[::-1]"),
    "first-index-only": (LOOP, "x[0:0 + 1]"),
    "negate-condition": ("if x: return y\nreturn z", "if not x:"),
    "overwrite-argument": ("return x + y", "x *= 0.5\n    return x + y"),
}
NAMES = sorted(operator.__name__.replace("_", "-") for operator in OPERATORS)


def in_function(body: str) -> str:
    lines = "\n".join(f"  {line}" for line in body.splitlines())
    return f"import torch\n\ndef f(x, y, z, ps, lr=0.1):\n{lines}\n\ndef g(x):\n  return x\n"


def operator_names(found: list[Mutant]) -> set[str]:
    return {mutant.operator for mutant in found}


@pytest.fixture(scope="module")
def of_reference() -> list[Mutant]:
    return mutants(REFERENCE.read_text(), FUNCTIONS)


def test_every_operator_has_an_example() -> None:
    assert sorted(FIRES) == NAMES
    assert len(NAMES) >= 24


@pytest.mark.parametrize("name", NAMES)
def test_operator_fires(name: str) -> None:
    # Asked alone, so that a mutant that two operators make counts for each of them.
    body, wanted = FIRES[name]
    source = in_function(body)
    alone = [op for op in OPERATORS if op.__name__.replace("_", "-") == name]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.authoring.mutants.OPERATORS", tuple(alone))
        made = mutants(source, ["f"])
    assert any(wanted in mutant.source for mutant in made), [m.source for m in made]
    assert {mutant.operator for mutant in made} == {name}


def test_reference_gives_many_of_many_kinds(of_reference: list[Mutant]) -> None:
    assert len(of_reference) > 60
    assert len(operator_names(of_reference)) > 20
    assert {mutant.function for mutant in of_reference} == set(FUNCTIONS)


def test_all_compile_and_none_is_the_original_or_a_double(of_reference: list[Mutant]) -> None:
    original = ast.dump(ast.parse(REFERENCE.read_text()))
    trees = [ast.dump(ast.parse(mutant.source)) for mutant in of_reference]
    for mutant in of_reference:
        compile(mutant.source, "mutant", "exec")
    assert original not in trees
    assert len(set(trees)) == len(trees)


def test_same_source_same_mutants(of_reference: list[Mutant]) -> None:
    assert mutants(REFERENCE.read_text(), set(FUNCTIONS)) == of_reference


def test_only_the_named_function_changes(of_reference: list[Mutant]) -> None:
    original = {n.name: ast.dump(n) for n in functions_of(REFERENCE.read_text())}
    for mutant in of_reference:
        changed = {n.name for n in functions_of(mutant.source) if ast.dump(n) != original[n.name]}
        assert changed == {mutant.function}, mutant.description


def test_signatures_and_docstrings_stay() -> None:
    source = 'def f(x, k=2):\n    """Twice x."""\n    return x * k\n'
    made = mutants(source, ["f"])
    assert made
    assert all("def f(x, k=2):\n    '''Twice x.'''" in m.source.replace('"""', "'''") for m in made)


def test_line_and_description_are_those_of_the_original() -> None:
    (mutant,) = [m for m in mutants(in_function(SGD), ["f"]) if m.operator == "rebind-update"]
    assert mutant.line == 6
    assert mutant.description == "line 6: p -= lr * p.grad became p = p - lr * p.grad"


def test_every_line_holds_code_of_the_function(of_reference: list[Mutant]) -> None:
    spans = {n.name: (n.lineno, n.end_lineno or 0) for n in functions_of(REFERENCE.read_text())}
    for mutant in of_reference:
        first, last = spans[mutant.function]
        assert first < mutant.line <= last, mutant.description


def test_decorator_can_be_dropped() -> None:
    source = "import torch\n@torch.no_grad()\ndef f(ps):\n    for p in ps:\n        p -= p.grad\n"
    dropped = [m for m in mutants(source, ["f"]) if m.operator == "drop-no-grad"]
    assert len(dropped) == 1
    assert "@" not in dropped[0].source


def test_missing_function_is_an_error() -> None:
    with pytest.raises(LookupError, match="relu"):
        mutants("x = 1", ["relu"])


@pytest.mark.parametrize(
    ("body", "operator", "equivalent"),
    [
        ("return torch.where(x > 0, x, torch.zeros_like(x))", "change-comparison", [False, True]),
        ("return torch.where(x > 0, x, 0.1 * x)", "change-comparison", [False, False]),
        ("return torch.where(x > 0, x, y)", "change-comparison", [False, False]),
        ("return x + y", "swap-operands", [True]),
        ("return x - y", "swap-operands", [False]),
        ("a = torch.randn(2)\nb = torch.randn(3)\nreturn g(a)", "swap-statements", [True, False]),
        ("a = torch.randn(2)\nb = torch.zeros_like(a)", "swap-statements", [False]),
        ("n = 0\nfor p in ps: n += p", "rebind-update", [True]),
        ("for p in ps: p.grad.zero_()", "reverse-loop", [True]),
        ("for p in ps: x.append(p)", "reverse-loop", [False]),
        (LOOP, "swap-statements", [False, False, False]),
        (LOOP.replace("step(l)", "step(ps)"), "swap-statements", [False, False, True]),
        (LOOP.replace("step(l)", "step(out)"), "swap-statements", [False, False, False]),
        ("return torch.log(x)", "in-place-function", [False]),
        ("z = torch.zeros(2)\nreturn x * z", "body-under-no-grad", [False]),
        ("z = torch.zeros(2)\nreturn [z]", "body-under-no-grad", [True]),
        ("return g(y)", "data-of-operand", [True]),
        ("y = g(x)\nreturn g(y)", "data-of-operand", [False, False]),
        ("n = x.shape[0]\nwhile 3 < n: step(len(ps))", "data-of-operand", []),
        ("return torch.log(1 - x)", "in-place-function", [True]),
    ],
)
def test_claims_of_equivalence(body: str, operator: str, equivalent: list[bool]) -> None:
    made = [m for m in mutants(in_function(body), ["f"]) if m.operator == operator]
    assert [bool(m.equivalent) for m in made] == equivalent


@pytest.mark.parametrize(
    ("loss", "equivalent"),
    [("return (p - y).mean()", True), ("return torch.gather(p, 1, y).mean()", False)],
)
def test_an_axis_less_is_the_same_only_where_everything_broadcasts(
    loss: str, equivalent: bool
) -> None:
    source = (
        f"def c(p, y):\n  {loss}\ndef f(x, y):\n  for i in range(3):\n    c(x, y[i:i+1]).item()\n"
    )
    (made,) = [m for m in mutants(source, ["f"]) if m.operator == "slice-to-index"]
    assert bool(made.equivalent) == equivalent


def test_what_is_called_equivalent_behaves_the_same(of_reference: list[Mutant]) -> None:
    expected = behaviour(REFERENCE.read_text())
    # Other values, type or shape, but what the assignment leaves free: not the same bit by bit.
    free = {"return-tuple", "zeros-for-randn", "flatten-returned", "move-earlier"}
    for mutant in of_reference:
        if mutant.equivalent and mutant.operator not in free:
            assert behaviour(mutant.source) == expected, mutant.description


def test_what_is_not_called_equivalent_behaves_differently(of_reference: list[Mutant]) -> None:
    expected = behaviour(REFERENCE.read_text())
    alike = [
        mutant.description
        for mutant in of_reference
        if not mutant.equivalent and behaviour(mutant.source) == expected
    ]
    assert alike == []


@pytest.mark.parametrize("of", [str, inspect.Signature])
def test_degenerate_submissions(of: Any) -> None:
    def signature(x: Any, lr: float = 0.1) -> None: ...

    parameters = inspect.signature(signature)
    given = "f(x, lr=0.1)" if of is str else parameters.replace(return_annotation=None)
    made = {m.operator: m for m in degenerate({"f": given, "g": "()"})}
    x = torch.tensor([2.0, 3.0])
    wanted = {
        "identity": [2.0, 3.0],
        "zero": 0.0,
        "one": 1.0,
        "zeros-like": [0.0, 0.0],
        "ones-like": [1.0, 1.0],
        "none": None,
        "zero-times": [0.0, 0.0],
    }
    assert set(made) == {f"degenerate-{kind}" for kind in (*wanted, "empty")}
    for kind, value in wanted.items():
        module = run(made[f"degenerate-{kind}"].source.replace("Any", "object"))
        got = module["f"](x)
        assert (got.tolist() if isinstance(got, torch.Tensor) else got) == value
        module["g"]()
    assert "f" not in run(made["degenerate-empty"].source)


def functions_of(source: str) -> list[ast.FunctionDef]:
    return [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]


def run(source: str) -> dict[str, Any]:
    module: dict[str, Any] = {}
    exec(compile(source, "module", "exec"), module)
    return module


def behaviour(source: str) -> list[object]:
    """What calls of every function give, leave behind and raise: plain values, rounded."""
    module = run(source)
    made = torch.Generator().manual_seed(7)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=made).requires_grad_()

    def weights(hidden: int = 3) -> list[torch.Tensor]:
        return [normal(2, hidden), normal(hidden), normal(hidden, 1), normal(1)]

    def data(size: int) -> tuple[torch.Tensor, torch.Tensor]:
        X = torch.rand(size, 2, generator=made)
        return X, ((X[:, :1] > 0.5) ^ (X[:, 1:] > 0.5)).float()

    with_gradients = weights()
    for weight in with_gradients:
        weight.grad = torch.randn(weight.shape, generator=made)
    probabilities = torch.rand(6, 1, generator=made).requires_grad_()
    labels = torch.tensor([[0.0], [1.0], [1.0], [0.0], [1.0], [0.0]])
    X, Y = data(5)
    return [
        seen(module["relu"], normal(4, 3)),
        seen(module["logistic"], normal(4, 3)),
        seen(module["cross_entropy"], probabilities, labels),
        seen(module["forward"], data(5)[0], *weights()),
        seen(module["forward"], data(1)[0][0], *weights()),
        seen(module["sgd"], with_gradients, 0.3),
        seen(module["init_params"], 5),
        seen(module["train"], weights(4), X, Y, 3, 0.2),
        seen(module["train"], weights(4), X, Y, 1, 0.0),
    ]


def seen(function: Any, *arguments: Any) -> object:
    torch.manual_seed(0)
    try:
        output = function(*arguments)
        record = plain(output)
        if isinstance(output, torch.Tensor):
            weights = torch.linspace(1, 2, output.numel()).reshape(output.shape)
            torch.autograd.backward([output], [weights])
    except Exception as error:
        return type(error).__name__
    flat = itertools.chain.from_iterable(a if isinstance(a, list) else [a] for a in arguments)
    left = [(plain(t), plain(t.grad)) for t in flat if isinstance(t, torch.Tensor)]
    return record, left


def plain(value: object) -> object:
    if isinstance(value, torch.Tensor):
        numbers = [f"{number:.4f}" for number in value.detach().flatten().tolist()]
        return list(value.shape), str(value.dtype), value.requires_grad, value.is_leaf, numbers
    if isinstance(value, list | tuple):
        return type(value).__name__, [plain(item) for item in value]
    return type(value).__name__, f"{value:.4f}" if isinstance(value, float) else repr(value)
