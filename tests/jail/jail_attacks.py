"""What hostile code tries, each as one function: it returns where it got through, raises where not.

The zygote script imports this before it forks, so a function runs as a student's code would.
"""

from __future__ import annotations

import ctypes
import encodings.idna  # noqa: F401 - a look-up needs it, and not to fail for want of it
import errno
import fcntl
import mmap
import os
import platform
import resource
import signal
import socket
import struct
import threading
import time

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long

# (x86-64, aarch64)
_NUMBERS = {
    "ptrace": (101, 117),
    "tgkill": (234, 131),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "prlimit64": (302, 261),
    "setrlimit": (160, 164),
    "clone": (56, 220),
    "clone3": (435, 435),
    "mount": (165, 40),
    "chroot": (161, 51),
    "setns": (308, 268),
    "memfd_create": (319, 279),
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "keyctl": (250, 219),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "process_vm_readv": (310, 270),
    "pidfd_open": (434, 434),
    "open_by_handle_at": (304, 265),
    "capset": (126, 91),
    "seccomp": (317, 277),
    "fsopen": (430, 430),
    "shmget": (29, 194),
}


def _call(name: str, *arguments: object) -> int:
    number = _NUMBERS[name][platform.machine() == "aarch64"]
    return _check(_LIBC.syscall(number, *arguments))


def _check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _set_limit(kind: int, value: int) -> None:
    try:
        resource.setrlimit(kind, (value, value))
    except ValueError as refused:  # what Python makes of EPERM
        raise PermissionError(errno.EPERM, str(refused)) from refused


def read(path: str) -> str:
    with open(path, "rb") as file:
        return repr(file.read(20))


def read_shadow(parent: int) -> str:
    return read("/etc/shadow")


def list_accounts(parent: int) -> list[str]:
    return os.listdir("/var")


def list_processes(parent: int) -> list[str]:
    return os.listdir("/proc")


def read_own_status(parent: int) -> str:
    return read("/proc/self/status")


def read_planted(path: str) -> str:
    return read(path)


def write_planted(path: str) -> int:
    with open(path, "ab") as file:
        return file.write(b"x")


def write_beside(path: str) -> int:
    with open(path + ".new", "wb") as file:
        return file.write(b"x")


def empty_planted(path: str) -> int:
    return os.open(path, os.O_RDONLY | os.O_TRUNC)


def truncate_planted(path: str) -> None:
    os.truncate(path, 0)


def open_up_planted(path: str) -> None:
    os.chmod(path, 0o777)


def touch_planted(path: str) -> None:
    os.utime(path)


def remove_planted(path: str) -> None:
    os.unlink(path)


def link_planted(path: str) -> None:
    os.symlink(path, path + ".link")


def tcp(parent: int) -> None:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).connect(("127.0.0.1", 1))


def tcp_listen(parent: int) -> None:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).bind(("127.0.0.1", 0))


def udp(parent: int) -> None:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9))


def unix_socket(parent: int) -> None:
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).bind("\0somewhere")


def socket_pair(parent: int) -> None:
    socket.socketpair()


def name_lookup(parent: int) -> object:
    return socket.getaddrinfo("localhost", 80)


def fork(parent: int) -> int:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return pid


def clone_process(parent: int) -> int:
    pid = _call("clone", signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    return pid


def clone_untraced_namespace(parent: int) -> int:
    pid = _call("clone", 0x10000000 | 0x10000 | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    return pid


def clone3_process(parent: int) -> int:
    arguments = struct.pack("=11Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, 0, 0, 0)
    pid = _call("clone3", arguments, len(arguments))
    if pid == 0:
        os._exit(0)
    return pid


def execute(parent: int) -> None:
    os.execv("/bin/true", ["true"])


def spawn(parent: int) -> int:
    return os.posix_spawn("/bin/true", ["true"], {})


def shell(parent: int) -> int:
    _LIBC.system.restype = ctypes.c_int
    status = _LIBC.system(b"true")
    if status != 0:
        raise PermissionError(errno.EPERM, f"system() gave {status}")
    return status


def trace(parent: int) -> int:
    return _call("ptrace", 16, parent, 0, 0)


def be_traced(parent: int) -> int:
    return _call("ptrace", 0, 0, 0, 0)


def kill_parent(parent: int) -> None:
    os.kill(parent, 0)


def kill_all(parent: int) -> None:
    os.kill(-1, 0)


def kill_group(parent: int) -> None:
    os.killpg(os.getpgrp(), 0)


def kill_thread(parent: int) -> int:
    return _call("tgkill", parent, parent, 0)


def kill_thread_old(parent: int) -> int:
    return _call("tkill", parent, 0)


def queue_signal(parent: int) -> int:
    return _call("rt_sigqueueinfo", parent, 0, bytes(128))


def signal_by_descriptor(parent: int) -> int:
    return _call("pidfd_open", parent, 0)


def signal_by_io(parent: int) -> None:
    fcntl.fcntl(0, fcntl.F_SETOWN, parent)


def limit_parent(parent: int) -> None:
    resource.prlimit(parent, resource.RLIMIT_CPU, (1, 1))


def read_parent_limits(parent: int) -> object:
    return resource.prlimit(parent, resource.RLIMIT_CPU)


def raise_limits(parent: int) -> None:
    _set_limit(resource.RLIMIT_AS, resource.RLIM_INFINITY)


def raise_soft_limit(parent: int) -> None:
    _set_limit(resource.RLIMIT_CPU, resource.getrlimit(resource.RLIMIT_CPU)[1])


def raise_limits_old(parent: int) -> int:
    return _call("setrlimit", resource.RLIMIT_CPU, struct.pack("=2Q", 2**62, 2**62))


def renice_parent(parent: int) -> None:
    os.setpriority(os.PRIO_PROCESS, parent, 19)


def move_parent(parent: int) -> None:
    os.sched_setaffinity(parent, {0})


def unshare_users(parent: int) -> int:
    return _check(_LIBC.unshare(0x10000000))


def unshare_mounts(parent: int) -> int:
    return _check(_LIBC.unshare(0x00020000))


def mount(parent: int) -> int:
    return _check(_LIBC.mount(b"x", b"/tmp", b"tmpfs", 0, None))


def new_mount(parent: int) -> int:
    return _call("fsopen", b"tmpfs", 0)


def unmount(parent: int) -> int:
    return _check(_LIBC.umount2(b"/tmp", 2))


def change_root(parent: int) -> int:
    return _call("chroot", b"/tmp")


def enter_namespace(parent: int) -> int:
    return _call("setns", 0, 0)


def read_parent_memory(parent: int) -> str:
    with open(f"/proc/{parent}/mem", "rb") as file:
        file.seek(0x400000)
        return repr(file.read(4))


def read_parent_environment(parent: int) -> str:
    return read(f"/proc/{parent}/environ")


def read_parent_maps(parent: int) -> str:
    return read(f"/proc/{parent}/maps")


def reach_through_parent_root(parent: int) -> list[str]:
    return os.listdir(f"/proc/{parent}/root")


def reach_parent_descriptors(parent: int) -> list[str]:
    return os.listdir(f"/proc/{parent}/fd")


def write_own_memory(parent: int) -> int:
    return os.open("/proc/self/mem", os.O_RDWR)


def copy_parent_memory(parent: int) -> int:
    return _call("process_vm_readv", parent, None, 0, None, 0, 0)


def become_root(parent: int) -> None:
    os.setuid(0)


def take_capabilities(parent: int) -> int:
    return _call("capset", struct.pack("=Ii", 0x20080522, 0), struct.pack("=6I", *[2**32 - 1] * 6))


def memory_file(parent: int) -> int:
    return _call("memfd_create", b"x", 0)


def io_uring(parent: int) -> int:
    return _call("io_uring_setup", 1, bytes(120))


def bpf(parent: int) -> int:
    return _call("bpf", 5, bytes(64), 64)


def keys(parent: int) -> int:
    return _call("keyctl", 0, -3, 0)


def page_faults(parent: int) -> int:
    return _call("userfaultfd", 1)


def performance_counters(parent: int) -> int:
    return _call("perf_event_open", bytes(128), 0, -1, -1, 0)


def open_by_handle(parent: int) -> int:
    return _call("open_by_handle_at", -100, bytes(64), 0)


def loosen_filter(parent: int) -> int:
    return _call("seccomp", 1, 0, struct.pack("=HxxxxxxQ", 0, 0))


def shared_memory(parent: int) -> int:
    return _call("shmget", 0, 4096, 0o1600)


def map_device(parent: int) -> int:
    with open("/dev/mem", "rb") as file:
        return len(mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ))


# not attacks: what must work, or what a test wants to know


def nothing(parent: int) -> None:
    pass


def root_listing(parent: int) -> list[str]:
    return os.listdir("/")


def facts(parent: int) -> dict[str, object]:
    header, data = struct.pack("=Ii", 0x20080522, 0), ctypes.create_string_buffer(24)
    _check(_LIBC.capget(header, data))
    words = struct.unpack("=6I", data.raw)
    open_fds = []
    for fd in range(1024):
        try:
            os.fstat(fd)
        except OSError:
            continue
        open_fds.append(fd)
    try:
        scratch = os.access(os.getcwd(), os.W_OK)
    except OSError:
        scratch = False
    return {
        "uids": os.getresuid(),
        "gids": os.getresgid(),
        "groups": os.getgroups(),
        "pid": os.getpid(),
        "session": os.getsid(0) == os.getpid(),
        "effective": words[0] | words[3] << 32,
        "permitted": words[1] | words[4] << 32,
        "inheritable": words[2] | words[5] << 32,
        "bounding": [n for n in range(64) if _LIBC.prctl(23, n, 0, 0, 0) == 1],
        "dumpable": _LIBC.prctl(3, 0, 0, 0, 0),
        "fds": open_fds,
        "cwd": os.getcwd(),
        "writable": scratch,
        "core": resource.getrlimit(resource.RLIMIT_CORE),
        "open_files": resource.getrlimit(resource.RLIMIT_NOFILE),
    }


def late_import(parent: int) -> str:
    import wave  # nothing has imported it before

    return wave.__name__


def torch_work(parent: int) -> float:
    import torch

    torch.manual_seed(0)
    x = torch.randn(8, 3, dtype=torch.float64, requires_grad=True)
    w = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda a, b: torch.sigmoid(a @ b), (x, w))
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(x.float().detach()).square().mean()
        loss.backward()
        optimizer.step()
    output, _ = torch.nn.LSTM(3, 4)(torch.randn(5, 2, 3))
    output.sum().backward()
    image = torch.nn.Conv2d(1, 2, 3)(torch.randn(1, 1, 8, 8))
    image.sum().backward()
    torch.linalg.svd(torch.randn(20, 20))
    torch.linalg.inv(torch.eye(4) + 0.1)
    torch.fft.fft(torch.randn(64))
    layer = torch.nn.TransformerEncoderLayer(8, 2, batch_first=True)
    layer(torch.randn(2, 3, 8)).sum().backward()
    torch.randn(100, 100).sort()
    torch.randperm(100).cumsum(0)
    torch.testing.assert_close(image, image.clone())
    return float(loss.detach())


def threads(parent: int) -> int:
    done: list[int] = []
    workers = [threading.Thread(target=done.append, args=(n,)) for n in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return len(done)


def write_scratch(parent: int) -> str:
    with open("own.txt", "w", encoding="utf-8") as file:
        file.write("mine")
    os.mkdir("folder")
    os.rename("own.txt", "folder/moved.txt")
    with open("folder/moved.txt", encoding="utf-8") as file:
        return file.read()


def leftovers(parent: int) -> list[str]:
    return os.listdir(".")


def fill_scratch(parent: int) -> str:
    try:
        for number in range(64):
            with open(f"{number}", "wb") as file:
                file.write(bytes(1 << 20))
    except OSError as full:
        return errno.errorcode[full.errno]
    return "never full"


def big_file(parent: int) -> str:
    try:
        with open("big", "wb") as file:
            file.truncate(1 << 30)
    except OSError as full:
        return errno.errorcode[full.errno]
    return "no limit"


def throw_away(parent: int) -> int:
    with open(os.devnull, "w", encoding="utf-8") as file:
        return file.write("x")


def hoard_memory(parent: int) -> str:
    try:
        bytearray(2 << 30)
    except MemoryError:
        return "MemoryError"
    return "no limit"


def hoard_descriptors(parent: int) -> int:
    opened = 0
    try:
        while opened < 5000:
            os.dup(0)
            opened += 1
    except OSError:
        pass
    return opened


def abort(parent: int) -> None:
    os.abort()


def burn(parent: int) -> None:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while True:
        pass


def hang(parent: int) -> None:
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    time.sleep(600)
