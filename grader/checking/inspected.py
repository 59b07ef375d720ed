"""What checks assert of an answer about a recorded graph: its leaves, its operations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from grader.checking.assertions import type_text
from grader.checking.failure import Failure
from grader.observation import Observation, Unordered
from grader.student.answers import equal
from grader.student.computed import Computed
from grader.student.worker.graph import recorded_graph

COLLECTS = "AccumulateGrad"


def leaves_behind(output: Computed) -> list[Computed]:
    """The leaves that a path of the recorded graph leads to, in the order of `output.leaves`."""
    known = output.leaves
    nodes = recorded_graph([output.tensor], [one.tensor for one in known])
    reached = {node.leaf for node in nodes}
    return [one for place, one in enumerate(known) if place in reached]


def operations_behind(output: Computed) -> list[str]:
    """The names of the recorded operations, each once, without the digit at their end."""
    nodes = recorded_graph([output.tensor], [])
    names = [node.name for node in nodes if not node.name.endswith(COLLECTS)]
    return list(dict.fromkeys(name[:-1] if name[-1:].isdigit() else name for name in names))


def items_of(returned: Any) -> Sequence[Any] | None:
    """The items of a list, a tuple or a set."""
    if isinstance(returned, Unordered):
        return returned.items
    return returned if isinstance(returned, list | tuple) else None


def assert_leaves_behind(record: Observation, output: Computed) -> None:
    """What was returned are the caller's own leaves behind `output`, each once, in any order.

    Raises Failure of kind type or "leaves".
    """
    items = _items(record)
    tensors = record.tensors
    for item in items:
        if not any(item is tensor for tensor in tensors):
            raise Failure(
                "type", f"tensors were due, {type_text(item)} is among them",
                {"got": type_text(item)}, record.returned, observation=record,
            )  # fmt: skip
    known = output.leaves
    due = {known.index(one): one.name for one in leaves_behind(output)}
    times = Counter(
        place if place in due and equal(known[place].tensor, tensor) else -1
        for place, tensor in zip(record.own, tensors, strict=True)
    )
    names = list(due.values())
    evidence: dict[str, Any] = {
        "expected": names,
        "missing": [name for place, name in due.items() if not times[place]],
        "repeated": [name for place, name in due.items() if times[place] > 1],
        "others": times[-1],
        "returned": len(items),
    }
    if evidence["missing"] or evidence["repeated"] or evidence["others"]:
        raise Failure(
            "leaves", _about_leaves(evidence), evidence, record.returned, observation=record
        )


def _about_leaves(evidence: dict[str, Any]) -> str:
    one = len(evidence["expected"]) == 1
    parts = [f"the {'leaf is' if one else 'leaves are'} {_listed(evidence['expected'])}"]
    if evidence["missing"]:
        parts.append(f"{_listed(evidence['missing'])} did not come back")
    if evidence["repeated"]:
        parts.append(f"{_listed(evidence['repeated'])} came back more than once")
    if evidence["others"]:
        one = evidence["others"] == 1
        parts.append(
            f"{evidence['others']} of what came back {'is' if one else 'are'} none of them"
        )
    return "; ".join(parts)


def assert_operations_behind(record: Observation, output: Computed) -> None:
    """What was returned are the names of the operations behind `output`, each once.

    Raises Failure of kind type or "operations".
    """
    items = _items(record)
    for item in items:
        if not isinstance(item, str):
            raise Failure(
                "type", f"strings were due, {type_text(item)} is among them",
                {"got": type_text(item)}, record.returned, observation=record,
            )  # fmt: skip
    due = operations_behind(output)
    # Where an object lies in memory is another place each time.
    times = Counter(re.sub(r" at 0x[0-9a-f]+", "", item) for item in items)
    evidence = {
        "expected": sorted(due),
        "missing": sorted(name for name in due if not times[name]),
        "repeated": sorted(name for name in due if times[name] > 1),
        "others": sorted(name for name in times if name not in due),
    }
    if evidence["missing"] or evidence["repeated"] or evidence["others"]:
        raise Failure(
            "operations", _about_names(evidence), evidence, record.returned, observation=record
        )


def _about_names(evidence: dict[str, list[str]]) -> str:
    parts = [
        (evidence["missing"], "is missing", "are missing"),
        (evidence["repeated"], "came back more than once", "came back more than once"),
        (evidence["others"], "is none of the names", "are none of the names"),
    ]
    return "; ".join(
        f"{_listed([repr(name[:40]) for name in names[:4]])} {one if len(names) == 1 else many}"
        for names, one, many in parts
        if names
    )


def _items(record: Observation) -> Sequence[Any]:
    items = items_of(record.returned)
    if items is None:
        got = type_text(record.returned)
        raise Failure(
            "type", f"a list was due, {got} came back", {"got": got}, record.returned,
            observation=record,
        )  # fmt: skip
    return items


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
