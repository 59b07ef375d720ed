# attack: lists, tuples and dictionaries whose walks are traps
# limits: short
class Trap(list):
    def __len__(self):
        raise SystemExit(0)

    def __iter__(self):
        while True:
            yield self

    def __getitem__(self, item):
        raise MemoryError


class Pairs(dict):
    def items(self):
        while True:
            pass

    def __iter__(self):
        raise SystemExit(0)


class Endless(tuple):
    def __iter__(self):
        while True:
            yield 1


def relu(x):
    return Trap([x])


def logistic(x):
    return Pairs({1: x, "a": Trap()})


def cross_entropy(y_pred, y):
    return Endless((y_pred,))


def forward(X, W1, b1, W2, b2):
    nested = []
    for _ in range(5_000):
        nested = [nested]
    return nested


def init_params(hidden=20):
    loop = []
    loop.append(loop)
    return loop


def train(params, X, Y, epochs=100, lr=0.1):
    return Trap([0.0] * (epochs * len(X)))
