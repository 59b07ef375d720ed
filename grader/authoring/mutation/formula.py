"""Operators on what is computed: signs, operands, constants, reductions, functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.authoring.mutation import equivalence
from grader.authoring.mutation.edits import (
    Edit,
    Operator,
    Scope,
    called,
    expression,
    is_docstring,
    is_number,
    renamed,
)

NOT_ACTIVATIONS = frozenset({"len", "range", "enumerate", "reversed", "no_grad", "append", "zip"})


def swap_matmul(scope: Scope) -> Iterator[Edit]:
    """`a @ b` as `b @ a`."""
    for node in _binary(scope, ast.MatMult):
        yield Edit(node, ast.BinOp(node.right, node.op, node.left), node)


def times_for_matmul(scope: Scope) -> Iterator[Edit]:
    """`a @ b` as `a * b`."""
    for node in _binary(scope, ast.MatMult):
        yield Edit(node, ast.BinOp(node.left, ast.Mult(), node.right), node)


def transpose_operand(scope: Scope) -> Iterator[Edit]:
    """`a @ b` as `a @ b.T`."""
    for node in _binary(scope, ast.MatMult):
        transposed = ast.Attribute(node.right, "T", ast.Load())
        yield Edit(node, ast.BinOp(node.left, node.op, transposed), node)


def sum_for_mean(scope: Scope) -> Iterator[Edit]:
    """`.mean()` as `.sum()`, and back."""
    for call in scope.find(ast.Call):
        if called(call) in {"mean", "sum"}:
            yield Edit(call, renamed(call, "sum" if called(call) == "mean" else "mean"), call)


def drop_reduction(scope: Scope) -> Iterator[Edit]:
    """`.mean()` or `.sum()` is gone."""
    for call in scope.find(ast.Call):
        if called(call) not in {"mean", "sum"}:
            continue
        if call.args:
            yield Edit(call, call.args[0], call)
        elif isinstance(call.func, ast.Attribute):
            yield Edit(call, call.func.value, call)


def drop_complement(scope: Scope) -> Iterator[Edit]:
    """`1 - p` as `p`."""
    for node in _binary(scope, ast.Sub):
        if isinstance(node.left, ast.Constant) and node.left.value == 1:
            yield Edit(node, node.right, node)


def drop_term(scope: Scope) -> Iterator[Edit]:
    """`a + b` as `a` or as `b`: a bias or a term is missing."""
    for node in _binary(scope, ast.Add, ast.Sub):
        yield Edit(node, node.left, node)
        yield Edit(node, node.right, node)


def drop_factor(scope: Scope) -> Iterator[Edit]:
    """`a * b` as `a` or as `b`; `a / b` as `a` or as `b`."""
    for node in _binary(scope, ast.Mult, ast.Div):
        yield Edit(node, node.left, node)
        yield Edit(node, node.right, node)


def flip_sign(scope: Scope) -> Iterator[Edit]:
    """`+` as `-` and back, in expressions and in updates."""
    for node in _binary(scope, ast.Add, ast.Sub):
        yield Edit(node, ast.BinOp(node.left, _opposite(node.op), node.right), node)
    for update in scope.find(ast.AugAssign):
        if isinstance(update.op, ast.Add | ast.Sub):
            other = ast.AugAssign(update.target, _opposite(update.op), update.value)
            yield Edit(update, other, update)


def drop_minus(scope: Scope) -> Iterator[Edit]:
    """`-e` as `e`."""
    for node in scope.find(ast.UnaryOp):
        if isinstance(node.op, ast.USub):
            yield Edit(node, node.operand, node)


def add_minus(scope: Scope) -> Iterator[Edit]:
    """A minus before the argument of an exp, or before what is returned."""
    for call in scope.find(ast.Call):
        if called(call) == "exp" and call.args and not isinstance(call.args[0], ast.UnaryOp):
            yield Edit(call.args[0], ast.UnaryOp(ast.USub(), call.args[0]), call)
    for node in scope.find(ast.Return):
        value = node.value
        if value and not isinstance(value, ast.UnaryOp | ast.Constant) and not scope.is_list(value):
            yield Edit(value, ast.UnaryOp(ast.USub(), value), node)


def divide_for_times(scope: Scope) -> Iterator[Edit]:
    """`*` as `/` and back."""
    for node in _binary(scope, ast.Mult, ast.Div):
        opposite = ast.Div() if isinstance(node.op, ast.Mult) else ast.Mult()
        yield Edit(node, ast.BinOp(node.left, opposite, node.right), node)


def swap_operands(scope: Scope) -> Iterator[Edit]:
    """`a - b` as `b - a`. Of + and * too: these are equivalent, and are listed as such."""
    for node in _binary(scope, ast.Add, ast.Sub, ast.Mult, ast.Div):
        commutes = isinstance(node.op, ast.Add | ast.Mult)
        reason = "+ and * give the same in either order" if commutes else ""
        yield Edit(node, ast.BinOp(node.right, node.op, node.left), node, equivalent=reason)


def change_constant(scope: Scope) -> Iterator[Edit]:
    """0 as 1, 1 as 0 and 2, n as n + 1 and n - 1, a float 10% larger; 0 as -0 (equivalent)."""
    for node in scope.find(ast.Constant):
        value = node.value
        if not is_number(node):
            continue
        if isinstance(value, float) and value != 0:
            yield Edit(node, ast.Constant(round(value * 1.1, 12)), node)
            continue
        assert isinstance(value, int | float)
        yield Edit(node, ast.Constant(value + 1), node)
        if value != 0:
            yield Edit(node, ast.Constant(value - 1), node)
        elif isinstance(scope.parents[node], ast.Compare):
            minus = ast.UnaryOp(ast.USub(), node)
            yield Edit(node, minus, node, equivalent="-0 compares like 0")


def change_comparison(scope: Scope) -> Iterator[Edit]:
    """`>` as `<` and as `>=`, `==` as `!=`, and so on."""
    flips: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
        ast.Gt: (ast.Lt, ast.GtE),
        ast.GtE: (ast.LtE, ast.Gt),
        ast.Lt: (ast.Gt, ast.LtE),
        ast.LtE: (ast.GtE, ast.Lt),
        ast.Eq: (ast.NotEq,),
        ast.NotEq: (ast.Eq,),
    }
    for node in scope.find(ast.Compare):
        for position, other in enumerate(flips.get(type(node.ops[0]), ())):
            reason = equivalence.border(scope, node) if position == 1 else ""
            new = ast.Compare(node.left, [other(), *node.ops[1:]], node.comparators)
            yield Edit(node, new, node, equivalent=reason)


def swap_arguments(scope: Scope) -> Iterator[Edit]:
    """Two neighbouring arguments of a call in the other order."""
    for call in scope.find(ast.Call):
        commutes = called(call) in equivalence.COMMUTATIVE and len(call.args) == 2
        reason = f"{called(call)} gives the same in either order" if commutes else ""
        for i in range(len(call.args) - 1):
            before, (first, second), after = call.args[:i], call.args[i : i + 2], call.args[i + 2 :]
            new = ast.Call(call.func, [*before, second, first, *after], call.keywords)
            yield Edit(call, new, call, equivalent=reason)


def other_base(scope: Scope) -> Iterator[Edit]:
    """`exp` as `exp2` and `expm1`, `log` as `log2`, `log10` and `log1p`."""
    others = {"exp": ("exp2", "expm1"), "log": ("log2", "log10", "log1p")}
    for call in scope.find(ast.Call):
        for other in others.get(called(call), ()):
            yield Edit(call, renamed(call, other), call)


def drop_function(scope: Scope) -> Iterator[Edit]:
    """`f(x)` as `x`: an activation, a log or an exp is missing."""
    for call in scope.find(ast.Call):
        single = len(call.args) == 1 and not call.keywords
        starred = single and isinstance(call.args[0], ast.Starred)
        bare = isinstance(scope.parents[call], ast.Expr)
        if single and not starred and not bare and called(call) not in NOT_ACTIVATIONS:
            yield Edit(call, call.args[0], call)


def repeat_function(scope: Scope) -> Iterator[Edit]:
    """`f(x)` as `f(f(x))` for the model answer's own functions: an activation applied twice."""
    own = {f.name: f for f in scope.module.body if isinstance(f, ast.FunctionDef)}
    for call in scope.find(ast.Call):
        if called(call) in own and len(call.args) == 1 and not call.keywords:
            name = called(call)
            reason = f"{name} of {name} is {name}" if _keeps_the_positive(own[name]) else ""
            new = ast.Call(call.func, [call], [])
            yield Edit(call, new, call, equivalent=reason)


def _keeps_the_positive(function: ast.FunctionDef) -> bool:
    """Whether it is `torch.where(x > 0, x, zeros)` and no more, which twice does the same."""
    *_, last = function.body
    if len(function.body) > 1 + is_docstring(function.body[0]) or not isinstance(last, ast.Return):
        return False
    x = function.args.args[0].arg if function.args.args else ""
    zeros = (f"torch.zeros_like({x})", "0", "0.0", "torch.tensor(0.0)")
    given = "" if last.value is None else ast.unparse(last.value)
    return any(
        given == f"torch.where({x} {compares} 0, {x}, {zero})"
        for zero in zeros
        for compares in (">", ">=")
    )


def confuse_names(scope: Scope) -> Iterator[Edit]:
    """One use of a tensor's name as the next one's: y for y_pred, W2 for b1."""
    known = scope.parameters if len(scope.parameters) > 1 else scope.tensors
    names = [name for name in known if name in scope.tensors]
    for node in scope.find(ast.Name):
        if node.id in names and len(names) > 1 and isinstance(node.ctx, ast.Load):
            other = names[(names.index(node.id) + 1) % len(names)]
            reason = equivalence.same_length(scope, node, other)
            yield Edit(node, expression(other), node, equivalent=reason)


def _binary(scope: Scope, *kinds: type[ast.operator]) -> Iterator[ast.BinOp]:
    return (node for node in scope.find(ast.BinOp) if isinstance(node.op, kinds))


def _opposite(operator: ast.operator) -> ast.operator:
    return ast.Sub() if isinstance(operator, ast.Add) else ast.Add()


OPERATORS: tuple[Operator, ...] = (
    swap_matmul,
    times_for_matmul,
    transpose_operand,
    sum_for_mean,
    drop_reduction,
    drop_complement,
    drop_term,
    drop_factor,
    flip_sign,
    drop_minus,
    add_minus,
    divide_for_times,
    swap_operands,
    change_constant,
    change_comparison,
    swap_arguments,
    other_base,
    drop_function,
    repeat_function,
    confuse_names,
)
