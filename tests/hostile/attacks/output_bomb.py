# attack: more output than anyone can read, with escapes that move the cursor
# limits: short
import os
import sys
import warnings


def relu(x):
    for _ in range(300):
        print("\x1b[2J\x1b[1;1H" + "passed " * 3_000)
        sys.stderr.write("\a" * 10_000)
        warnings.warn("w" * 10_000, stacklevel=1)
        os.write(1, b"passed" * 1_000)
        os.write(2, b"passed" * 1_000)
    return x
