"""Run as a script by root: `userns.py FIRST COUNT COMMAND...` executes the command in a new user
namespace in which 0 is this user and 1, 2, ... are the user ids FIRST, FIRST + 1, ...

bubblewrap alone maps one user id; children that are to have one each need more. Only a process
left outside may write such a map, so a child is forked for it.
"""

from __future__ import annotations

import ctypes
import os
import sys

_CLONE_NEWUSER = 0x10000000


def main(first: str, count: str, *command: str) -> None:
    target = os.getpid()
    ready, inside = os.pipe()
    writer = os.fork()
    if writer == 0:
        status = 1
        try:
            os.close(inside)
            os.read(ready, 1)
            for name in ("uid_map", "gid_map"):
                fd = os.open(f"/proc/{target}/{name}", os.O_WRONLY)
                # one write: the kernel takes a map once
                os.write(fd, f"0 0 1\n1 {first} {count}\n".encode())
            status = 0
        finally:
            os._exit(status)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWUSER) < 0:
        sys.exit(f"no new user namespace: {os.strerror(ctypes.get_errno())}")
    os.write(inside, b".")
    os.close(inside)
    os.close(ready)
    if os.waitpid(writer, 0)[1] != 0:
        sys.exit("the user ids could not be mapped")
    os.execv(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
