# attack: a loop that never leaves C
# limits: short
# says: stopped
import itertools


def relu(x):
    return sum(itertools.repeat(1))


def logistic(x):
    return pow(7, 10**9)


def cross_entropy(y_pred, y):
    all(itertools.count(1))
