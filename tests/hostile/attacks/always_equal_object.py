# attack: an object that claims to equal anything, and to be a tensor
# quick: yes
import torch


class Anything:
    __class__ = torch.Tensor
    dtype = torch.float32
    shape = torch.Size([5, 4])
    requires_grad = True

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return 0

    def __bool__(self):
        return True

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __sub__(self, other):
        return 0

    __lt__ = __le__ = __gt__ = __ge__ = __eq__

    def __float__(self):
        return 0.0

    def __array__(self, *args, **kwargs):
        raise SystemExit(0)


def relu(x):
    return Anything()


def logistic(x):
    return [Anything()]


def cross_entropy(y_pred, y):
    return Anything()


def forward(X, W1, b1, W2, b2):
    return Anything()


def sgd(params, lr=0.1):
    for i in range(len(params)):
        params[i] = Anything()


def init_params(hidden=20):
    return [Anything()] * 4


def train(params, X, Y, epochs=100, lr=0.1):
    return [Anything()] * (epochs * len(X))
