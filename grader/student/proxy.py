"""The trusted side's view of a running submission: call a function, get real tensors.

`student.relu(x)` returns a tensor whose backward is a call to the worker, so that
`torch.autograd.gradcheck` judges the student's own backward. `student.observe.sgd(params, 0.3)`
returns the record of a call: what became of the caller's own tensor objects. Arguments are
copied into the worker; nothing that a student's code does reaches a check's tensors.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import msgspec
import torch

from grader.errors import GraderFailed, StudentError
from grader.observation import Argument, Observation, Opaque
from grader.student.backend import Backend
from grader.student.worker import messages as m
from grader.student.worker.values import Packer, plain_tensor
from grader.student.worker.wire import CannotDecode, array_from, tensor_from


class Student:
    """One loaded submission. Attributes are its functions; `observe` gives records instead.

    `begin(check)` names the check that calls from now on; ids, and so seeds, follow from it.
    A function that overran its `call_seconds` once, or is built on one that did (`uses`), gets a
    tenth of them from then on: a class of endless loops must not take all night.
    """

    def __init__(
        self,
        backend: Backend,
        seed: int = 0,
        call_seconds: float = 5.0,
        uses: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self._backend = backend
        self._seed = seed
        self._seconds = call_seconds
        self._uses = uses or {}
        self._overran: set[str] = set()
        self._scope = ""
        self._number = 0
        self.calls: list[Observation] = []
        self.observe = Observer(self)

    def begin(self, scope: str) -> None:
        """Start a check: forget its predecessor's calls."""
        self._scope = scope
        self._number = 0
        self.calls = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return StudentFunction(self, name)

    def run(
        self,
        function: str,
        args: Sequence[Any],
        kwargs: dict[str, Any] | None = None,
        *,
        banned: Sequence[str] = (),
        graph: bool = False,
        trace: bool = False,
        again: str = "",
        seed: int | None = None,
    ) -> Observation:
        """Call `function` and return the record, whatever happened. Never raises StudentError.

        The generator is seeded by the call's id, or by `seed`.
        """
        packer = Packer()
        request = m.Call(
            id=self._next_id(),
            function=function,
            args=[packer.pack(arg) for arg in args],
            kwargs={name: packer.pack(arg) for name, arg in (kwargs or {}).items()},
            seconds=self._seconds_for(function),
            banned=list(banned),
            graph=graph,
            trace=trace,
            grad=torch.is_grad_enabled(),
            again=again,
        )
        request = _seeded(request, self._seed, seed)
        answer = self._backend.call(request)
        record = self._observation(request, answer, tuple(args), dict(kwargs or {}), packer.tensors)
        self.calls.append(record)
        if record.raised is not None and record.raised.type == "TimeLimit":
            self._overran.add(function)
        return record

    def _seconds_for(self, function: str) -> float:
        involved = {function, *self._uses.get(function, ())}
        return self._seconds / 10 if involved & self._overran else self._seconds

    def close(self) -> None:
        """End the worker."""
        self._backend.close()

    def _next_id(self) -> str:
        self._number += 1
        return f"{self._scope}#{self._number}"

    def _observation(
        self,
        request: m.Call,
        answer: m.Answer,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        tensors: list[torch.Tensor],
    ) -> Observation:
        raised = answer.raised
        returned: Any = None
        arguments: tuple[Argument, ...] = ()
        outputs: list[tuple[torch.Tensor, m.TensorValue]] = []
        backward_raised: list[m.Raised] = []
        if raised is None or raised.families:
            try:
                arguments = _arguments(answer, tensors)
                returned = _decode(answer.returned, outputs)
            except CannotDecode as error:
                raised = m.Raised("Garbled", [], str(error), [])
        if raised is None:
            graft = _Graft(self, request.id, tensors, backward_raised)
            returned = _replace(returned, graft.onto(outputs))
        return Observation(
            id=request.id,
            function=request.function,
            args=args,
            kwargs=kwargs,
            returned=returned,
            raised=raised,
            arguments=arguments,
            grad_mode=answer.grad_mode,
            grad_mode_before=request.grad,
            banned=tuple(answer.banned),
            warnings=tuple(answer.warnings),
            stdout=answer.stdout,
            stderr=answer.stderr,
            output_cut=answer.output_cut,
            graph=_sound(answer.graph),
            trace=tuple(answer.trace),
            storages=tuple(value.storage for _, value in outputs),
            seconds=answer.seconds,
            backward_raised=backward_raised,
        )

    def gradients(
        self, call: str, grads: Sequence[torch.Tensor | None]
    ) -> list[torch.Tensor | None] | m.Raised:
        """Gradients of a call's tensor arguments for given gradients of its returned tensors."""
        request = m.Backward(
            id=self._next_id(),
            call=call,
            grads=[None if grad is None else plain_tensor(grad) for grad in grads],
            seconds=self._seconds,
        )
        answer = self._backend.backward(request)
        if answer.raised is not None:
            return answer.raised
        try:
            return [None if grad is None else tensor_from(grad) for grad in answer.grads]
        except CannotDecode as error:
            return m.Raised("Garbled", [], str(error), [])


class StudentFunction:
    """`student.name`: call it like the function itself. Raises StudentError for what it raises."""

    def __init__(self, student: Student, name: str, again: str = "") -> None:
        self._student = student
        self._again = again
        self.name = name
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.observed(*args, **kwargs).returned

    def observed(self, *args: Any, **kwargs: Any) -> Observation:
        """The record of the call. Raises StudentError."""
        record = self._student.run(self.name, args, kwargs, again=self._again)
        if record.raised is not None:
            raise StudentError(record)
        return record


class Observer:
    """`student.observe.name(...)` gives the record of the call. Raises StudentError."""

    def __init__(self, student: Student, again: str = "") -> None:
        self._student = student
        self._again = again

    def again(self, record: Observation) -> Observer:
        """Calls that get the very tensor objects of an earlier call, with new values in them."""
        return Observer(self._student, record.id)

    def __getattr__(self, name: str) -> Callable[..., Observation]:
        if name.startswith("_"):
            raise AttributeError(name)
        return StudentFunction(self._student, name, self._again).observed


class _Graft:
    """Joins a call's outputs to the trusted graph: their backward asks the worker."""

    def __init__(
        self,
        student: Student,
        call: str,
        arguments: list[torch.Tensor],
        raised: list[m.Raised],
    ) -> None:
        self.student = student
        self.call = call
        self.arguments = arguments
        self.raised = raised

    def onto(self, outputs: list[tuple[torch.Tensor, m.TensorValue]]) -> list[torch.Tensor]:
        if not any(value.requires_grad for _, value in outputs):
            return [tensor for tensor, _ in outputs]
        if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in self.arguments):
            cut = [not value.requires_grad for _, value in outputs]
            tensors = tuple(tensor for tensor, _ in outputs)
            return list(_RemoteCall.apply(self, tensors, cut, *self.arguments))  # type: ignore[no-untyped-call]
        return [_leaf_or_not(tensor, value) for tensor, value in outputs]


def _leaf_or_not(tensor: torch.Tensor, value: m.TensorValue) -> torch.Tensor:
    if not value.requires_grad or not tensor.is_floating_point():
        return tensor
    tensor.requires_grad_()
    return tensor if value.is_leaf else tensor.clone()


class _RemoteCall(torch.autograd.Function):
    """The identity on values that are already there; backward asks the worker."""

    @staticmethod
    def forward(
        ctx: Any,
        graft: _Graft,
        outputs: tuple[torch.Tensor, ...],
        cut: list[bool],
        *arguments: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        ctx.graft = graft
        ctx.set_materialize_grads(False)
        # Integer tensors are never differentiable, whatever a worker says.
        ctx.mark_non_differentiable(
            *[
                tensor
                for tensor, is_cut in zip(outputs, cut, strict=True)
                if is_cut or not (tensor.is_floating_point() or tensor.is_complex())
            ]
        )
        return outputs

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor | None) -> Any:
        graft: _Graft = ctx.graft
        with torch.no_grad():
            found = graft.student.gradients(graft.call, grads)
        if isinstance(found, m.Raised):
            graft.raised.append(found)
            raise StudentError(Observation(graft.call, "backward", (), {}, raised=found))
        if len(found) != len(graft.arguments):
            found = [None] * len(graft.arguments)
        fitting = [
            grad if grad is not None and grad.shape == arg.shape and arg.requires_grad else None
            for grad, arg in zip(found, graft.arguments, strict=True)
        ]
        if torch.is_grad_enabled():
            # Asked for with create_graph: said where a second derivative is taken, if ever.
            fitting = [None if grad is None else _once(grad) for grad in fitting]
        return (None, None, None, *fitting)


def _once(grad: torch.Tensor) -> Any:
    return _Once.apply(grad.requires_grad_())  # type: ignore[no-untyped-call]


class _Once(torch.autograd.Function):
    """The identity on a gradient that has none of its own: the graph behind it is the worker's."""

    @staticmethod
    def forward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad.clone()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        raise GraderFailed(
            "a check differentiates twice: a submission's functions have first derivatives only"
        )


def _seeded(request: m.Call, seed: int, own: int | None) -> m.Call:
    # By call, so that a function that draws at random shows it.
    number = zlib.crc32(f"{seed}/{request.id}".encode()) if own is None else own
    return msgspec.structs.replace(request, seed=number)


def _arguments(answer: m.Answer, tensors: list[torch.Tensor]) -> tuple[Argument, ...]:
    if len(answer.arguments) != len(tensors):
        raise CannotDecode("facts of another number of arguments than were given")
    records = []
    for facts, tensor in zip(answer.arguments, tensors, strict=True):
        before = snapshot(tensor)
        after = before
        if facts.after is not None:
            after = tensor_from(facts.after)
            if facts.after.grad is not None:
                grad = tensor_from(facts.after.grad)
                if grad.shape == after.shape and grad.dtype == after.dtype:
                    after.grad = grad
        # By the values, not by the worker's word.
        changed = not equal(before, after)
        records.append(
            Argument(
                before,
                after,
                changed,
                facts.requires_grad,
                facts.is_leaf,
                facts.reached,
                facts.writes,
                facts.rebound,
            )
        )
    return tuple(records)


def _sound(graph: list[m.Node]) -> tuple[m.Node, ...]:
    """The recorded graph, or nothing where it is none: whoever walks it must come to an end."""
    waiting = [len(node.inputs) for node in graph]
    users: dict[int, list[int]] = {}
    for number, node in enumerate(graph):
        for used in node.inputs:
            users.setdefault(used, []).append(number)
    ready = [number for number, count in enumerate(waiting) if count == 0]
    for number in ready:  # grows: from the leaves up
        for user in users.get(number, ()):
            waiting[user] -= 1
            if waiting[user] == 0:
                ready.append(user)
    return tuple(graph) if len(ready) == len(graph) else ()


def snapshot(tensor: torch.Tensor) -> torch.Tensor:
    """A detached copy that carries a copy of the tensor's gradient."""
    copy = tensor.detach().clone()
    if tensor.is_leaf and tensor.grad is not None:
        copy.grad = tensor.grad.detach().clone()
    return copy


def equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Same shape, dtype and bits, NaN equal to NaN."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    return bool(((a == b) | ((a != a) & (b != b))).all())


def _decode(value: m.Value, outputs: list[tuple[torch.Tensor, m.TensorValue]]) -> Any:
    match value:
        case m.TensorValue():
            tensor = tensor_from(value)
            outputs.append((tensor, value))
            return tensor
        case m.ArrayValue():
            return array_from(value)
        case m.ListValue():
            return [_decode(item, outputs) for item in value.items]
        case m.TupleValue():
            return tuple(_decode(item, outputs) for item in value.items)
        case m.DictValue():
            return Opaque("dict", f"with {len(value.items)} entries")
        case m.OpaqueValue():
            return Opaque(value.type_name[:200], value.text[:500])
        case _:
            return value


def _replace(thing: Any, tensors: list[torch.Tensor]) -> Any:
    remaining = iter(tensors)

    def walk(item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            return next(remaining)
        if isinstance(item, (list, tuple)):
            return type(item)(walk(inner) for inner in item)
        return item

    return walk(thing)
