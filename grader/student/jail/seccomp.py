"""Which system calls a student's process may make: an allow-list, all else is EPERM.

What the list leaves out: other processes (signals, tracing, priorities, limits), new processes and
programs, sockets, mounts and namespaces, changes to files' owners, modes and times, and the large
or young interfaces of the kernel (io_uring, bpf, perf, keys, memory files).
"""

from __future__ import annotations

from typing import Final

from grader.student.jail.bpf import OWN_PID, WHOLE, Condition, Filter, Rule, compile_filter
from grader.student.jail.syscalls import Machine


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_FILES: Final = _names(
    """
    read write readv writev pread64 pwrite64 preadv pwritev lseek close close_range fstat newfstatat
    stat lstat statx access faccessat faccessat2 readlink readlinkat getdents64 getcwd chdir fchdir
    dup dup2 dup3 pipe pipe2 poll ppoll select pselect6 epoll_create1 epoll_ctl epoll_wait
    epoll_pwait eventfd2 ftruncate fsync fdatasync flock fadvise64
    umask statfs fstatfs sendfile copy_file_range recvfrom
    getsockname getpeername getsockopt shutdown
    """
)
_NAMES_OF_FILES: Final = _names("mkdir mkdirat unlink unlinkat rmdir rename renameat renameat2")
_MEMORY: Final = _names(
    """
    mmap munmap mremap mprotect madvise brk mincore msync membarrier get_mempolicy
    """
)
_TIME: Final = _names(
    """
    clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times getitimer setitimer
    alarm pause
    """
)
_SELF: Final = _names(
    """
    getpid getppid gettid getuid geteuid getgid getegid getresuid getresgid getpgrp getpgid getsid
    getgroups getrusage getrandom uname sysinfo getcpu getpriority sched_getaffinity sched_getparam
    sched_getscheduler sched_get_priority_max sched_get_priority_min sched_yield capget getrlimit
    arch_prctl wait4 set_tid_address set_robust_list rseq futex exit exit_group rt_sigaction
    rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigpending sigaltstack
    restart_syscall
    """
)

# glibc's pthread_create; musl adds a flag that the kernel ignores
_THREAD_FLAGS: Final = 0x003D0F00
_CLONE_DETACHED: Final = 0x00400000

_O_ACCMODE: Final = 0o3
_O_TRUNC: Final = 0o1000
_FCNTL_COMMANDS: Final = (0, 1, 2, 3, 4, 5, 6, 7, 1030)  # fds, flags, locks; not F_SETOWN
_IOCTLS: Final = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # tty?, size, FIONREAD, FIO*
_PRCTLS: Final = (3, 15, 16, 23, 0x53564D41)  # dumpable?, names of threads and of memory

_ABSENT: Final = ("clone3", "openat2")
"""Their arguments lie in memory, which a filter cannot read: the C library has older ways."""


def student_filter(machine: Machine, opens: bool = True) -> Filter:
    """The program for one processor. `opens=False` also refuses to open, name or remove any
    file: for machines on which nothing else limits what a process may reach."""
    rules = [Rule(name) for name in (*_FILES, *_MEMORY, *_TIME, *_SELF)]
    rules += [
        Rule("clone", ((Condition(0, _THREAD_FLAGS, WHOLE ^ _CLONE_DETACHED),),)),
        # reading the own limits; a new limit, or another process, is refused
        Rule("prlimit64", ((Condition(0, 0), Condition(2, 0, WHOLE)),)),
        # abort() and raise(): signals to the own process
        Rule("tgkill", ((Condition(0, OWN_PID),),)),
        # an answer on the open socket, never a datagram to an address
        Rule("sendto", ((Condition(4, 0, WHOLE),),)),
        Rule("fcntl", _one_of(1, _FCNTL_COMMANDS)),
        Rule("ioctl", _one_of(1, _IOCTLS)),
        Rule("prctl", _one_of(0, _PRCTLS)),
    ]
    if opens:
        rules += [Rule("open", _opening(1)), Rule("openat", _opening(2))]
        rules += [Rule(name) for name in _NAMES_OF_FILES]
    return compile_filter(machine, rules, _ABSENT)


def _one_of(index: int, values: tuple[int, ...]) -> tuple[tuple[Condition, ...], ...]:
    return tuple((Condition(index, value),) for value in values)


def _opening(index: int) -> tuple[tuple[Condition, ...], ...]:
    """Without O_TRUNC, or for writing: reading with O_TRUNC would empty a file past the first two
    versions of Landlock, which look at what is opened for writing."""
    return (
        (Condition(index, 0, _O_TRUNC),),
        (Condition(index, 1, _O_ACCMODE),),
        (Condition(index, 2, _O_ACCMODE),),
    )
