# attack: generators and infinite iterators as answers
# limits: short
import itertools


def relu(x):
    while True:
        yield x


def logistic(x):
    return itertools.cycle([x])


def cross_entropy(y_pred, y):
    return iter(int, 1)


async def forward(X, W1, b1, W2, b2):
    return X


def train(params, X, Y, epochs=100, lr=0.1):
    return (0.0 for _ in itertools.count())


def init_params(hidden=20):
    return range(10**12)
