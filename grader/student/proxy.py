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

from grader.errors import StudentError
from grader.observation import Argument, Observation
from grader.student.answers import arguments_of, decode, replace, sound
from grader.student.backend import Backend
from grader.student.graft import Graft
from grader.student.worker import messages as m
from grader.student.worker.values import Packer, plain_tensor
from grader.student.worker.wire import CannotDecode, tensor_from


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
                arguments = arguments_of(answer, tensors)
                returned = decode(answer.returned, outputs)
            except CannotDecode as error:
                raised = m.Raised("Garbled", [], str(error), [])
        if raised is None:
            graft = Graft(self, request.id, tensors, backward_raised)
            returned = replace(returned, graft.onto(outputs))
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
            graph=sound(answer.graph),
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


def _seeded(request: m.Call, seed: int, own: int | None) -> m.Call:
    # By call, so that a function that draws at random shows it.
    number = zlib.crc32(f"{seed}/{request.id}".encode()) if own is None else own
    return msgspec.structs.replace(request, seed=number)
