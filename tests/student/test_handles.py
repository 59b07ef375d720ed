"""Handles: modules, losses and optimizers that stay in the worker and are passed around."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
import torch
from student_workers import FILE, Running, line_of, running
from torch import nn

from grader.errors import HandleLost, StudentError
from grader.observed_modules import Arrival, OptimizerStep
from grader.student.handles import Handle, optimizer, sequential
from grader.student.in_process import InProcessBackend
from grader.student.launch import WorkerProcess
from grader.student.proxy import Student
from grader.student.worker import messages as m

SOURCE = """
import copy, functools, os
import torch
from torch import nn

def make(hidden):
    return nn.Sequential(nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, 1))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 1)
        self.scale = nn.Parameter(torch.ones(1), requires_grad=False)
    def forward(self, x):
        if len(x) == 13:
            raise ValueError("thirteen")
        return self.inner(x) * self.scale

def net():
    return Net()

def several():
    return [make(2), "text", (nn.MSELoss(), torch.relu)]

def parts():
    return functools.partial(torch.add, other=1), Net, len

def train(model, X, y, lr):
    moving = torch.optim.SGD(model.parameters(), lr=lr)
    for i in range(len(X)):
        moving.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(model(X[i:i + 1]), y[i:i + 1]).backward()
        moving.step()

def never_reset(model, X):
    moving = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        model.forward(X).sum().backward()
        moving.step()

def asks(model, X):
    with torch.no_grad():
        model(X)
    copy.deepcopy(model)(X[:1])
    model[:1](X)
    return model(X[0])

def freezes(model):
    model.requires_grad_(False)
    model.eval()

def replaces(model):
    model[0].weight.data = torch.zeros(7, 2)

def same(model):
    return model

def die():
    os._exit(3)
"""

LAYERS = [("Linear", 2, 3), ("ReLU",), ("Linear", 3, 1)]


def weights(seed: int = 0) -> list[torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    return [torch.randn(s, generator=draw) for s in ((3, 2), (3,), (1, 3), (1,))]


def network(x: torch.Tensor, values: Sequence[torch.Tensor]) -> torch.Tensor:
    first, bias, last, end = values
    return (x @ first.T + bias).clamp(min=0) @ last.T + end


@pytest.fixture
def student() -> Iterator[Student]:
    backend = InProcessBackend(m.Load([m.Cell(FILE, SOURCE)]))
    yield Student(backend)
    backend.close()


@pytest.fixture(scope="module")
def run() -> Iterator[Running]:
    with running(WorkerProcess, SOURCE, call_seconds=2.0) as started:
        yield started


# A module of the student's


def test_a_module_is_called_and_gradients_flow_through_it(student: Student) -> None:
    model = student.make(3)
    values = list(model.parameters().values())
    x = torch.randn(4, 2, requires_grad=True)
    mine = x.detach().clone().requires_grad_()
    out, due = model(x), network(mine, values)
    assert torch.allclose(out, due)
    out.square().sum().backward()
    due.square().sum().backward()
    assert x.grad is not None
    assert torch.allclose(x.grad, mine.grad)
    assert torch.autograd.gradcheck(
        lambda z: model.with_parameters({k: v.double() for k, v in model.parameters().items()}, z),
        (torch.randn(3, 2, dtype=torch.float64, requires_grad=True),),
        fast_mode=True,
    )


def test_gradients_flow_to_parameters_that_stand_in(student: Student) -> None:
    model = student.make(3)
    names = list(model.parameters())
    values = [w.requires_grad_() for w in weights()]
    mine = [w.detach().clone().requires_grad_() for w in values]
    x = torch.randn(4, 2)
    before = model.parameters()
    model.with_parameters(dict(zip(names, values, strict=True)), x).sum().backward()
    network(x, mine).sum().backward()
    assert all(torch.allclose(a.grad, b.grad) for a, b in zip(values, mine, strict=True))
    assert all(torch.equal(before[name], value) for name, value in model.parameters().items())


def test_what_a_module_is_made_of(student: Student) -> None:
    record = student.run("net", [])
    model = record.returned
    assert isinstance(model, Handle)
    assert model.origin == "net"
    seen = record.module(model)
    assert seen is not None
    assert seen.type_name == "submission.Net"
    assert [(layer.name, layer.kind) for layer in seen.layers] == [("", "Net"), ("inner", "Linear")]
    shapes = {n: tuple(p.after.shape) for n, p in zip(seen.names, seen.parameters, strict=True)}
    assert shapes == {"scale": (1,), "inner.weight": (1, 2), "inner.bias": (1,)}
    tracked = dict(zip(seen.names, [p.requires_grad for p in seen.parameters], strict=True))
    assert tracked == {"scale": False, "inner.weight": True, "inner.bias": True}
    assert all(p.is_leaf for p in seen.parameters)
    assert seen.training
    assert not seen.given


def test_setting_parameters(student: Student) -> None:
    model = student.make(3)
    model.set_parameters(weights())
    assert all(map(torch.equal, model.parameters().values(), weights()))
    x = torch.randn(5, 2)
    assert torch.allclose(model(x), network(x, weights()))
    with pytest.raises(StudentError, match="other shapes"):
        model.set_parameters(weights()[:2])


def test_an_error_inside_of_a_module_has_the_students_line(student: Student) -> None:
    with pytest.raises(StudentError) as raised:
        student.net()(torch.zeros(13, 2))
    found = raised.value.observation.raised
    assert found is not None
    assert (found.type, found.frames[-1].line) == ("ValueError", line_of(SOURCE, "thirteen"))


def test_methods(student: Student) -> None:
    model = student.make(3)
    model.do("eval")
    assert not model.seen().training
    moving = optimizer(student, "SGD", model, 0.5)
    record = student.run("handle.call", [model, torch.ones(1, 2)])
    assert moving.type_name.endswith(".SGD")
    before = model.parameters()
    moving.do("step")  # no gradient yet
    assert all(torch.equal(before[n], p) for n, p in model.parameters().items())
    assert record.raised is None
    with pytest.raises(StudentError, match="no method"):
        model.do("load_state_dict", {})


def test_handles_in_lists_and_of_other_things(student: Student) -> None:
    first, text, (loss, function) = student.several()
    assert text == "text"
    assert len(first.parameters()) == 4
    assert loss(torch.ones(2), torch.zeros(2)).item() == 1.0
    assert function(torch.tensor([-1.0, 2.0])).tolist() == [0.0, 2.0]
    added, kind, length = student.parts()
    assert added(torch.ones(2)).tolist() == [2.0, 2.0]
    assert kind.type_name == "type"
    assert length([1, 2, 3]) == 3
    with pytest.raises(StudentError, match="nothing was told of a module"):
        added.seen()


def test_the_same_object_may_come_back_under_another_handle(student: Student) -> None:
    model = student.make(2)
    again = student.same(model)
    again.set_parameters([p * 0 for p in again.parameters().values()])
    assert all(bool((p == 0).all()) for p in model.parameters().values())


# A module of the check's own


def test_a_check_makes_a_model_and_sees_what_becomes_of_it(student: Student) -> None:
    model = sequential(student, LAYERS, weights())
    X, y = torch.rand(3, 2), torch.tensor([[1.0], [0.0], [1.0]])
    record = student.observe.train(model, X, y, 0.3)
    seen = record.module(model)
    assert seen is not None
    assert seen.given
    assert seen.names == ("0.weight", "0.bias", "2.weight", "2.bias")
    assert all(map(torch.equal, seen.before, weights()))
    expected = [w.requires_grad_() for w in weights()]
    for i in range(3):
        cost = nn.functional.binary_cross_entropy_with_logits(
            network(X[i : i + 1], expected), y[i : i + 1]
        )
        slopes = torch.autograd.grad(cost, expected)
        expected = [
            (w - 0.3 * g).detach().requires_grad_() for w, g in zip(expected, slopes, strict=True)
        ]
    assert all(map(torch.allclose, seen.after, expected))
    assert [(one.shape, one.grad_mode, one.tracked, one.own) for one in seen.passes] == [
        ((1, 2), True, True, True)
    ] * 3
    assert {(one.filename, one.line) for one in seen.passes} == {
        (FILE, line_of(SOURCE, "model(X[i:i + 1])"))
    }
    assert seen.untracked == ()
    # The replica is the model as it was made, wherever training has gone.
    assert model.blueprint is not None
    assert torch.allclose(model.blueprint.build()(X), network(X, weights()))


def test_copies_slices_and_unrecorded_calls_are_told_apart(student: Student) -> None:
    model = sequential(student, LAYERS, weights())
    record = student.observe.asks(model, torch.rand(4, 2))
    seen = record.module(model)
    assert seen is not None
    assert [(one.shape, one.tracked, one.own) for one in seen.passes] == [
        ((4, 2), False, True),
        ((1, 2), True, False),
        ((2,), True, True),
    ]
    # Only what this call did.
    record = student.observe.asks(model, torch.rand(2, 2))
    assert [one.shape for one in record.module(model).passes] == [(2, 2), (1, 2), (2,)]


def test_gradients_and_steps_are_followed(student: Student) -> None:
    model = sequential(student, LAYERS, weights(), steps=True)
    X = torch.rand(5, 2)
    seen = student.observe.never_reset(model, X).module(model)
    kinds = [type(event).__name__ for event in seen.events]
    assert kinds == ["Pass", *["Arrival"] * 4, "OptimizerStep"] * 2
    last = [event for event in seen.events if isinstance(event, Arrival)][-4:]
    bias = next(event for event in last if event.parameter == 3)
    assert torch.frombuffer(bytearray(bias.fresh.data), dtype=torch.float32).item() == 5.0
    assert torch.frombuffer(bytearray(bias.total.data), dtype=torch.float32).item() == 10.0
    step = next(event for event in seen.events if isinstance(event, OptimizerStep))
    assert (step.kind, step.own, step.others, step.lr) == ("SGD", 4, 0, pytest.approx(0.1))
    assert len(seen.passes[0].parameters) == 4


def test_what_a_call_leaves_of_a_model(student: Student) -> None:
    model = sequential(student, LAYERS, weights())
    seen = student.observe.freezes(model).module(model)
    assert seen.moved == ()
    assert seen.untracked == seen.names
    assert (seen.training_before, seen.training) == (True, False)
    model = sequential(student, LAYERS, weights())
    seen = student.observe.replaces(model).module(model)
    assert seen.moved == ("0.weight",)
    assert tuple(seen.after[0].shape) == (7, 2)


def test_only_known_layers(student: Student) -> None:
    with pytest.raises(StudentError, match="KeyError"):
        sequential(student, [("Bilinear", 1, 1, 1)], [])


def test_another_workers_object_is_lost_here(student: Student) -> None:
    other = Student(InProcessBackend(m.Load([m.Cell(FILE, SOURCE)])))
    theirs, mine = other.make(2), student.make(2)
    assert theirs.id == mine.id
    with pytest.raises(HandleLost):
        student.train(theirs, torch.rand(1, 2), torch.ones(1, 1), 0.1)
    student.train(mine, torch.rand(1, 2), torch.ones(1, 1), 0.1)


def test_a_record_made_of_what_was_exchanged(student: Student) -> None:
    model = sequential(student, LAYERS, weights())
    student.asks(model, torch.rand(4, 2))
    made, asked = (student.recorded(exchange) for exchange in student.exchanges)
    assert isinstance(made.returned, Handle)
    assert asked.args[0].id == made.returned.id
    assert asked.args[0].blueprint is not None
    assert len(asked.modules[0].passes) == 3


# In a process


def test_the_same_in_a_process(run: Running) -> None:
    model = sequential(run.student, LAYERS, weights())
    X = torch.rand(3, 2, requires_grad=True)
    model(X).sum().backward()
    assert X.grad is not None
    record = run.student.run("train", [model, X.detach(), torch.ones(3, 1), 0.1])
    assert record.raised is None
    assert len(record.modules[0].moved) == 4
    assert run.student.make(4)(torch.rand(2, 2)).shape == (2, 1)


def test_handles_do_not_survive_their_worker(run: Running) -> None:
    model = run.student.make(3)
    made = sequential(run.student, LAYERS, weights())
    with pytest.raises(StudentError):
        run.student.die()
    for handle in (model, made):
        with pytest.raises(HandleLost, match="has ended"):
            handle(torch.rand(1, 2))
        with pytest.raises(HandleLost):
            handle.parameters()
    record = run.student.run("train", [made, torch.rand(1, 2), torch.ones(1, 1), 0.1])
    assert record.raised is not None
    assert record.raised.type == "HandleLost"
    assert record.stopped
    # And a new worker knows none of the old ones, even if it has made as many objects itself.
    again = run.student.make(3)
    assert again(torch.rand(1, 2)).shape == (1, 1)
    with pytest.raises(HandleLost):
        model(torch.rand(1, 2))


def test_a_stand_in_gives_objects_as_well() -> None:
    library = "from torch import nn\n\ndef make(hidden):\n    return nn.Linear(2, hidden)\n"
    source = "def make(hidden):\n    return None\n\ndef wrapped(hidden):\n    return make(hidden)\n"
    load = m.Load([m.Cell(FILE, source)], stand_ins=["make"], library=library)
    student = Student(InProcessBackend(load))
    model = student.wrapped(5)
    assert model.type_name == "torch.nn.modules.linear.Linear"
    assert model(torch.rand(3, 2)).shape == (3, 5)


def test_a_handle_says_what_it_is(student: Student) -> None:
    text = repr(student.make(2))
    assert "Sequential" in text
    assert "backend" not in text
