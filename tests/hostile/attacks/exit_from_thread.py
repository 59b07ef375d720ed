# attack: a thread ends the process between two calls
# limits: short
import os
import threading


def relu(x):
    threading.Timer(0.02, os._exit, [0]).start()
    return x


def logistic(x):
    threading.Timer(0.0, os._exit, [0]).start()
    return x
