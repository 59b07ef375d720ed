# attack: kills itself
# says: the process
import os
import signal


def relu(x):
    os.kill(os.getpid(), signal.SIGKILL)
    os.abort()


def logistic(x):
    os.abort()
