# attack: subclasses of float, int and str whose conversions end or never return
# limits: short
class Endless(float):
    def __float__(self):
        while True:
            pass


class Exiting(int):
    def __int__(self):
        raise SystemExit(0)

    __index__ = __int__


class Bomb(str):
    def __str__(self):
        raise KeyboardInterrupt

    def __getitem__(self, item):
        return "x" * 10**9


def relu(x):
    return Endless(1.0)


def logistic(x):
    return Exiting(3)


def cross_entropy(y_pred, y):
    return Bomb("x")


def train(params, X, Y, epochs=100, lr=0.1):
    return [Endless(0.0)] * (epochs * len(X))
