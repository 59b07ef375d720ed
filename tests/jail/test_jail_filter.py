"""The programs for both processors, run by an interpreter of the few instructions they use."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from grader.student.jail.bpf import ALLOW, KILL_PROCESS, OWN_PID, errno
from grader.student.jail.seccomp import student_filter
from grader.student.jail.syscalls import AARCH64, X86_64, Machine, machine_named

EPERM, ENOSYS = errno(1), errno(38)
BIG = 2**64 - 1

# calls that must not pass, with any arguments: (x86-64, aarch64), None where there is no such call
FORBIDDEN = {
    "socket": (41, 198),
    "connect": (42, 203),
    "accept": (43, 202),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "bind": (49, 200),
    "listen": (50, 201),
    "socketpair": (53, 199),
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "kill": (62, 129),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "mount": (165, 40),
    "umount2": (166, 39),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
    "setrlimit": (160, 164),
    "setuid": (105, 146),
    "setresuid": (117, 147),
    "setgroups": (116, 159),
    "capset": (126, 91),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "open_by_handle_at": (304, 265),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchownat": (260, 54),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "truncate": (76, 45),
    "linkat": (265, 37),
    "symlinkat": (266, 36),
    "mknodat": (259, 33),
    "creat": (85, None),
    "shmget": (29, 194),
    "mq_open": (240, 180),
    "seccomp": (317, 277),
    "personality": (135, 92),
    "init_module": (175, 105),
    "reboot": (169, 142),
    "splice": (275, 76),
    "vmsplice": (278, 75),
    "landlock_restrict_self": (446, 446),
    "clone3": (435, 435),
    "openat2": (437, 437),
}

MACHINES = pytest.mark.parametrize("machine", [X86_64, AARCH64], ids=["x86_64", "aarch64"])


def run(program: bytes, arch: int, number: int, *arguments: int) -> int:
    """The filter's answer; any instruction that the kernel would refuse is an error."""
    words = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<IIQ6Q", number, arch, 0, *words)
    steps = list(struct.iter_unpack("<HBBI", program))
    assert 0 < len(steps) <= 4096
    at = accumulator = 0
    while True:
        code, if_true, if_false, k = steps[at]
        at += 1
        if code == 0x20:
            assert k % 4 == 0
            (accumulator,) = struct.unpack_from("<I", data, k)
        elif code == 0x54:
            accumulator &= k
        elif code == 0x15:
            at += if_true if accumulator == k else if_false
        elif code == 0x35:
            at += if_true if accumulator >= k else if_false
        elif code == 0x06:
            return int(k)
        else:
            raise AssertionError(f"unknown instruction {code:#x}")


def call(machine: Machine, name: str, *arguments: int) -> int:
    program = student_filter(machine).program
    return run(program, machine.audit_arch, machine.numbers[name], *arguments)


@MACHINES
def test_every_jump_lands_inside_and_every_path_ends(machine: Machine) -> None:
    steps = list(struct.iter_unpack("<HBBI", student_filter(machine).program))
    for at, (code, if_true, if_false, _) in enumerate(steps):
        if code in (0x15, 0x35):
            assert at + 1 + max(if_true, if_false) < len(steps)
    assert steps[-1][0] == 0x06


@MACHINES
def test_forbidden_calls(machine: Machine) -> None:
    program = student_filter(machine).program
    column = 0 if machine is X86_64 else 1
    for name, numbers in FORBIDDEN.items():
        number = numbers[column]
        if number is None:
            continue
        for arguments in ((), (BIG,) * 6, (1, 2, 3, 4, 5, 6)):
            answer = run(program, machine.audit_arch, number, *arguments)
            assert answer in (EPERM, ENOSYS), name


@MACHINES
def test_other_processors_end_the_process(machine: Machine) -> None:
    program = student_filter(machine).program
    i386, other = 0x40000003, (AARCH64 if machine is X86_64 else X86_64).audit_arch
    for arch in (i386, other, 0, 0xFFFFFFFF):
        assert run(program, arch, machine.numbers["read"]) == KILL_PROCESS


def test_x32_calls_are_refused() -> None:
    program = student_filter(X86_64).program
    for number in (0, 1, 41, 59, 512, 0x3FFFFFFF):
        assert run(program, X86_64.audit_arch, 0x40000000 | number) == EPERM
    assert run(program, X86_64.audit_arch, 0xFFFFFFFF) == EPERM


@MACHINES
def test_unknown_calls(machine: Machine) -> None:
    program = student_filter(machine).program
    for number in (451, 452, 600, 0x3FFFFFFF):
        assert run(program, machine.audit_arch, number) == ENOSYS
    for name in ("clone3", "openat2"):
        assert run(program, machine.audit_arch, {"clone3": 435, "openat2": 437}[name]) == ENOSYS


@MACHINES
def test_threads_but_no_processes(machine: Machine) -> None:
    thread = 0x3D0F00
    assert call(machine, "clone", thread, 1, 2, 3, 4) == ALLOW
    assert call(machine, "clone", thread | 0x400000) == ALLOW
    for flags in (
        17,
        0x4111,
        0x01200011,
        thread | 0x10000000,
        thread & ~0x10000,
        0x10000,
        thread | 1 << 32,
    ):
        assert call(machine, "clone", flags) == EPERM


@MACHINES
def test_limits_are_only_read_and_only_the_own(machine: Machine) -> None:
    assert call(machine, "prlimit64", 0, 7, 0, 0x7F0000001000) == ALLOW
    assert call(machine, "prlimit64", 0, 7, 0x7F0000001000, 0) == EPERM
    assert call(machine, "prlimit64", 0, 7, 1 << 40, 0) == EPERM
    assert call(machine, "prlimit64", 1234, 7, 0, 0x7F0000001000) == EPERM


@MACHINES
def test_signals_only_to_the_own_process(machine: Machine) -> None:
    calls = student_filter(machine)
    (at,) = calls.own_pid_at
    assert struct.unpack_from("<I", calls.program, at) == (OWN_PID,)
    program = bytearray(calls.program)
    struct.pack_into("<I", program, at, 77)
    number = machine.numbers["tgkill"]
    assert run(bytes(program), machine.audit_arch, number, 77, 77, 6) == ALLOW
    for pid in (76, 1, 0, 2**32 - 1, BIG):
        assert run(bytes(program), machine.audit_arch, number, pid, 77, 6) == EPERM


@MACHINES
def test_descriptor_commands(machine: Machine) -> None:
    assert call(machine, "fcntl", 3, 2, 1) == ALLOW
    assert call(machine, "fcntl", 3, 1030, 1) == ALLOW
    for command in (8, 10, 15, 1024, 1031, 1033):  # owners, signals, leases, pipe sizes, seals
        assert call(machine, "fcntl", 3, command, 1) == EPERM
    assert call(machine, "ioctl", 1, 0x5401) == ALLOW
    assert call(machine, "ioctl", 1, 0x5412) == EPERM, "typing into the terminal"
    assert call(machine, "prctl", 15, 1) == ALLOW
    for option in (4, 8, 22, 24, 38, 47, 1, 35):
        assert call(machine, "prctl", option, 1) == EPERM
    assert call(machine, "sendto", 3, 1, 2, 0, 0, 0) == ALLOW
    assert call(machine, "sendto", 3, 1, 2, 0, 0x7F0000000000, 16) == EPERM


@MACHINES
def test_opening_files(machine: Machine) -> None:
    read_only, write_only, read_write, create, truncate = 0, 1, 2, 0o100, 0o1000
    allowed = (
        read_only,
        write_only | create | truncate,
        read_write | truncate,
        write_only,
        0o2000000,
    )
    for flags in allowed:
        assert call(machine, "openat", 0, 1, flags) == ALLOW
    for flags in (truncate, truncate | create, truncate | 3):
        assert call(machine, "openat", 0, 1, flags) == EPERM
    if machine is X86_64:
        assert call(machine, "open", 1, read_only) == ALLOW
        assert call(machine, "open", 1, truncate) == EPERM
    closed = student_filter(machine, opens=False).program
    names = [name for name in ("open", "openat") if name in machine.numbers]
    for name in names:
        for flags in allowed:
            number = machine.numbers[name]
            assert run(closed, machine.audit_arch, number, *[flags] * 3) == EPERM


@MACHINES
def test_ordinary_calls_pass(machine: Machine) -> None:
    for name in [
        "read",
        "write",
        "mmap",
        "munmap",
        "futex",
        "exit_group",
        "clock_gettime",
        "getrandom",
        "fstat",
    ]:
        assert call(machine, name, *[BIG] * 6) == ALLOW


def test_names_of_processors() -> None:
    assert machine_named("x86_64") is machine_named("AMD64") is X86_64
    assert machine_named("arm64") is machine_named("aarch64") is AARCH64
    assert machine_named("riscv64") is None


@pytest.mark.parametrize(
    ("machine", "header"),
    [
        (X86_64, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        (AARCH64, "/usr/include/asm-generic/unistd.h"),
    ],
    ids=["x86_64", "aarch64"],
)
def test_numbers_are_those_of_the_kernel(machine: Machine, header: str) -> None:
    if not Path(header).exists():
        pytest.skip("the kernel's headers are not installed")
    known: dict[str, int] = {}
    for line in Path(header).read_text().splitlines():
        words = line.replace("__NR3264_", "__NR_").split()
        if len(words) == 3 and words[1].startswith("__NR_") and words[2].isdigit():
            known[words[1].removeprefix("__NR_")] = int(words[2])
    known.setdefault("newfstatat", known.get("fstatat", -1))
    assert {name: known.get(name) for name in machine.numbers} == dict(machine.numbers)
    column = 0 if machine is X86_64 else 1
    for name, numbers in FORBIDDEN.items():
        assert numbers[column] == known.get(name), name
