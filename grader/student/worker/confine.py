"""Shuts a freshly forked child in before a student's code runs in it, layer by layer.

The trusted side decides what to do and sends it as plain data (`Plan` in `student/jail`); this
module only does it. It imports nothing but the standard library, and works on any system: what a
system does not have, a plan for it does not ask for.

A layer that fails raises OSError with the layer's name first; the child must then end without
running anything of the student's.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import stat
import struct
import sys
import traceback
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

NOT_CONFINED: Final = 71
"""Exit status of a child that could not be shut in."""

_CLONE_NEWNS, _CLONE_NEWPID = 0x00020000, 0x20000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_PRIVATE = 1, 2, 4, 8, 1 << 14, 1 << 18
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_KEEPCAPS, _PR_SET_SECCOMP = 1, 4, 8, 22
_PR_CAPBSET_READ, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 23, 24, 38, 47
_PR_CAP_AMBIENT_CLEAR_ALL, _SECCOMP_MODE_FILTER = 4, 2
_CAPABILITY_VERSION_3: Final = 0x20080522
_OLD_SYSTEMS_LAST_FD: Final = 65_535

# the same numbers on every processor
_CLOSE_RANGE, _CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 436, 444, 445, 446
_RULESET_VERSION, _RULE_PATH_BENEATH = 1, 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_WRITE_FILE, _REMOVE_DIR, _REMOVE_FILE = 1 << 1, 1 << 4, 1 << 5
_MAKE_DIR, _MAKE_REGULAR = 1 << 7, 1 << 8
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_WRITE = _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REGULAR | _REFER | _TRUNCATE
_FILE_RIGHTS: Final = _READ_FILE | _WRITE_FILE | _TRUNCATE


def prepare() -> None:
    """Load what `spawn` and `enter` need, once, in the process from which children are forked.

    It also hides this process's memory and environment from others of the same user.
    """
    if sys.platform == "linux":
        _libc()
        _landlock_rights()
        _own_pid_namespace()
        _prctl(_PR_SET_DUMPABLE, 0)


def spawn(
    plan: dict[str, Any], child_main: Callable[[list[str]], None], keep_fds: Collection[int]
) -> int:
    """Fork a child, shut it in and call `child_main(layers)` there; its pid as seen from here.

    With "pid" among the plan's namespaces the child is the first process of a new one: SIGKILL on
    it (no lesser signal reaches it) ends all that it may have started. The child exits with 0
    after `child_main`, 1 if that raised, NOT_CONFINED if a layer failed.
    """
    with _new_pid_namespace("pid" in plan["namespaces"]):
        pid = os.fork()
        if pid == 0:
            _child(plan, child_main, keep_fds)
    return pid


def enter(plan: dict[str, Any], keep_fds: Collection[int], with_parent: bool = False) -> list[str]:
    """Shut this process in for good; the names of the layers now in force.

    Open descriptors other than `keep_fds` are closed, 0 to 2 become /dev/null instead. With
    `with_parent` the process is killed when the thread that forked it ends. Raises
    OSError, its message starting with the layer's name, when a layer of the plan fails.
    """
    layers: list[str] = []
    rules = -1
    if sys.platform == "linux" and plan["level"] != "process":
        with _layer("threads", layers):
            _expect_one_thread()
    if hasattr(os, "setsid"):
        with _layer("session", layers):
            if os.getsid(0) != os.getpid():
                os.setsid()
    with _layer("uid", []):
        uid = _uid(plan)
    if "mount" in plan["namespaces"]:
        with _layer("mount", layers):
            _mount_scratch(plan["scratch"], plan["scratch_bytes"], uid)
    if plan["landlock"]:
        with _layer("landlock", layers):
            rules = _landlock_rules(plan["landlock_read"], plan["landlock_write"])
    if resource is not None:
        with _layer("limits", layers):
            _limit(plan["limits"])
    if plan["hide"]:
        with _layer("hidden", layers):
            for path in plan["hide"]:
                _cover(path)
    with _layer("descriptors", layers):
        _close_all_but({*keep_fds, rules})
    if sys.platform == "linux":
        with _layer("no_new_privs", layers):
            _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    if plan["drop_capabilities"]:
        with _layer("capabilities", layers):
            _drop_rights(uid, plan["keep_capabilities"])
        if uid is not None:
            layers.append("uid")
    if sys.platform == "linux":
        _prctl(_PR_SET_DUMPABLE, 0)
        if with_parent:  # forgotten at a change of user, so not earlier
            _prctl(_PR_SET_PDEATHSIG, 9)
    if plan["scratch"]:
        with _layer("scratch", []):
            os.chdir(plan["scratch"])
    if rules >= 0:
        with _layer("landlock", []):
            _check(_libc().syscall(_RESTRICT_SELF, rules, 0))
            os.close(rules)
    if plan["seccomp"]:
        with _layer("seccomp", layers):
            _filter_calls(plan["seccomp"], plan["own_pid_at"])
    if "pid" in plan["namespaces"]:
        layers.append("pid")
    return layers


def _child(
    plan: dict[str, Any], child_main: Callable[[list[str]], None], keep_fds: Collection[int]
) -> None:
    status = 1
    try:
        try:
            if "pid" in plan["namespaces"] and os.getpid() != 1:
                raise OSError("pid: not the first process of a new namespace")
            layers = enter(plan, keep_fds, with_parent=True)
        except OSError as failure:
            status = NOT_CONFINED
            os.write(2, f"{failure}\n".encode())
            return
        child_main(layers)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


@functools.cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    libc.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong,
                           ctypes.c_char_p]  # fmt: skip
    libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    return libc


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _prctl(option: int, *arguments: int) -> int:
    return _check(_libc().prctl(option, *arguments, *[0] * (4 - len(arguments))))


@contextlib.contextmanager
def _layer(name: str, layers: list[str]) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, struct.error) as failure:
        raise OSError(f"{name}: {failure}") from failure
    layers.append(name)


def _expect_one_thread() -> None:
    """User, rights, Landlock and filter are each thread's own: another thread would stay free."""
    threads = os.stat("/proc/self/task").st_nlink - 2
    if threads != 1:
        raise OSError(f"{threads} threads run already")


@functools.cache
def _own_pid_namespace() -> int:
    return os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)


@contextlib.contextmanager
def _new_pid_namespace(wanted: bool) -> Iterator[None]:
    """The process forked inside is a new namespace's first; afterwards forks are as before."""
    if not wanted:
        yield
        return
    home = _own_pid_namespace()
    with _layer("pid", []):
        _check(_libc().unshare(_CLONE_NEWPID))
    try:
        yield
    finally:
        _check(_libc().setns(home, _CLONE_NEWPID))


def _mount_scratch(path: str, size: int, uid: int | None) -> None:
    """A small file system in memory that only this process sees."""
    libc = _libc()
    _check(libc.unshare(_CLONE_NEWNS))
    _check(libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None))
    options = f"size={size},nr_inodes=1024,mode=700"
    if uid is not None:
        options += f",uid={uid},gid={uid}"
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    _check(libc.mount(b"scratch", os.fsencode(path), b"tmpfs", flags, options.encode()))


def _cover(path: str) -> None:
    """Put an empty folder over one that shows too much, in this process's own view."""
    options = b"size=4096,nr_inodes=1,mode=000"
    _check(_libc().mount(b"none", os.fsencode(path), b"tmpfs", _MS_RDONLY, options))


@functools.cache
def _landlock_rights() -> tuple[int, int, int]:
    """(Landlock's version here or 0, all file rights it knows, size of its attributes)."""
    version = _libc().syscall(_CREATE_RULESET, None, 0, _RULESET_VERSION)
    if version < 1:
        return 0, 0, 0
    rights = 13 + (version >= 2) + (version >= 3) + (version >= 5)
    return version, (1 << rights) - 1, 8 if version < 4 else 16 if version < 6 else 24


def _landlock_rules(read: list[str], write: list[str]) -> int:
    """A descriptor of rules: nothing but `read` is read, nothing but `write` is written, no TCP,
    no signal and no abstract socket outside, as far as this kernel's version goes."""
    version, rights, size = _landlock_rights()
    if not version:
        raise OSError("this kernel has no Landlock")
    attributes = struct.pack("=QQQ", rights, 0b11, 0b11)[:size]
    rules = _check(_libc().syscall(_CREATE_RULESET, attributes, size, 0))
    for path in read:
        _allow_path(rules, path, (_READ_FILE | _READ_DIR) & rights)
    for path in write:
        _allow_path(rules, path, (_READ_FILE | _READ_DIR | _WRITE) & rights)
    return rules


def _allow_path(rules: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # not here, so there is nothing to allow
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            rights &= _FILE_RIGHTS
        rule = struct.pack("=Qi", rights, fd)
        _check(_libc().syscall(_ADD_RULE, rules, _RULE_PATH_BENEATH, rule, 0))
    finally:
        os.close(fd)


def _limit(limits: dict[str, int]) -> None:
    """Limits in seconds, bytes and numbers; "memory" is on top of what this process has mapped."""
    wanted = {"CORE": (0, 0)}
    if "cpu" in limits:
        # a signal first; the first process of a namespace is deaf to it, so then the end
        wanted["CPU"] = (limits["cpu"], limits["cpu"] + 1)
    if "memory" in limits and sys.platform == "linux":
        with open("/proc/self/statm", "rb") as file:
            mapped = int(file.read().split()[0]) * resource.getpagesize()
        wanted["AS"] = (mapped + limits["memory"],) * 2
    for key, name in (("file", "FSIZE"), ("open_files", "NOFILE"), ("processes", "NPROC")):
        if key in limits:
            wanted[name] = (limits[key],) * 2
    for name, (soft, hard) in wanted.items():
        kind = getattr(resource, f"RLIMIT_{name}", None)
        if kind is not None:
            ceiling = resource.getrlimit(kind)[1]
            if ceiling != resource.RLIM_INFINITY:
                soft, hard = min(soft, ceiling), min(hard, ceiling)
            resource.setrlimit(kind, (soft, hard))


def _close_all_but(keep: set[int]) -> None:
    keep.discard(-1)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in {0, 1, 2} - keep:
        os.dup2(null, fd)
    low = 3
    for fd in sorted(fd for fd in keep if fd > 2):
        _close_range(low, fd - 1)
        low = fd + 1
    _close_range(low, 0xFFFFFFFF)


def _close_range(low: int, high: int) -> None:
    if low > high:
        return
    if sys.platform != "linux" or _libc().syscall(_CLOSE_RANGE, low, high, 0) < 0:
        os.closerange(low, min(high, _OLD_SYSTEMS_LAST_FD) + 1)


def _uid(plan: dict[str, Any]) -> int | None:
    """A user id that no other running child has: the first of a range that nobody uses, plus the
    process id as the outer namespace counts it. None: stay who we are."""
    if not plan["uid_count"]:
        return None
    return int(plan["uid_first"]) + int(os.readlink("/proc/self")) % int(plan["uid_count"])


def _drop_rights(uid: int | None, keep: list[int]) -> None:
    """Become `uid`, and give up all capabilities but `keep`, for ever."""
    with contextlib.suppress(OSError):  # needs a right that an unprivileged process never had
        for number in range(64):
            if _prctl(_PR_CAPBSET_READ, number) == 1:
                _prctl(_PR_CAPBSET_DROP, number)
    if uid is not None:
        _prctl(_PR_SET_KEEPCAPS, 1 if keep else 0)
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        if {*os.getresuid(), *os.getresgid(), *os.getgroups()} != {uid}:
            raise OSError("the user id did not change")  # -1 means "leave it" to the kernel
    _prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    kept = sum(1 << number for number in keep)
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    _check(_libc().capset(header, struct.pack("=6I", kept, kept, 0, 0, 0, 0)))


def _filter_calls(program: bytes, own_pid_at: list[int]) -> None:
    """Install the filter, with this process's id where the program leaves room for it."""
    code = bytearray(program)
    for at in own_pid_at:
        struct.pack_into("=I", code, at, os.getpid())
    buffer = ctypes.create_string_buffer(bytes(code), len(code))
    filter_ = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    pointer = ctypes.create_string_buffer(filter_, len(filter_))
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(pointer))
