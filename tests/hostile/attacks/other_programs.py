# attack: starts other programs that stay
# levels: jail confined
# review: yes
import os
import subprocess
import sys


def attempt(action):
    try:
        action()
    except (OSError, RuntimeError, ImportError):
        pass


def relu(x):
    attempt(lambda: subprocess.Popen(["sleep", "300"], start_new_session=True))
    attempt(lambda: os.posix_spawn("/bin/sleep", ["sleep", "300"], {}))
    attempt(lambda: os.system("sleep 300 &"))
    attempt(lambda: subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"]))
    return x
