"""One exercise that lost points, with all that is known of it: what the matchers look at."""

from __future__ import annotations

import ast
import itertools
import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from grader.assignment import Assignment, Exercise
from grader.checking.collection import HIDDEN
from grader.checking.failure import Failure
from grader.checking.judging import CheckResult, ExerciseResult
from grader.misconceptions.imitation import OwnMisconceptions
from grader.misconceptions.source import Place, Source
from grader.observation import Frame, Observation, Operation
from grader.student.computed import Computed
from grader.student.proxy import Student

MOST_PLAIN_ARGUMENTS = 2  # a function of so few tensors is no network with weights


@dataclass(frozen=True)
class Match:
    """A mistake by its slug, or an account without a name, with the numbers that show it."""

    slug: str | None
    account: str
    evidence: dict[str, Any] = field(default_factory=dict)
    place: Place | None = None
    result: CheckResult | None = None
    title: str = ""


@dataclass
class Case:
    """`student` answers further calls, with stand-ins where an exercise it is built on is wrong."""

    assignment: Assignment
    exercise: Exercise
    outcome: ExerciseResult
    student: Student
    oracle: types.ModuleType
    library: types.ModuleType
    source: Source
    own: OwnMisconceptions
    _traces: dict[str, Observation] = field(default_factory=dict)

    @property
    def failing(self) -> list[tuple[CheckResult, Failure]]:
        """Results that lost points, visible ones first."""
        lost = [
            (result, result.failure)
            for result in self.outcome.results
            if result.lost and result.failure is not None
        ]
        return sorted(lost, key=lambda pair: pair[0].check.visibility == HIDDEN)

    @property
    def calls(self) -> list[Observation]:
        """Calls of this exercise's function that gave an answer, in float32."""
        return [
            call
            for result in self.outcome.results
            for call in result.calls
            if call.function == self.exercise.name and call.raised is None
        ]

    @property
    def parameters(self) -> list[str]:
        """The names in the exercise's signature."""
        tree = ast.parse(f"def {self.exercise.signature}: pass").body[0]
        assert isinstance(tree, ast.FunctionDef)
        return [argument.arg for argument in tree.args.args]

    def argument_name(self, index: int) -> str:
        """What to call the tensor argument of this flattened index: `X`, `params[2]`, `W2`."""
        names = self.argument_names()
        return names[index] if index < len(names) else f"argument {index + 1}"

    def argument_names(self) -> list[str]:
        """Names of the tensor arguments as they are flattened, parts of a list by their own.

        Of a computed argument first its leaves'; arrays have no place among tensors.
        """
        names: list[str] = []
        for name, arg in itertools.zip_longest(self.parameters, self._given):
            if isinstance(arg, Computed):
                names.extend(one.name for one in arg.leaves)
            if not isinstance(arg, np.ndarray):
                names.extend(self.exercise.parts.get(name, (name,)))
        return names

    @property
    def _given(self) -> Sequence[Any]:
        """The arguments of the first call that was made of this exercise's function."""
        for result in self.outcome.results:
            for call in result.calls:
                if call.function == self.exercise.name:
                    return call.args[: len(self.parameters)]
        return ()

    def trace(self, call: Observation) -> tuple[Operation, ...]:
        """The operations of the same call made once more; empty where it cannot be had."""
        if call.id not in self._traces:
            self.student.begin(f"explain {call.id}")
            self._traces[call.id] = self.student.run(
                call.function, call.args, call.kwargs, trace=True
            )
        return self._traces[call.id].trace

    def traced(self, call: Observation) -> Observation:
        self.trace(call)
        return self._traces[call.id]

    def place_of(self, frame: Frame | Operation) -> Place:
        return Place(frame.filename, frame.line)

    def deepest(self, call: Observation | None) -> Place | None:
        """The innermost line of the student's in an exception."""
        frames = call.raised.frames if call is not None and call.raised is not None else []
        return self.place_of(frames[-1]) if frames else None

    def whole_function(self) -> Place | None:
        return self.source.function_place(self.exercise.name)

    def with_gradients(self, call: Observation) -> list[Any]:
        """The call's arguments with all floating tensors requiring grad."""
        return [
            arg.detach().clone().requires_grad_()
            if isinstance(arg, torch.Tensor) and arg.is_floating_point()
            else arg
            for arg in call.args
        ]
