# attack: recursion without an end, in Python and in C
# limits: short
# review: yes
import sys

sys.setrecursionlimit(10**7)


def relu(x):
    return relu(x)


def logistic(x):
    thing = []
    for _ in range(300_000):
        thing = [thing]
    return repr(thing)


def cross_entropy(y_pred, y):
    return eval("-" * 100_000 + "1")
