"""Errors about what is no tensor: numbers asked for a backward, arrays among tensors, the caret."""

from __future__ import annotations

import ast

from grader.misconceptions.case import Case, Match
from grader.misconceptions.source import Place
from grader.observation import Observation, Operation, Raised

OF_THE_GRAPH = ("backward", "grad", "grad_fn", "retain_grad", "requires_grad")
NUMBERS = ("float", "int", "ndarray", "float32", "float64")
GIVES_NUMBERS = ("item", "tolist", "numpy", "__float__", "__array__", "__index__")


def number_without_graph(
    case: Case, call: Observation, raised: Raised, place: Place | None
) -> Match | None:
    """A plain number or an array was asked for what only a tensor has."""
    if raised.attribute not in OF_THE_GRAPH or raised.owner not in NUMBERS:
        return None
    left = _became_number(case, call)
    if left is None:
        return None  # it never was a tensor
    account = f"a {raised.owner} has no `{raised.attribute}`: its history ended when it became one"
    evidence = {"attribute": raised.attribute, "owner": raised.owner}
    return Match("graph-cut", account, evidence, case.place_of(left))


def _became_number(case: Case, call: Observation) -> Operation | None:
    for operation in case.trace(call):
        took = any(given.requires_grad for given in operation.inputs)
        if took and operation.name in GIVES_NUMBERS:
            return operation
    return None


def array_among_tensors(
    case: Case, call: Observation, raised: Raised, place: Place | None
) -> Match | None:
    """An operation of tensors was given a NumPy array."""
    if raised.type != "TypeError" or "ndarray" not in raised.message:
        return None
    if "must be Tensor" not in raised.message and "unsupported operand" not in raised.message:
        return None
    account = "a NumPy array met a tensor in one operation, and neither side takes the other"
    return Match("array-not-tensor", account, {"raised": raised.type}, place)


def caret(case: Case, call: Observation, raised: Raised, place: Place | None) -> Match | None:
    """`x ^ 2`: bits, not powers."""
    if "bitwise_xor" not in raised.message and "for ^" not in raised.message:
        return None
    for node in case.source.nodes_at(place):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor):
            account = f"`{ast.unparse(node)}` asks for an exclusive or of bits"
            return Match("caret-not-power", account, {"raised": raised.type}, place)
    return None
