"""Arguments with a history, what comes back of the caller's own, arrays and sets: in a worker."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from grader.assignment import Limits
from grader.checking.failure import Failure
from grader.checking.inspected import (
    assert_leaves_behind,
    assert_operations_behind,
    leaves_behind,
    operations_behind,
)
from grader.checking.recorded import assert_data, assert_numbers, assert_own_memory
from grader.observation import Opaque, Origin, Unordered
from grader.student.answers import origins_of
from grader.student.backend import WorkerBackend
from grader.student.computed import Computed, computed, leaf
from grader.student.isolation import starter
from grader.student.proxy import Student
from grader.student.worker import messages as m

SOURCE = """
import numpy as np
import torch

def same(*things):
    return list(things)

def walk(output):
    found, seen, waiting = [], set(), [output.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        waiting += [inner for inner, _ in node.next_functions]
    return found

def names(output):
    return {type(output.grad_fn).__name__[:-1], "MeanBackward", "MulBackward"}

def twice(output):
    return walk(output) * 2

def copies(output):
    return tuple(one.clone() for one in walk(output))

def facts(output):
    return [output.requires_grad, output.is_leaf, output.grad_fn.name(), output.tolist()]

def overwrite(array):
    array[0] = 7
    return float(array.sum())

def view(thing):
    return torch.as_tensor(thing)[1:]

def fresh(thing):
    return torch.tensor(thing.tolist())

def a_set():
    return {1.5, "b", (2, 3)}

def graded(thing):
    return torch.ones(2, requires_grad=True)
"""


@pytest.fixture(scope="module")
def student() -> Iterator[Student]:
    load = m.Load(cells=[m.Cell("given.py", SOURCE)])
    with starter("process", Limits(), warm=False) as start:
        made = Student(WorkerBackend(start, load))
        yield made
        made.close()


def board() -> Computed:
    a = leaf("a", torch.tensor([1.0, 2.0, 3.0]))
    return computed("add", a, computed("mean", computed("mul", a, 2)))


def test_a_computed_argument_has_its_graph_in_the_worker(student: Student) -> None:
    output = board()
    assert output.tensor.tolist() == [5.0, 6.0, 7.0]
    record = student.run("facts", [output])
    assert record.returned == [True, False, "AddBackward0", [5.0, 6.0, 7.0]]
    assert [argument.is_leaf for argument in record.arguments] == [True, False]


def test_the_callers_own_leaves_are_told_from_copies(student: Student) -> None:
    record = student.run("walk", [board()])
    assert record.own == [0]
    assert_leaves_behind(record, board_of(record.args[0]))
    copied = student.run("copies", [board()])
    assert copied.own == [-1]
    with pytest.raises(Failure, match="a did not come back; 1 of what came back is none"):
        assert_leaves_behind(copied, board_of(copied.args[0]))
    repeated = student.run("twice", [board()])
    with pytest.raises(Failure, match="a came back more than once"):
        assert_leaves_behind(repeated, board_of(repeated.args[0]))


def board_of(argument: object) -> Computed:
    assert isinstance(argument, Computed)
    return argument


def test_names_in_a_set(student: Student) -> None:
    record = student.run("names", [board()])
    assert isinstance(record.returned, Unordered)
    assert_operations_behind(record, board_of(record.args[0]))
    with pytest.raises(Failure, match="'MeanBackward' and 'MulBackward' are none of the names"):
        assert_operations_behind(record, computed("add", leaf("p", torch.ones(2)), 1))


def test_what_lies_behind_a_cut_is_not_behind_the_output() -> None:
    p, q = leaf("p", torch.ones(2)), leaf("q", torch.ones(2))
    output = computed("log2", computed("add", computed("detach", computed("exp", p)), q))
    assert [one.name for one in output.leaves] == ["p", "q"]
    assert [one.name for one in leaves_behind(output)] == ["q"]
    assert operations_behind(output) == ["Log2Backward", "AddBackward"]


def test_a_computed_argument_survives_being_recorded(student: Student) -> None:
    """As it does where a check's answers are recalled."""
    student.begin("recorded")
    record = student.run("walk", [board()])
    again = student.recorded(student.exchanges[-1])
    argument = board_of(again.args[0])
    assert [one.name for one in argument.leaves] == ["a"]
    assert torch.equal(argument.tensor, board_of(record.args[0]).tensor)
    assert again.own == record.own == [0]
    assert student.run("walk", again.args).own == [0]


def test_code_that_computes_it() -> None:
    lines = board().code("d")
    known: dict[str, torch.Tensor] = {}
    exec("import torch\n" + "\n".join(lines), known)
    assert known["d"].tolist() == [5.0, 6.0, 7.0]
    assert lines[0] == "a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)"


def test_only_operations_of_the_table() -> None:
    with pytest.raises(KeyError):
        computed("system", leaf("a", torch.ones(1)))


def test_the_same_objects_and_the_same_memory(student: Student) -> None:
    record = student.run("same", [torch.ones(2), torch.zeros(3)])
    assert record.own == [0, 1]
    with pytest.raises(Failure, match="memory of what was passed in"):
        assert_own_memory(record)
    array = np.arange(4, dtype=np.float32)
    record = student.run("view", [array])
    assert record.own == [-1]
    assert record.origins == (Origin(0, -1, 0),)
    with pytest.raises(Failure) as caught:
        assert_own_memory(record)
    assert caught.value.evidence == {"array": 0}
    assert_own_memory(student.run("fresh", [array]))
    # Tensors are counted before arrays.
    record = student.run("same", [array, torch.ones(2)])
    assert [origin.argument for origin in record.origins] == [0]


def test_an_array_that_was_changed(student: Student) -> None:
    array = np.arange(3.0)
    record = student.run("overwrite", [array])
    assert record.returned == 10.0
    assert array.tolist() == [0.0, 1.0, 2.0]
    assert [one.changed for one in record.arrays] == [True]
    assert record.arrays[0].after.tolist() == [7.0, 1.0, 2.0]
    assert not student.run("fresh", [array]).arrays[0].changed


def test_a_set_is_no_list(student: Student) -> None:
    returned = student.run("a_set", []).returned
    assert isinstance(returned, Opaque)
    assert not isinstance(returned, list | tuple)
    assert returned.type_name == "set"
    assert set(returned.items) == {1.5, "b", (2, 3)}
    with pytest.raises(Failure, match="a set came back"):
        assert_numbers(student.run("a_set", []), [1.0, 2.0, 3.0])


def test_data_that_requires_grad(student: Student) -> None:
    with pytest.raises(Failure, match="requires_grad is True"):
        assert_data(student.run("graded", [np.ones(2)]))


@pytest.mark.parametrize("origin", [(5, 0, -1), (-1, 0, -1), (0, 2, -1), (0, -1, 3), (0, -9, -1)])
def test_origins_of_what_there_is_not_are_dropped(origin: tuple[int, int, int]) -> None:
    answer = m.Answer("1", origins=[Origin(*origin), Origin(0, 1, 2)])
    assert origins_of(answer, returned=1, tensors=2, arrays=1) == (Origin(0, 1, 2),)
