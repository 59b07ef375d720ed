"""Classic BPF, as much as a seccomp filter needs: rules in, bytes of `struct sock_filter` out.

A filter sees `struct seccomp_data`: the call's number at byte 0, the processor at 4, and six
arguments of 64 bits from byte 16 on, of which it can load 32 bits at a time.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

import msgspec

from grader.student.jail.syscalls import LAST_KNOWN, Machine

ALLOW: Final = 0x7FFF0000
KILL_PROCESS: Final = 0x80000000
_ERRNO: Final = 0x00050000
EPERM: Final = 1
ENOSYS: Final = 38

LOAD: Final = 0x20
"""Load the 32-bit word at byte k."""
AND: Final = 0x54
JUMP_EQUAL: Final = 0x15
JUMP_AT_LEAST: Final = 0x35
RETURN: Final = 0x06

LOW_WORD: Final = 0xFFFFFFFF
WHOLE: Final = 0xFFFFFFFFFFFFFFFF

OWN_PID: Final = 0x5EEDF1D0
"""Stands for the process's own id, which is known only once the child exists."""


class Condition(msgspec.Struct, frozen=True):
    """Argument `index` (0-5), after `& mask`, equals `value`."""

    index: int
    value: int
    mask: int = LOW_WORD


class Rule(msgspec.Struct, frozen=True):
    """A call that is allowed, always or if all conditions of one of `alternatives` hold."""

    name: str
    alternatives: tuple[tuple[Condition, ...], ...] = ()


class Filter(msgspec.Struct, frozen=True):
    """A compiled program, and the byte offsets at which a child writes its own id (uint32)."""

    program: bytes
    own_pid_at: tuple[int, ...]


class Instruction(msgspec.Struct, frozen=True):
    """Opcode, the two relative jumps, and the constant."""

    code: int
    if_true: int
    if_false: int
    k: int


def errno(number: int) -> int:
    """The filter's return value that makes the call fail with this errno."""
    return _ERRNO | number


def compile_filter(machine: Machine, rules: Sequence[Rule], absent: Sequence[str]) -> Filter:
    """An allow-list: `rules` pass, `absent` and newer calls are ENOSYS, all others EPERM.

    A call that this machine never had is skipped. Another processor's calls (32-bit mode) end the
    process, because their numbers mean something else.
    """
    out = [
        Instruction(LOAD, 0, 0, 4),
        Instruction(JUMP_EQUAL, 1, 0, machine.audit_arch),
        Instruction(RETURN, 0, 0, KILL_PROCESS),
        Instruction(LOAD, 0, 0, 0),
    ]
    if machine.x32_bit:
        out += _answer(Instruction(JUMP_AT_LEAST, 0, 1, machine.x32_bit), errno(EPERM))
    out += _answer(Instruction(JUMP_AT_LEAST, 0, 1, LAST_KNOWN + 1), errno(ENOSYS))
    for name in absent:
        if name in machine.numbers:
            test = Instruction(JUMP_EQUAL, 0, 1, machine.numbers[name])
            out += _answer(test, errno(ENOSYS))
    for rule in rules:
        if rule.name in machine.numbers:
            out += _rule(machine.numbers[rule.name], rule)
    out.append(Instruction(RETURN, 0, 0, errno(EPERM)))
    own = tuple(8 * at + 4 for at, step in enumerate(out) if step.k == OWN_PID)
    program = b"".join(struct.pack("=HBBI", i.code, i.if_true, i.if_false, i.k) for i in out)
    return Filter(program, own)


def _answer(test: Instruction, value: int) -> list[Instruction]:
    return [test, Instruction(RETURN, 0, 0, value)]


def _rule(number: int, rule: Rule) -> list[Instruction]:
    """The number is loaded; a rule with conditions ends in an answer, so it may overwrite it."""
    allow = Instruction(RETURN, 0, 0, ALLOW)
    if not rule.alternatives:
        return [Instruction(JUMP_EQUAL, 0, 1, number), allow]
    body: list[Instruction] = []
    for conditions in rule.alternatives:
        words = [word for condition in conditions for word in _words(condition)]
        for at, (offset, mask, value) in enumerate(words):
            # to the next alternative: over the rest of this one's words, and its return
            skip = 3 * (len(words) - at - 1) + 1
            body.append(Instruction(LOAD, 0, 0, offset))
            body.append(Instruction(AND, 0, 0, mask))
            body.append(Instruction(JUMP_EQUAL, 0, skip, value))
        body.append(allow)
    body.append(Instruction(RETURN, 0, 0, errno(EPERM)))
    if len(body) > 255:
        raise ValueError(f"the rule for {rule.name} is too long for one jump")
    return [Instruction(JUMP_EQUAL, 0, len(body), number), *body]


def _words(condition: Condition) -> list[tuple[int, int, int]]:
    """(byte offset, mask, value) of each 32-bit half that the mask looks at; little-endian."""
    offset = 16 + 8 * condition.index
    halves = (
        (offset, condition.mask & LOW_WORD, condition.value & LOW_WORD),
        (offset + 4, condition.mask >> 32, condition.value >> 32),
    )
    return [half for half in halves if half[1]]
