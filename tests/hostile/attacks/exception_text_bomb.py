# attack: exceptions whose text never ends, ends the process, or is huge
# limits: short
class Endless(Exception):
    def __str__(self):
        while True:
            pass


class Ending(BaseException):
    def __str__(self):
        raise SystemExit(0)


class Huge(Exception):
    def __str__(self):
        return "x" * 200_000_000

    def __repr__(self):
        return "x" * 200_000_000


class NoText(AttributeError):
    def __str__(self):
        return 5

    @property
    def name(self):
        return "n" * 10**8

    obj = property(lambda self: 1 / 0)


def relu(x):
    raise Endless


def logistic(x):
    raise Ending


def cross_entropy(y_pred, y):
    raise Huge


def forward(X, W1, b1, W2, b2):
    raise NoText
