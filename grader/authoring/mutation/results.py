"""Operators on types and shapes: what is returned, how it is indexed, what kind of number it is."""

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
)


def cast_to_double(scope: Scope) -> Iterator[Edit]:
    """What is returned is float64."""
    for value in scope.returned():
        yield Edit(value, expression("value.double()", value=value), value)


def cast_to_long(scope: Scope) -> Iterator[Edit]:
    """What is returned is an integer tensor."""
    for value in scope.returned():
        yield Edit(value, expression("value.long()", value=value), value)


def return_none(scope: Scope) -> Iterator[Edit]:
    """Nothing is returned."""
    for node in scope.find(ast.Return):
        if node.value is not None:
            yield Edit(node.value, ast.Constant(None), node)


def return_wrapped(scope: Scope) -> Iterator[Edit]:
    """What is returned is inside a list."""
    for node in scope.find(ast.Return):
        if node.value is not None:
            yield Edit(node.value, ast.List([node.value], ast.Load()), node)


def return_numbers(scope: Scope) -> Iterator[Edit]:
    """A tensor is returned as Python numbers; a list as its last item, or as its sum."""
    for node in scope.find(ast.Return):
        if node.value is None:
            continue
        if isinstance(node.value, ast.Name) and scope.is_list(node.value):
            yield Edit(node.value, expression("items[-1]", items=node.value), node)
            yield Edit(node.value, expression("sum(items)", items=node.value), node)
        elif not scope.is_list(node.value):
            yield Edit(node.value, expression("value.tolist()", value=node.value), node)


def return_tuple(scope: Scope) -> Iterator[Edit]:
    """A list literal is returned as a tuple, which every caller takes as well."""
    for node in scope.find(ast.Return):
        if isinstance(node.value, ast.List):
            reason = "a tuple of the same items serves as well as a list"
            new = ast.Tuple(node.value.elts, ast.Load())
            yield Edit(node.value, new, node, equivalent=reason)


def drop_item_of_list(scope: Scope) -> Iterator[Edit]:
    """A returned list has one item less."""
    for node in scope.find(ast.Return):
        if isinstance(node.value, ast.List | ast.Tuple):
            for item in node.value.elts:
                kept = [other for other in node.value.elts if other is not item]
                yield Edit(node.value.elts, kept, node)


def swap_items_of_list(scope: Scope) -> Iterator[Edit]:
    """Two neighbouring items of a returned list in the other order."""
    for node in scope.find(ast.Return):
        if isinstance(node.value, ast.List | ast.Tuple):
            items = node.value.elts
            for i in range(len(items) - 1):
                new = [*items[:i], items[i + 1], items[i], *items[i + 2 :]]
                yield Edit(items, new, node)


def drop_to_number(scope: Scope) -> Iterator[Edit]:
    """`loss.item()` or `float(loss)` as `loss`: a tensor is kept."""
    for call in scope.find(ast.Call):
        if called(call) == "item" and isinstance(call.func, ast.Attribute):
            yield Edit(call, call.func.value, call)
        elif isinstance(call.func, ast.Name) and call.func.id == "float" and call.args:
            yield Edit(call, call.args[0], call)


def slice_to_index(scope: Scope) -> Iterator[Edit]:
    """`X[i:i + 1]` as `X[i]`: an axis is lost."""
    for node in scope.find(ast.Subscript):
        if isinstance(node.slice, ast.Slice) and node.slice.lower is not None:
            new = ast.Subscript(node.value, node.slice.lower, node.ctx)
            yield Edit(node, new, node, equivalent=equivalence.one_sample(scope, node))


def flatten_returned(scope: Scope) -> Iterator[Edit]:
    """What is returned has its axes joined."""
    for value in scope.returned():
        reason = equivalence.flat_already(scope, value)
        yield Edit(value, expression("value.flatten()", value=value), value, equivalent=reason)


OPERATORS: tuple[Operator, ...] = (
    cast_to_double,
    cast_to_long,
    return_none,
    return_wrapped,
    return_numbers,
    return_tuple,
    drop_item_of_list,
    swap_items_of_list,
    drop_to_number,
    slice_to_index,
    flatten_returned,
)
