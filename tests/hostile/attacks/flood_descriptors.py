# attack: writes garbage on every descriptor from 0 to 64
# quick: yes
# limits: short
import os


def flood():
    for descriptor in range(65):
        for data in (b"\0\0\0\x05hello", b"A" * 65536, b"\xff\xff\xff\xff"):
            try:
                os.set_blocking(descriptor, False)
                os.write(descriptor, data)
            except OSError:
                pass


def relu(x):
    flood()
    return x


def logistic(x):
    flood()
    os._exit(0)


flood()
