# attack: becomes another program
# levels: jail confined
import os
import sys


def relu(x):
    os.execv(sys.executable, [sys.executable, "-c", "print('passed')"])


def logistic(x):
    os.execv("/bin/true", ["true"])
