"""A worker may answer anything about its objects: what is no answer is seen as none."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
import torch

from grader.errors import StudentError
from grader.student.handles import Handle, sequential
from grader.student.proxy import Student
from grader.student.worker import messages as m
from grader.student.worker.module_records import ModuleFacts, encode_modules
from grader.student.worker.values import plain_tensor

ONES = plain_tensor(torch.ones(2, 2))


class Liar:
    """A backend that answers every call in one way."""

    isolation = "none"

    def __init__(self, answer: Callable[[m.Call], m.Answer]) -> None:
        self._answer = answer

    def load(self) -> m.Loaded:
        return m.Loaded([])

    def call(self, request: m.Call) -> m.Answer:
        return self._answer(request)

    def backward(self, request: m.Backward) -> m.Gradients:
        return m.Gradients(request.id)

    def record(self, request: m.Record) -> m.Recorded:
        return m.Recorded(request.id)

    def close(self) -> None:
        pass


def honest(request: m.Call) -> m.Answer:
    handle = m.HandleValue(f"{request.id}:0", "torch.nn.modules.linear.Linear")
    facts = ModuleFacts(handle.id, [("", handle.type_name)], ["weight"], [], [ONES])
    return m.Answer(request.id, handle, modules=encode_modules([facts]))


def changed(**fields: object) -> Callable[[m.Call], m.Answer]:
    def answer(request: m.Call) -> m.Answer:
        return msgspec.structs.replace(honest(request), **fields)

    return answer


def facts(**fields: object) -> Callable[[m.Call], m.Answer]:
    def answer(request: m.Call) -> m.Answer:
        given = {
            "handle": f"{request.id}:0",
            "layers": [],
            "names": ["weight"],
            "before": [],
            "after": [ONES],
        } | fields
        return msgspec.structs.replace(
            honest(request),
            modules=encode_modules([ModuleFacts(**given)]),
        )

    return answer


def outcome(answer: Callable[[m.Call], m.Answer]) -> str:
    record = Student(Liar(answer)).run("make", [3])
    return record.raised.type if record.raised is not None else ""


def test_an_honest_answer_passes() -> None:
    record = Student(Liar(honest)).run("make", [3])
    assert isinstance(record.returned, Handle)
    assert record.module(record.returned).names == ("weight",)


SHORT = msgspec.structs.replace(ONES, data=b"1")
BAD_GRADIENT = msgspec.structs.replace(ONES, grad=msgspec.structs.replace(ONES, dtype="object"))


@pytest.mark.parametrize(
    "answer",
    [
        changed(returned=m.HandleValue("another#1:0", "x")),
        changed(returned=m.HandleValue("", "x")),
        changed(returned=m.ListValue([m.HandleValue("other#9:1", "x")])),
        changed(modules=b"\x93"),
        changed(modules=b"\xff" * 100),
        changed(modules=msgspec.msgpack.encode({"a": 1})),
        changed(modules=msgspec.msgpack.encode([[1, 2, 3]])),
        changed(modules=b"\xdd\x7f\xff\xff\xff" + b"\x90" * 600_000),
        facts(names=["weight", "bias"]),
        facts(before=[ONES, ONES]),
        facts(after=[SHORT]),
        facts(after=[BAD_GRADIENT]),
        facts(after=[msgspec.structs.replace(ONES, shape=(-1, -4))]),
        facts(after=[msgspec.structs.replace(ONES, dtype="quint8")]),
    ],
    ids=lambda answer: "",
)
def test_what_contradicts_itself_is_no_answer(answer: Callable[[m.Call], m.Answer]) -> None:
    assert outcome(answer) == "Garbled"


def test_long_names_are_cut_and_lies_about_change_are_seen_through() -> None:
    other = plain_tensor(torch.zeros(2, 2))
    record = Student(
        Liar(facts(names=["n" * 10_000], layers=[("l" * 999, "t" * 999)], before=[other]))
    ).run("make", [3])
    (seen,) = record.modules
    assert len(seen.names[0]) == 200
    assert len(seen.layers[0].name) == len(seen.type_name) == 200
    assert seen.moved == seen.names  # by its values


def test_a_model_that_was_not_made_is_an_error_of_the_submissions() -> None:
    with pytest.raises(StudentError, match="no object came back"):
        sequential(Student(Liar(changed(returned=None, modules=b""))), [("ReLU",)], [])


def test_looking_into_what_is_told_to_be_no_module() -> None:
    student = Student(Liar(honest))
    model = student.make(3)
    # The next answers are about another handle than the one that was asked about.
    with pytest.raises(StudentError, match="nothing was told"):
        model.seen()
