"""The gate: a tape as a worker sent it, or nothing. Whoever draws it may rely on what passes.

Every index leads somewhere or is -1, the graph has no cycle, sizes are bounded, and texts are
short and without control signs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from grader.student.worker.tape_records import (
    Named,
    Spot,
    Tape,
    TapeNode,
    TapeOperation,
    TapeTensor,
)
from grader.submission.records import shown

MOST_NODES = 2_000
MOST_TENSORS = 10_000
MOST_OPERATIONS = 600
MOST_NAMES = 200
MOST_LINKS = 20_000  # edges and operands in all
MOST_DIMENSIONS = 16
LONGEST_NAME = 60


class GarbledTape(Exception):
    """Records that contradict one another, or more of them than is allowed."""


def checked(tape: Tape, files: Collection[str]) -> Tape:
    """The tape with its texts cut. `files` are those that a line may be in. Raises GarbledTape."""
    _few(tape.nodes, MOST_NODES, "nodes")
    _few(tape.tensors, MOST_TENSORS, "tensors")
    _few(tape.operations, MOST_OPERATIONS, "operations")
    _few(tape.names, MOST_NAMES, "names")
    links = sum(len(node.edges) for node in tape.nodes)
    links += sum(len(made.inputs) + len(made.outputs) for made in tape.operations)
    if links > MOST_LINKS:
        raise GarbledTape(f"{links:,} links, {MOST_LINKS:,} are allowed")
    nodes, tensors = len(tape.nodes), len(tape.tensors)
    found = Tape(
        nodes=[_node(node, nodes, tensors, files) for node in tape.nodes],
        tensors=[_tensor(tensor, nodes) for tensor in tape.tensors],
        operations=[_operation(made, tensors, files) for made in tape.operations],
        names=[_named(named, tensors) for named in tape.names],
        cut=tape.cut,
    )
    upwards(found.nodes)
    return found


def upwards(nodes: Sequence[TapeNode]) -> list[int]:
    """Indices of nodes, each after those that its edges lead to. Raises GarbledTape on a cycle."""
    waiting = [sum(edge >= 0 for edge in node.edges) for node in nodes]
    users: dict[int, list[int]] = {}
    for number, node in enumerate(nodes):
        for edge in node.edges:
            users.setdefault(edge, []).append(number)
    order = [number for number, count in enumerate(waiting) if count == 0]
    for number in order:  # grows
        for user in users.get(number, ()):
            waiting[user] -= 1
            if waiting[user] == 0:
                order.append(user)
    if len(order) != len(nodes):
        raise GarbledTape("a graph with a cycle")
    return order


def _few(things: Sequence[object], most: int, what: str) -> None:
    if len(things) > most:
        raise GarbledTape(f"{len(things):,} {what}, {most:,} are allowed")


def _within(index: int, length: int) -> int:
    if not -1 <= index < length:
        raise GarbledTape("an index that leads nowhere")
    return index


def _node(node: TapeNode, nodes: int, tensors: int, files: Collection[str]) -> TapeNode:
    return TapeNode(
        name=_text(node.name),
        edges=[_within(edge, nodes) for edge in node.edges],
        leaf=_within(node.leaf, tensors),
        shape=None if node.shape is None else _shape(node.shape),
        dtype=_text(node.dtype),
        spot=_spot(node.spot, files),
    )


def _tensor(tensor: TapeTensor, nodes: int) -> TapeTensor:
    return msgspec.structs.replace(
        tensor,
        dtype=_text(tensor.dtype),
        shape=_shape(tensor.shape),
        node=_within(tensor.node, nodes),
    )


def _operation(made: TapeOperation, tensors: int, files: Collection[str]) -> TapeOperation:
    spot = _spot(made.spot, files)
    if spot is None:
        raise GarbledTape("an operation outside the student's files")
    for index in (*made.inputs, *made.outputs):
        if index < 0:
            raise GarbledTape("an index that leads nowhere")
        _within(index, tensors)
    return msgspec.structs.replace(made, name=_text(made.name), spot=spot, kind=_text(made.kind))


def _named(named: Named, tensors: int) -> Named:
    return Named(_text(named.name), _within(named.tensor, tensors), _text(named.kind))


def _spot(spot: Spot | None, files: Collection[str]) -> Spot | None:
    if spot is None or spot.filename not in files or not 1 <= spot.line <= 10_000_000:
        return None
    return Spot(spot.filename, spot.line, _text(spot.function))


def _shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    if len(shape) > MOST_DIMENSIONS or any(n < 0 for n in shape):
        raise GarbledTape("a shape that no tensor has")
    return shape


def _text(text: str) -> str:
    return shown(text, LONGEST_NAME)
