# attack: ends the process in the middle of a call, with status 0
# quick: yes
# says: the process ended itself with status 0
import os


def relu(x):
    os._exit(0)


def logistic(x):
    raise SystemExit(0)
