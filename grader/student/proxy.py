"""The trusted side's view of a running submission: call a function, get real tensors.

`student.f(x)` returns a tensor whose backward is a call to the worker, so that
`torch.autograd.gradcheck` judges the student's own backward. `student.observe.f(params, 0.3)`
returns the record of a call: what became of the caller's own tensor objects. Arguments are
copied into the worker; nothing that a student's code does reaches a check's tensors.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch

from grader.observation import Argument, Observation
from grader.observed_modules import ModuleSeen, modules_of
from grader.student.answers import (
    arguments_of,
    arrays_of,
    decode,
    origins_of,
    replace,
    sound,
)
from grader.student.backend import Backend
from grader.student.computed import ArgumentPacker, ArgumentUnpacker
from grader.student.graft import Graft
from grader.student.handles import Book, error_of
from grader.student.worker import messages as m
from grader.student.worker.values import plain_tensor
from grader.student.worker.wire import CannotDecode, tensor_from


class Exchange(NamedTuple):
    """One question and its answer, without the time that it took."""

    request: m.Call | m.Backward
    answer: m.Answer | m.Gradients


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
        self._served: deque[Exchange] = deque()
        self._book = Book(self)
        self.calls: list[Observation] = []
        self.exchanges: list[Exchange] = []
        self.observe = Observer(self)

    def begin(self, scope: str) -> None:
        """Start a check: forget its predecessor's calls."""
        self._scope = scope
        self._number = 0
        self._served.clear()
        self.calls = []
        self.exchanges = []

    @property
    def hurried(self) -> bool:
        """A function overran its time, so that some have less of it now."""
        return bool(self._overran)

    def serve(self, exchanges: Iterable[Exchange]) -> None:
        """Answer the next questions with these, as long as they are the ones that come."""
        self._served.extend(exchanges)

    def exchange(self, request: m.Call | m.Backward) -> Exchange:
        """Ask one question as it stands."""
        if isinstance(request, m.Backward):
            return Exchange(request, self._backend.backward(request))
        answer = self._backend.call(request)
        return Exchange(request, msgspec.structs.replace(answer, seconds=0.0))

    def recorded(self, exchange: Exchange) -> Observation:
        """The record of a call that was asked and answered before."""
        request, answer = exchange
        assert isinstance(request, m.Call)
        assert isinstance(answer, m.Answer)
        unpacker = ArgumentUnpacker()
        args = tuple(self._book.given(unpacker.argument(value)) for value in request.args)
        kwargs = {name: unpacker.unpack(value) for name, value in request.kwargs.items()}
        return self._observation(request, answer, args, kwargs, unpacker.tensors)

    def _asked(self, request: m.Call | m.Backward) -> m.Answer | m.Gradients:
        if self._served:
            exchange = self._served.popleft()
            # By its bits: to == a NaN among arguments is never itself.
            if msgspec.msgpack.encode(exchange.request) != msgspec.msgpack.encode(request):
                self._served.clear()
                exchange = self.exchange(request)
        else:
            exchange = self.exchange(request)
        self.exchanges.append(exchange)
        return exchange.answer

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
        packer = ArgumentPacker(self._book.pack)
        request = m.Call(
            id=self._next_id(),
            function=function,
            args=[packer.argument(arg) for arg in args],
            kwargs={name: packer.pack(arg) for name, arg in (kwargs or {}).items()},
            seconds=self._seconds_for(function),
            banned=list(banned),
            graph=graph,
            trace=trace,
            grad=torch.is_grad_enabled(),
            again=again,
        )
        request = _seeded(request, self._seed, seed)
        answer = self._asked(request)
        assert isinstance(answer, m.Answer)
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
        modules: tuple[ModuleSeen, ...] = ()
        outputs: list[tuple[torch.Tensor, m.TensorValue]] = []
        backward_raised: list[m.Raised] = []
        arrays = [arg for arg in args if isinstance(arg, np.ndarray)]
        if raised is None or raised.families:
            try:
                arguments = arguments_of(answer, tensors)
                modules = modules_of(answer.modules)
                returned = self._book.returned(decode(answer.returned, outputs), request, args)
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
            origins=origins_of(answer, len(outputs), len(tensors), len(arrays)),
            arrays=arrays_of(answer, arrays),
            modules=modules,
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
        answer = self._asked(request)
        assert isinstance(answer, m.Gradients)
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
            raise error_of(record)
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
