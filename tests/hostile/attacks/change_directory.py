# attack: another root, working folder, mask and host name
# levels: jail confined
# review: yes
import ctypes
import os

libc = ctypes.CDLL(None)
for action in (
    lambda: os.chdir("@CANARY@"),
    lambda: os.chroot("@CANARY@"),
    lambda: os.umask(0),
    lambda: libc.mount(b"none", b"@CANARY@", b"tmpfs", 0, None),
    lambda: libc.umount2(b"/", 2),
    lambda: libc.unshare(0x10000000),
    lambda: libc.sethostname(b"evil", 4),
    lambda: open("was-here.txt", "w").write("x"),
):
    try:
        action()
    except (OSError, AttributeError):
        pass


def relu(x):
    return x
