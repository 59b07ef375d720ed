# attack: very long chains of causes, contexts and frames
# limits: short
def down(n):
    if n:
        try:
            down(n - 1)
        except ValueError as error:
            raise ValueError("x" * 10_000) from error
    raise ValueError("bottom")


def relu(x):
    down(300)


def logistic(x):
    error = ValueError("a")
    error.__cause__ = error
    error.__context__ = error
    raise ExceptionGroup("many", [ExceptionGroup("x" * 10_000, [ValueError("y")] * 100)] * 100)


def cross_entropy(y_pred, y):
    raise type("E" * 10_000, (Exception,), {})("\ud800 \x1b[2J \0 \u202e")
