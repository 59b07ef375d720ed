"""Reasons why a change cannot be seen from outside. Each returns the reason, or an empty string.

Only what follows from the code in view is claimed: a wrong claim would hide a hole in the checks.
"""

from __future__ import annotations

import ast

from grader.authoring.mutation.edits import (
    Scope,
    called,
    headline,
    is_docstring,
    is_no_grad,
    names_in,
)
from grader.authoring.mutation.unseen import past_no_grad

CREATORS = frozenset({"randn", "rand", "zeros", "ones", "empty", "full", "tensor"})
RANDOM = frozenset({"randn", "rand", "normal"})
BROADCASTING = frozenset({"where", "zeros_like", "exp", "log", "log1p", "clamp", "maximum", "mean"})
COMMUTATIVE = frozenset({"maximum", "minimum", "add", "mul", "max", "min"})


def border(scope: Scope, compare: ast.Compare) -> str:
    """`x > 0` as `x >= 0` where both choices are 0 at 0: in a `where`, or as a mask of x."""
    left, right = ast.unparse(compare.left), compare.comparators[0]
    if not (isinstance(right, ast.Constant) and right.value == 0):
        return ""
    reason = f"at {left} = 0 both choices are 0, and the gradient there is free"
    parent = scope.parents[compare]
    if called(parent) == "where" and isinstance(parent, ast.Call) and len(parent.args) == 3:
        chosen = {ast.unparse(parent.args[1]), ast.unparse(parent.args[2])}
        zeros = {f"torch.zeros_like({left})", "0", "0.0", "torch.tensor(0.0)", "torch.zeros(())"}
        return reason if left in chosen and chosen & zeros else ""
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mult):
        return reason if left in {ast.unparse(parent.left), ast.unparse(parent.right)} else ""
    return ""


def swapped(first: ast.stmt, second: ast.stmt) -> str:
    """Two neighbouring statements in the other order."""
    if _makes_new_tensor(first) and _makes_new_tensor(second) and _disjoint(first, second):
        if _is_random(first) and _is_random(second):
            return "only the order of the random draws changes"
        return "the two statements do not depend on each other"
    if (_is_empty_list(first) or _is_empty_list(second)) and _disjoint(first, second):
        return "an empty list may be made before the other statement or after it"
    for reset, other in ((first, second), (second, first)):
        if called(getattr(reset, "value", reset)) == "zero_grad" and _only_computes(other):
            return "no gradient takes part in what the other statement computes"
    for reading, other in ((first, second), (second, first)):
        what = recorded(reading)
        if what and not _rebinds(other, what) and _only_calls(other, reading):
            return f"{what} was computed before both: reading it a line later gives the same number"
    return ""


def recorded(statement: ast.stmt) -> str:
    """The name whose number a statement `numbers.append(name.item())` writes down, or nothing."""
    if not (isinstance(statement, ast.Expr) and called(statement.value) == "append"):
        return ""
    call = statement.value
    assert isinstance(call, ast.Call)
    value = call.args[0] if call.args else None
    inner: ast.expr | None = None
    if isinstance(value, ast.Call) and called(value) == "item":
        inner = value.func.value if isinstance(value.func, ast.Attribute) else None
    elif isinstance(value, ast.Call) and called(value) == "float" and value.args:
        inner = value.args[0]
    return inner.id if isinstance(inner, ast.Name) else ""


def reversed_loop(loop: ast.For) -> str:
    """A loop run backwards."""
    variables = names_in(loop.target)
    used = {n for statement in loop.body for n in names_in(statement)}
    if not variables & used:
        return f"{ast.unparse(loop.target)} is not used: every round is the same"
    if all(_touches_only(statement, variables) for statement in loop.body):
        return "each round changes only its own item, so the order of the rounds is free"
    return ""


def detached_read(scope: Scope, name: ast.Name) -> str:
    """`x.data` for `x` in a place that no gradient passes, or of an argument that needs none."""
    if name.id in scope.no_gradient and name.id in scope.parameters and not scope.rebinds(name.id):
        return f"no gradient is asked with respect to {name.id}"
    parent = scope.parents[name]
    if isinstance(parent, ast.Compare):
        return "no gradient passes through a comparison"
    if called(parent) in {"zeros_like", "ones_like"}:
        return f"{called(parent)} takes only the shape and type"
    if isinstance(parent, ast.Call) and parent.func is name:
        return ""  # what is called is no tensor
    while parent is not scope.function:
        if _is_no_grad_block(parent):
            return "nothing is recorded under no_grad"
        parent = scope.parents[parent]
    return ""


def rewrapped(scope: Scope, value: ast.expr) -> str:
    """A returned leaf replaced by a new leaf with the same values."""
    if isinstance(value, ast.Name) and value.id in scope.bindings:
        made = scope.bindings[value.id][-1]
        if isinstance(made, ast.Call) and called(made) in CREATORS and made.keywords:
            return f"{value.id} was a new leaf before, and so is its copy"
    return ""


def under_no_grad(scope: Scope) -> str:
    """The whole body put under `no_grad`."""
    body = [s for s in scope.function.body if not (is_docstring(s) or _hands_over_names(s))]
    if body and all(_is_no_grad_block(statement) for statement in body):
        return "the body was under no_grad before"
    if body and all(_makes_new_tensor(statement) for statement in body):
        return "the function only makes leaves, which no_grad does not change"
    if not body or all(map(_only_makes_objects, body)):
        return "no tensor is computed in it"
    return ""


def in_place(scope: Scope, argument: ast.expr) -> str:
    """An in-place function of a value that nobody else holds."""
    if isinstance(argument, ast.BinOp | ast.UnaryOp | ast.Call):
        return f"{headline(argument)} is a new tensor that nothing else reads"
    return ""


def one_sample(scope: Scope, subscript: ast.Subscript) -> str:
    """`X[i:i + 1]` as `X[i]`, handed straight to a function of the model answer."""
    own = {f.name: f for f in scope.module.body if isinstance(f, ast.FunctionDef)}
    bare = {s.value for s in scope.find(ast.Expr)}
    waiting = {called(c) for c in scope.find(ast.Call) if c not in bare} & set(own)
    used: set[str] = set()
    while waiting:
        used |= waiting
        calls = {called(node) for name in waiting for node in ast.walk(own[name])}
        waiting = (calls & set(own)) - used
    broadcast = all(_broadcasts(own[name], set(own)) for name in used)
    if called(scope.parents[subscript]) in own and broadcast:
        return "one sample without its batch axis broadcasts to the same single loss"
    return ""


def own_number(scope: Scope, target: ast.expr) -> str:
    """`n += x` as `n = n + x` for a local that starts as a Python number."""
    if isinstance(target, ast.Name) and target.id in scope.numbers:
        return f"{target.id} is a Python number, which cannot be changed in place"
    return ""


def flat_already(scope: Scope, value: ast.expr) -> str:
    """`.flatten()` of a single number, or of a parameter with one axis."""
    inner = value.operand if isinstance(value, ast.UnaryOp) else value
    if called(inner) == "mean" and isinstance(inner, ast.Call) and not inner.keywords:
        return "a loss of one element is a loss in any shape"
    made = scope.bindings.get(value.id, [value])[-1] if isinstance(value, ast.Name) else value
    sized = isinstance(made, ast.Call) and called(made) in CREATORS and len(made.args) == 1
    # What torch.tensor is given may have any number of axes.
    if sized and called(made) != "tensor":
        return f"{ast.unparse(value)} has one axis: flatten returns the tensor itself"
    return ""


def same_length(scope: Scope, name: ast.Name, other: str) -> str:
    """`len(X)` as `len(Y)` for two arguments that hold the data."""
    if called(scope.parents[name]) == "len" and {name.id, other} <= scope.no_gradient:
        return f"{name.id} and {other} hold one row a sample each"
    return ""


def zero_draw(scope: Scope, call: ast.Call) -> str:
    """Zeros for the last draw while an earlier layer stays random."""
    draws = [node for node in scope.find(ast.Call) if called(node) == "randn"]
    if len(draws) > 1 and call is draws[-1]:
        return "the hidden units still differ by the earlier draw, so no symmetry is kept"
    return ""


def _broadcasts(function: ast.FunctionDef, own: set[str]) -> bool:
    """Whether a function only does arithmetic that takes one value with or without its axes."""
    nodes = list(ast.walk(function))
    calls = {called(node) for node in nodes if isinstance(node, ast.Call)}
    return calls <= own | BROADCASTING and not any(isinstance(n, ast.Subscript) for n in nodes)


def _hands_over_names(statement: ast.stmt) -> bool:
    """Whether a statement only returns names, so that nothing is computed in it."""
    if not isinstance(statement, ast.Return):
        return False
    kinds = ast.Name | ast.Attribute | ast.List | ast.Tuple | ast.Constant | ast.expr_context
    return statement.value is None or all(isinstance(n, kinds) for n in ast.walk(statement.value))


def _only_makes_objects(statement: ast.stmt) -> bool:
    """Whether all that is called are classes, by their names, and no operator is used."""
    calls = [called(node) for node in ast.walk(statement) if isinstance(node, ast.Call)]
    works = any(isinstance(n, ast.BinOp | ast.UnaryOp | ast.Compare) for n in ast.walk(statement))
    return not works and bool(calls) and all(name[:1].isupper() for name in calls)


def _only_computes(statement: ast.stmt) -> bool:
    """Whether a statement names a value, and calls nothing that fills or uses gradients."""
    calls = {called(node) for node in ast.walk(statement)}
    return isinstance(statement, ast.Assign) and not calls & {"backward", "step", "grad"}


def _is_empty_list(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.List)
        and not statement.value.elts
    )


def _makes_new_tensor(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and all(isinstance(target, ast.Name) for target in statement.targets)
        and called(statement.value) in CREATORS
    )


def _is_random(statement: ast.stmt) -> bool:
    return any(called(node) in RANDOM for node in ast.walk(statement))


def _disjoint(first: ast.stmt, second: ast.stmt) -> bool:
    written = [
        {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for s in (first, second)
    ]
    return not (written[0] & names_in(second) or written[1] & names_in(first))


def _rebinds(statement: ast.stmt, name: str) -> bool:
    nodes = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == name]
    stored = any(isinstance(node.ctx, ast.Store) for node in nodes)
    backward = isinstance(statement, ast.Expr) and called(statement.value) == "backward"
    return stored or (bool(nodes) and not backward)


def _only_calls(statement: ast.stmt, reading: ast.stmt) -> bool:
    """Whether a statement is a bare call, or a block of updates, that leaves the list alone."""
    assert isinstance(reading, ast.Expr)
    assert isinstance(reading.value, ast.Call)
    assert isinstance(reading.value.func, ast.Attribute)
    target = names_in(reading.value.func.value)
    is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return (is_call or past_no_grad(statement)) and not target & names_in(statement)


def _touches_only(statement: ast.stmt, variables: set[str]) -> bool:
    """Whether a statement changes nothing but the loop's own item, in place."""
    if isinstance(statement, ast.AugAssign):
        return _root(statement.target) in variables
    if isinstance(statement, ast.Assign):
        return all(
            isinstance(t, ast.Attribute | ast.Subscript) and _root(t) in variables
            for t in statement.targets
        )
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        return isinstance(function, ast.Attribute) and _root(function) in variables
    return False


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_no_grad_block(statement: ast.AST) -> bool:
    return isinstance(statement, ast.With) and any(
        is_no_grad(item.context_expr) for item in statement.items
    )
