# attack: a regular expression that backtracks for ages, and a sleep
# limits: short
import re
import time


def relu(x):
    return re.match(r"(a+)+$", "a" * 60 + "b")


def logistic(x):
    time.sleep(1000)
