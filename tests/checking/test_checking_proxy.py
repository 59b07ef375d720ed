"""A submission's functions as the checks see them: real tensors, and a backward that asks it."""

from __future__ import annotations

import random

import pytest
import torch
from checking_students import here, in_worker

from grader.errors import GraderFailed, StudentError
from grader.observation import Opaque

X = torch.tensor([[0.5, -1.5], [2.0, -0.25]])

ACTIVATIONS = """
    def square(x):
        return x * x

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x
        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x

    def wrong(x):
        return Wrong.apply(x)

    def two(x, y):
        return x * y, (x + y).sum()

    def raising(x):
        raise RuntimeError("a RuntimeError of the student's own")

    class Late(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2
        @staticmethod
        def backward(ctx, grad):
            raise RuntimeError("on the way back")

    def late(x):
        return Late.apply(x)

    def facts(x):
        return x.is_leaf, x.requires_grad, x._is_view(), str(x.dtype), tuple(x.shape)

    def in_place(x):
        x += 1
        return x

    def cut(x):
        return x.detach() * 2

    def forced(x):
        return (x.detach() * 2).requires_grad_()
"""


@pytest.fixture(params=["here", "in a worker"])
def student(request, start):
    running = here(ACTIVATIONS) if request.param == "here" else in_worker(start, ACTIVATIONS)
    with running as student:
        yield student


def leaf(tensor: torch.Tensor = X, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return tensor.to(dtype, copy=True).requires_grad_()


def test_values_and_gradients_are_the_functions(student):
    x = leaf()
    out = student.square(x)
    assert torch.equal(out, x.detach() ** 2)
    assert out.requires_grad
    (2 * out).sum().backward()
    assert torch.equal(x.grad, 4 * x.detach())


@pytest.mark.parametrize("fast", [True, False])
def test_gradcheck_judges_the_students_own_backward(student, fast):
    assert torch.autograd.gradcheck(student.square, (leaf(),), fast_mode=fast)
    assert not torch.autograd.gradcheck(
        student.wrong, (leaf(),), fast_mode=fast, raise_exception=False
    )


def test_the_worker_and_this_process_give_the_same(start):
    found = []
    for running in (here(ACTIVATIONS), in_worker(start, ACTIVATIONS)):
        with running as student:
            x, y = leaf(), leaf(X + 1)
            product, total = student.two(x, y)
            gradients = torch.autograd.grad(
                [product, total], [x, y], [torch.ones_like(product), torch.tensor(3.0).double()]
            )
            found.append([product.detach(), total.detach(), *gradients])
    for a, b in zip(*found, strict=True):
        assert torch.equal(a, b)
        assert a.dtype == b.dtype


def test_one_of_two_outputs_may_be_left_alone(student):
    x, y = leaf(), leaf(X + 1)
    _, total = student.two(x, y)
    gradients = torch.autograd.grad(total, [x, y])
    assert [g.unique().tolist() for g in gradients] == [[1.0], [1.0]]


def test_a_second_derivative_gets_a_clear_message(student):
    x = leaf()
    (first,) = torch.autograd.grad(student.square(x).sum(), x, create_graph=True)
    with pytest.raises(GraderFailed, match="differentiates twice"):
        first.sum().backward()


def test_a_students_error_is_not_swallowed_by_gradcheck(student):
    assert not issubclass(StudentError, RuntimeError)
    for function in (student.raising, student.late):
        with pytest.raises(StudentError):
            torch.autograd.gradcheck(function, (leaf(),), raise_exception=False)


def test_an_error_carries_its_record(student):
    with pytest.raises(StudentError) as caught:
        student.raising(X)
    raised = caught.value.observation.raised
    assert raised is not None
    assert (raised.type, "RuntimeError" in raised.families) == ("RuntimeError", True)
    assert raised.message == "a RuntimeError of the student's own"
    assert [frame.function for frame in raised.frames] == ["raising"]
    assert caught.value.observation.function == "raising"


def test_an_error_on_the_way_back_is_kept_with_the_call_that_made_the_graph(student):
    x = leaf()
    record = student.observe.late(x)
    with pytest.raises(StudentError, match="on the way back"):
        record.returned.sum().backward()
    assert [raised.message for raised in record.backward_raised] == ["on the way back"]


def test_a_record_of_what_raised_is_had_without_an_exception(student):
    record = student.run("raising", [X])
    assert record.raised is not None
    assert student.calls[-1] is record
    missing = student.run("no_such_function", [X])
    assert missing.raised is not None
    assert missing.raised.type == "MissingFunction"


def test_a_leaf_arrives_as_a_leaf_and_another_as_none(student):
    x = leaf(dtype=torch.float32)
    assert student.facts(x) == (True, True, False, "torch.float32", (2, 2))
    assert student.facts(x * 2)[:2] == (False, True)
    assert student.facts(X) == (True, False, False, "torch.float32", (2, 2))
    with torch.no_grad():
        assert student.facts(x)[:2] == (True, True)


def test_gradients_flow_through_an_argument_that_was_computed(student):
    x = leaf()
    out = student.square(torch.exp(x))
    (found,) = torch.autograd.grad(out.sum(), x)
    torch.testing.assert_close(found, 2 * torch.exp(2 * x.detach()))


def test_a_view_arrives_as_a_tensor_of_its_own(student):
    base = leaf()
    row = base[0]
    assert student.facts(row) == (False, True, False, "torch.float64", (2,))
    (found,) = torch.autograd.grad(student.square(row).sum(), base)
    assert torch.equal(found, torch.tensor([[1.0, -3.0], [0.0, 0.0]]).double())
    plain = torch.zeros(2, 2)
    record = student.observe.in_place(plain[0])
    assert record.arguments[0].changed
    assert torch.equal(record.arguments[0].after, torch.ones(2))
    # The caller's own is never touched.
    assert torch.equal(plain, torch.zeros(2, 2))


def test_a_leaf_refuses_what_is_done_in_place_as_it_does_anywhere(student):
    record = student.run("in_place", [leaf()])
    assert record.raised is not None
    x = leaf()
    with pytest.raises(RuntimeError) as caught:
        x += 1
    assert record.raised.message == str(caught.value)


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.bool]
)
def test_dtypes_and_shapes_are_kept(dtype, student):
    for shape in ((2, 2), (1, 4), (4,), (2, 0)):
        x = torch.ones(shape).to(dtype)
        if dtype is torch.bool:
            assert student.facts(x)[3:] == ("torch.bool", shape)
            continue
        out = student.square(x)
        assert (out.dtype, out.shape, out.requires_grad) == (dtype, x.shape, False)
        assert out.tolist() == x.tolist()
    scalar = student.square(torch.tensor(3).to(dtype)) if dtype is not torch.bool else None
    assert scalar is None or (scalar.shape, scalar.item()) == ((), 9)


def test_a_cut_graph_is_seen(student):
    assert not student.cut(leaf()).requires_grad
    out = student.forced(leaf())
    assert out.requires_grad
    x = leaf()
    (found,) = torch.autograd.grad(student.forced(x).sum(), x, allow_unused=True)
    assert found is None


KEEPS = """
    seen = []

    def keep(params, lr):
        seen.append(params[0])
        with torch.no_grad():
            params[0] -= lr
        return len(seen) > 1 and seen[-1] is seen[-2], params[0].sum().item()

    def momentum(params, lr):
        p = params[0]
        p.velocity = getattr(p, "velocity", 0) + 1
        return p.velocity
"""


@pytest.mark.parametrize("where", ["here", "in a worker"])
def test_again_gives_the_same_objects_with_new_values(where, start):
    with here(KEEPS) if where == "here" else in_worker(start, KEEPS) as student:
        first = student.observe.keep([leaf()], 0.5)
        assert first.returned[0] is False
        assert torch.equal(first.arguments[0].after, leaf().detach() - 0.5)
        second = student.observe.again(first).keep([leaf(torch.ones(2, 2))], 1.0)
        assert second.returned == (True, 0.0)
        assert torch.equal(second.arguments[0].before, torch.ones(2, 2).double())
        assert student.observe.keep([leaf()], 0.5).returned[0] is False
        one = student.observe.momentum([leaf()], 0.5)
        assert one.returned == 1
        assert student.observe.again(one).momentum([leaf()], 0.5).returned == 2
        assert student.observe.momentum([leaf()], 0.5).returned == 1


SETTINGS = """
    import random
    import warnings
    import numpy

    def spoil():
        torch.set_grad_enabled(False)
        torch.set_default_dtype(torch.float64)
        torch.set_printoptions(precision=1, sci_mode=True)
        torch.autograd.set_detect_anomaly(True)
        torch.use_deterministic_algorithms(True)
        warnings.simplefilter("error")
        torch.manual_seed(0)
        random.seed(0)
        numpy.random.seed(0)

    def state():
        return (
            torch.is_grad_enabled(), str(torch.get_default_dtype()), torch.is_anomaly_enabled(),
            torch.are_deterministic_algorithms_enabled(),
        )

    def printed():
        return str(torch.tensor([0.123456, 100.0]))

    def warns():
        warnings.warn("look out")
        return 1

    def draws():
        return (
            float(torch.rand(1)), random.random(), float(numpy.random.rand()),
        )
"""


@pytest.fixture(params=["here", "in a worker"])
def spoiled(request, start):
    """After a call that changed every setting there is."""
    before = torch.get_default_dtype(), random.getstate(), torch.get_rng_state()
    running = here(SETTINGS) if request.param == "here" else in_worker(start, SETTINGS)
    with running as student:
        student.spoil()
        yield student
    torch.set_grad_enabled(True)
    torch.set_default_dtype(before[0])
    torch.autograd.set_detect_anomaly(False)
    torch.use_deterministic_algorithms(False)
    torch.set_printoptions(profile="default")
    random.setstate(before[1])
    torch.set_rng_state(before[2])


def test_settings_do_not_reach_the_next_call(spoiled):
    assert spoiled.state() == (True, "torch.float32", False, False)


def test_print_options_do_not_reach_the_next_call(spoiled):
    assert spoiled.printed() == "tensor([  0.1235, 100.0000])"


def test_warning_filters_do_not_reach_the_next_call(start):
    """In a worker: here, an author's own filters are to hold."""
    with in_worker(start, SETTINGS) as student:
        student.spoil()
        for _ in range(2):
            record = student.observe.warns()
            assert record.returned == 1
            assert [warned.message for warned in record.warnings] == ["look out"]


def test_draws_depend_on_the_call_alone(spoiled):
    spoiled.begin("check")
    first, second = spoiled.draws(), spoiled.draws()
    assert all(a != b for a, b in zip(first, second, strict=True))
    spoiled.spoil()
    spoiled.begin("check")
    assert (spoiled.draws(), spoiled.draws()) == (first, second)
    spoiled.begin("another check")
    assert spoiled.draws() != first


def test_a_warning_and_what_was_printed_are_kept(start):
    text = """
        import warnings
        def f():
            print("hello")
            warnings.warn("look out")
    """
    with in_worker(start, text) as student:
        for _ in range(2):
            record = student.observe.f()
            assert record.stdout == "hello\n"
            assert [(w.category, w.message) for w in record.warnings] == [
                ("UserWarning", "look out")
            ]


def test_grad_mode_of_the_check_is_the_call_s(student):
    with torch.no_grad():
        assert not student.square(leaf()).requires_grad
    assert student.square(leaf()).requires_grad


def test_odd_things_come_back_as_their_names(start):
    text = """
        class Odd:
            pass
        def f(kind):
            return {"dict": {"a": 1}, "odd": Odd(), "set": {1}, "none": None}[kind]
    """
    with in_worker(start, text) as student:
        assert isinstance(student.f("dict"), Opaque)
        assert student.f("odd").type_name == "submission.Odd"
        assert student.f("set").type_name == "set"
        assert student.f("none") is None


def test_a_graph_that_a_worker_no_longer_has_is_not_a_right_answer(start):
    text = "\ndef f(x):\n    return x * 2\n\ndef dies():\n    import os\n    os._exit(1)\n"
    with in_worker(start, text) as student:
        x = leaf()
        out = student.f(x)
        assert student.run("dies", []).raised.type == "Died"
        with pytest.raises((StudentError, GraderFailed)):
            out.sum().backward()
        # The next call has a worker again.
        assert torch.equal(student.f(X), X * 2)


def test_private_names_are_no_functions(student):
    with pytest.raises(AttributeError):
        student._secret  # noqa: B018 - reading it is the test
    with pytest.raises(AttributeError):
        student.observe.__wrapped__  # noqa: B018
