"""What can go wrong, as types. Three kinds that are never confused:

GraderError
├── UsageError                  the command line or an assignment cannot be used (status 2)
│   └── AssignmentError         an assignment's files are broken: file, key, why
├── UnreadableSubmission        what was handed in cannot be read (status 2)
└── GraderFailed                the grader broke; says nothing about the student (status 3)
    └── WireError               bytes from a worker that are no answer

StudentError                    the student's code raised, hung or died while a check called it
└── HandleLost                  an object of the student's was used after its process had ended
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.observation import Observation


class GraderError(Exception):
    """Base of everything that ends a command with one clear line and a hint what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}. {self.hint}" if self.hint else self.message


class UsageError(GraderError):
    """The command line, or what it points to, cannot be used."""


class AssignmentError(UsageError):
    """An assignment's file is broken: `path`, the place in it as `key`, and `why`."""

    def __init__(self, path: object, key: str, why: str, hint: str = "") -> None:
        where = f"{path}: {key}: {why}" if key else f"{path}: {why}"
        super().__init__(where, hint)
        self.path = str(path)
        self.key = key
        self.why = why


class UnreadableSubmission(GraderError):
    """What was handed in cannot be read as one submission."""


class GraderFailed(GraderError):
    """The grader itself broke. Never a verdict on a student."""


class WireError(GraderFailed):
    """Bytes arrived that are no answer, or an answer larger than is allowed."""


class StudentError(Exception):
    """The student's code raised, hung or died in a call. No RuntimeError: gradcheck swallows those.

    `observation` is the record of the call.
    """

    def __init__(self, observation: Observation) -> None:
        super().__init__(observation)
        self.observation = observation

    def __str__(self) -> str:
        raised = self.observation.raised
        if raised is None:
            return f"{self.observation.function} gave no answer"
        return f"{self.observation.function}: {raised.type}: {raised.message}"


class HandleLost(StudentError):
    """A model or another object that lived in a worker was used after that worker had ended."""
