# attack: ignores alarms and requests to end, and then never returns
# quick: yes
# limits: short
# review: yes
import signal


def deaf():
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))


def relu(x):
    deaf()
    while True:
        pass
