"""How this assignment's wrong answers look.

Every function here is wrong on purpose. What shows in how a model is trained (which samples, which
gradients, which steps) the grader finds out itself; here are the mistakes that show in what a
model, a loss or a number is worth, and in the parameters of a model.
"""

import ast
import re

import torch
import torch.nn.functional as F

from grader.misconceptions.imitation import Imitation, recognises
from grader.student.handles import Blueprint

# ---------------------------------------------------------------------------- models


def by_shape(parameters, X):
    """(W1, b1, W2, b2) as the by-hand network has them, whatever the model calls them."""
    tensors = list(parameters.values())
    first = next(p for p in tensors if p.dim() == 2 and p.shape[1] == X.shape[-1])
    rest = [p for p in tensors if p is not first]
    last = next(p for p in rest if p.dim() == 2)
    bias = next(p for p in rest if p.dim() == 1 and len(p) == len(first))
    end = next(p for p in rest if p is not bias and p is not last)
    return first.T, bias, last.T, end


def network(hidden=torch.relu, end=lambda z: z):
    """A model with other functions in the middle and at its end."""

    def model(X, parameters):
        W1, b1, W2, b2 = by_shape(parameters, X)
        return end(F.linear(hidden(F.linear(X, W1.T, b1)), W2.T, b2))

    return model


MODELS = (
    ("hidden-activation-missing", "the two layers follow each other without relu",
     network(lambda h: h)),
    ("logistic-in-hidden", "the logistic stands where relu is due", network(torch.sigmoid)),
    ("other-activation", "tanh stands where relu is due", network(torch.tanh)),
    ("other-activation", "a leaky relu stands where relu is due", network(F.leaky_relu)),
    ("logistic-at-the-end", "the outputs have been through a logistic", network(end=torch.sigmoid)),
    ("relu-on-output", "the outputs have been through relu as well", network(end=torch.relu)),
    ("softmax-on-one-column", "the outputs are a softmax over the one column: all are 1",
     network(end=lambda z: torch.softmax(z, -1))),
    ("softmax-on-one-column", "the outputs are a softmax over the samples",
     network(end=lambda z: torch.softmax(z, 0))),
    ("output-thresholded", "the outputs are all 0 or 1", network(end=lambda z: (z > 0).float())),
    ("logistic-at-the-end", "the outputs are log p, after a logistic", network(end=F.logsigmoid)),
    ("output-flattened", "one output a sample comes back, in a shape without its second dimension",
     network(end=lambda z: z.reshape(-1))),
    ("output-flattened", "all outputs come back in one row", network(end=lambda z: z.T)),
)  # fmt: skip


TWO_AT_ONCE = (
    ("logistic-in-hidden", "the logistic stands in the middle and at the end",
     network(torch.sigmoid, torch.sigmoid)),
    ("hidden-activation-missing", "there is no relu, and a logistic at the end",
     network(lambda h: h, torch.sigmoid)),
    ("other-activation", "tanh stands in the middle, and a logistic at the end",
     network(torch.tanh, torch.sigmoid)),
)  # fmt: skip


def models(exercise):
    for slug, account, function in MODELS:
        yield Imitation((slug,), exercise, function, account)
    for slug, account, function in TWO_AT_ONCE:
        yield Imitation((slug, "logistic-at-the-end"), exercise, function, account)


def shapes_of(record):
    """The shapes of the parameters of what was returned, and how many hidden units were asked."""
    seen = record.module(record.returned)
    return [tuple(p.after.shape) for p in seen.parameters]


def asked_hidden(record):
    if record.function == "make_model":
        return record.args[0] if record.args else 20
    return record.args[0].shape[1]


@recognises("bias-missing", exercise="make_model")
@recognises("bias-missing", exercise="to_library")
def no_bias(record, source_line):
    shapes = shapes_of(record)
    matrices = [shape for shape in shapes if len(shape) == 2]
    if len(matrices) != 2 or len(shapes) not in (2, 3):
        return False
    lacking = "the model has no bias at all" if len(shapes) == 2 else "one layer has no bias"
    return f"{lacking}: its parameters are {', '.join(map(str, shapes))}"


@recognises("one-output-per-class", exercise="make_model")
@recognises("one-output-per-class", exercise="to_library")
def two_outputs(record, source_line):
    shapes = shapes_of(record)
    hidden = asked_hidden(record)
    found = sorted(shapes) == sorted([(hidden, 2), (hidden,), (2, hidden), (2,)])
    return found and "the last layer has 2 outputs: one for each class, instead of one logit"


@recognises("layer-sizes-swapped", exercise="make_model")
def sizes_swapped(record, source_line):
    shapes = shapes_of(record)
    hidden = asked_hidden(record)
    first, last = (2, hidden) in shapes, (hidden, 1) in shapes
    if not (first or last) or hidden in (1, 2):
        return False
    given = "(hidden, 2)" if first else "(1, hidden)"
    which = "first" if first else "last"
    return f"the {which} layer was made with the sizes {given}: inputs come first, then outputs"


@recognises("hidden-size-fixed", exercise="make_model")
@recognises("hidden-size-fixed", exercise="to_library")
def another_size(record, source_line):
    hidden = asked_hidden(record)
    if record.raised is not None:
        sizes = set(map(int, re.findall(r"\((\d+)\)", record.raised.message)))
        others = sizes - {1, 2, hidden}
        if "must match the size of tensor" not in record.raised.message or len(others) != 1:
            return False
        return hidden in sizes and f"{hidden} hidden units were given to a layer of {others.pop()}"
    shapes = shapes_of(record)
    sizes = {shape[0] for shape in shapes if len(shape) == 2 and shape[1] == 2}
    if len(shapes) != 4 or len(sizes) != 1 or hidden in sizes:
        return False
    (size,) = sizes
    if sorted(shapes) != sorted([(size, 2), (size,), (1, size), (1,)]):
        return False
    return f"{hidden} hidden units were asked for, and the model has {size}"


# ---------------------------------------------------------------------------- to_library


@recognises("weights-transposed", exercise="to_library")
def reshaped(record, source_line):
    """The right numbers in the right shape, and in other places: reshaped where .T was due."""
    seen = record.module(record.returned)
    W1 = record.args[0].detach()
    for name, p in zip(seen.names, seen.after, strict=True):
        if p.dim() == 2 and p.shape == W1.T.shape and not torch.equal(p, W1.T):
            if torch.equal(p, W1.reshape(p.shape)):
                return (
                    f"{name}[0, 1] is {float(p[0, 1]):.4g}, which is W1[0, 1]; "
                    f"W1[1, 0], {float(W1[1, 0]):.4g}, belongs there"
                )
            if torch.equal(p.sort(dim=None).values, W1.sort(dim=None).values):
                return f"{name} holds the numbers of W1, in other places than its transpose does"
        if p.dim() == 2 and p.shape == W1.shape and torch.equal(p, W1):
            return f"{name} is W1 as it stands, of shape {tuple(W1.shape)}"
    return False


@recognises("weights-not-copied", exercise="to_library")
def left_as_they_were(record, source_line):
    """A parameter holds nothing of what was given: it is what the layer started with."""
    seen = record.module(record.returned)
    W1, b1, W2, b2 = (w.detach() for w in record.args)
    due = {tuple(W1.T.shape): W1.T, tuple(b1.shape): b1, tuple(W2.T.shape): W2.T}
    due[tuple(b2.shape)] = b2
    if sorted(due) != sorted(tuple(p.shape) for p in seen.after):
        return False
    other = [
        (name, p)
        for name, p in zip(seen.names, seen.after, strict=True)
        if not torch.allclose(p, due[tuple(p.shape)])
    ]
    right = len(seen.names) - len(other)
    if not other:
        return False
    # As layers start: within 1 / sqrt(inputs).
    if any(float(p.abs().max()) > inputs_of(p, W1) ** -0.5 for _, p in other):
        return False
    strangers = [
        name
        for name, p in other
        if not set(p.reshape(-1).tolist()) & set(due[tuple(p.shape)].reshape(-1).tolist())
    ]
    if len(strangers) != len(other):
        return False
    p = other[0][1]
    names = " and ".join(strangers)
    where = ", ".join("0" * p.dim())
    given = float(due[tuple(p.shape)].reshape(-1)[0])
    return (
        f"{right} of 4 parameters hold what was given; {names} did not get it: "
        f"[{where}] is {float(p.reshape(-1)[0]):.4g}, and {given:.4g} was given"
    )


def inputs_of(p, W1):
    """How many inputs the layer of this parameter has."""
    inputs, hidden = W1.shape
    return inputs if p.shape in ((hidden, inputs), (hidden,)) else hidden


def transpose_missing(line):
    return any(name in line for name in ("W1", "W2", "weight")) and not any(
        sign in line for sign in (".T", ".t(", "transpose", "permute", ".mT")
    )


@recognises(
    "weights-transposed",
    exercise="to_library",
    account="W1 is (2, hidden), and the layer's weight is (hidden, 2)",
)
def shapes_do_not_fit(record, source_line):
    raised = record.raised
    if raised is None or raised.type not in ("RuntimeError", "ValueError"):
        return False
    text = raised.message
    if record.function != "to_library":
        # A model came back whose own layers do not fit together.
        return "cannot be multiplied" in text
    fits = "must match the" in text or "size mismatch" in text or "shape" in text
    about_bias = "bias" in source_line and "weight" not in source_line
    return fits and transpose_missing(source_line) and not about_bias


# ---------------------------------------------------------------------------- losses


def mean_of(cost):
    return lambda z, y, *rest: cost(z, y).mean()


def right_cost(z, y):
    return F.softplus(z) - z * y


LOSSES = (
    ("loss-not-averaged", "your value is the sum over the samples",
     lambda z, y, *r: right_cost(z, y).sum()),
    ("loss-not-averaged", "you return each sample's own loss", lambda z, y, *r: right_cost(z, y)),
    ("logistic-applied-twice", "your values are those of one more logistic around the logits",
     mean_of(lambda z, y: right_cost(torch.sigmoid(z), y))),
    ("squared-error-instead", "your value is the mean of (logit - y) squared",
     mean_of(lambda z, y: (z - y) ** 2)),
    ("squared-error-instead", "your value is the mean of (p - y) squared",
     mean_of(lambda z, y: (torch.sigmoid(z) - y) ** 2)),
    ("squared-error-instead", "your value is the mean of |logit - y|",
     mean_of(lambda z, y: (z - y).abs())),
    ("multiclass-cross-entropy", "your value is 0: the loss for several classes, on one column",
     lambda z, y, *r: z.sum() * 0),
    ("multiclass-cross-entropy", "your value is that of the loss for several classes",
     lambda z, y, *r: F.cross_entropy(z.reshape(-1), y.reshape(-1))),
    ("arguments-swapped", "your values are those with logits and labels exchanged",
     mean_of(lambda z, y: right_cost(y, z))),
    ("labels-flipped", "your values are those with the labels 0 and 1 exchanged",
     mean_of(lambda z, y: right_cost(z, 1 - y))),
    ("cross-entropy-sign", "your value is minus the right one",
     mean_of(lambda z, y: -right_cost(z, y))),
    ("logistic-apart-from-loss", "your values are those of a loss on rounded probabilities",
     mean_of(lambda z, y: F.binary_cross_entropy(torch.sigmoid(z), y, reduction="none"))),
)  # fmt: skip


def losses():
    for slug, account, function in LOSSES:
        yield Imitation((slug,), "loss_function", function, account)


@recognises("loss-for-probabilities", exercise="loss_function")
def for_probabilities(record, source_line):
    raised = record.raised
    if raised is not None and "between 0 and 1" in raised.message:
        return (
            "it takes its first argument for probabilities, and refused a logit outside of 0 to 1"
        )
    return False


@recognises("loss-instead-of-function", exercise="loss_function")
def takes_arguments(record, source_line):
    raised = record.raised
    if raised is None or record.function != "loss_function" or raised.type != "TypeError":
        return False
    wants = "loss_function() missing" in raised.message
    return wants and "called without arguments, it raised TypeError: " + raised.message[:60]


# ---------------------------------------------------------------------------- training


@recognises("factory-not-called", exercise="train")
def maker_as_loss(record, source_line):
    raised = record.raised
    if raised is None or raised.type != "TypeError":
        return False
    given = "loss_function() takes 0 positional arguments" in raised.message
    return given and "loss_function itself was called with outputs and labels, and it takes neither"


def sample_losses(pieces, model, X, y, epochs, lr):
    """Right training, and each sample's loss, an epoch a list."""
    found = []
    for _ in range(epochs):
        losses = []
        for i in range(len(X)):
            losses += pieces.train(model, X[i : i + 1], y[i : i + 1], 1, lr)
        found.append(losses)
    return found


def loss_of_all(pieces, model, X, y):
    with torch.no_grad():
        return right_cost(model(X), y).sum().item()


def recorded(record):
    """Right training; what is returned is made of each epoch's list of losses."""

    def train(pieces, model, X, y, epochs=100, lr=0.1):
        return record(sample_losses(pieces, model, X, y, epochs, lr))

    return train


def after_each_step(pieces, model, X, y, epochs=100, lr=0.1):
    totals = []
    for _ in range(epochs):
        total = 0.0
        for i in range(len(X)):
            pieces.train(model, X[i : i + 1], y[i : i + 1], 1, lr)
            total += loss_of_all(pieces, model, X[i : i + 1], y[i : i + 1])
        totals.append(total)
    return totals


def after_each_epoch(pieces, model, X, y, epochs=100, lr=0.1):
    totals = []
    for _ in range(epochs):
        pieces.train(model, X, y, 1, lr)
        totals.append(loss_of_all(pieces, model, X, y))
    return totals


def before_each_epoch(pieces, model, X, y, epochs=100, lr=0.1):
    totals = []
    for _ in range(epochs):
        totals.append(loss_of_all(pieces, model, X, y))
        pieces.train(model, X, y, 1, lr)
    return totals


def running(totals):
    return [sum(totals[: i + 1]) for i in range(len(totals))]


RECORDS = (
    ("losses-per-step", "the list holds each step's loss, not each epoch's sum",
     recorded(lambda epochs: [loss for losses in epochs for loss in losses])),
    ("losses-per-step", "the list holds a list for each epoch, and no sum", recorded(list)),
    ("mean-not-sum", "the list holds each epoch's mean loss, not its sum",
     recorded(lambda epochs: [sum(losses) / len(losses) for losses in epochs])),
    ("last-loss-only", "the list holds the loss of each epoch's last sample, not the sum of all",
     recorded(lambda epochs: [losses[-1] for losses in epochs])),
    ("total-not-reset", "each entry holds the sums of all epochs before it as well",
     recorded(lambda epochs: running([sum(losses) for losses in epochs]))),
    ("total-not-reset", "each entry is a running sum, divided by the number of samples",
     recorded(lambda e: running([sum(losses) / len(losses) for losses in e]))),
    ("losses-per-step", "the list holds a running sum of the losses, an entry a step",
     recorded(lambda epochs: running([loss for losses in epochs for loss in losses]))),
    ("one-total-for-all", "the list holds the sum of all epochs, once",
     recorded(lambda epochs: [sum(map(sum, epochs))])),
    ("loss-after-update", "each loss is the sample's loss after its own step", after_each_step),
    ("loss-after-update", "each entry is the loss of all samples once the epoch is over",
     after_each_epoch),
    ("loss-of-all-before", "each entry is the loss of all samples before the epoch begins",
     before_each_epoch),
)  # fmt: skip


def descends(gradient):
    """A loop that steps along another gradient: `gradient(z, y)` is the loss that it follows."""

    def train(pieces, model, X, y, epochs=100, lr=0.1):
        totals = []
        for _ in range(epochs):
            total = 0.0
            for i in range(len(X)):
                loss = gradient(model(X[i : i + 1]), y[i : i + 1])
                slopes = torch.autograd.grad(loss, list(model.parameters()))
                with torch.no_grad():
                    for p, slope in zip(model.parameters(), slopes, strict=True):
                        p.sub_(slope, alpha=lr)
                total += loss.item()
            totals.append(total)
        return totals

    return train


FOLLOWED = (
    ("logistic-applied-twice", "steps and totals are those of one more logistic around the output",
     descends(lambda z, y: right_cost(torch.sigmoid(z), y).mean())),
    ("squared-error-instead", "steps and totals are those of (output - y) squared",
     descends(lambda z, y: ((z - y) ** 2).mean())),
    ("squared-error-instead", "steps and totals are those of (p - y) squared",
     descends(lambda z, y: ((torch.sigmoid(z) - y) ** 2).mean())),
    ("softmax-on-one-column", "nothing moves: every output went through a softmax, and is 1",
     descends(lambda z, y: right_cost(torch.softmax(z, 1), y).mean())),
    ("arguments-swapped", "steps and totals are those with outputs and labels exchanged",
     descends(lambda z, y: right_cost(y, z).mean())),
    ("labels-flipped", "steps and totals are those with the labels 0 and 1 exchanged",
     descends(lambda z, y: right_cost(z, 1 - y).mean())),
)  # fmt: skip


def with_labels_of(chosen):
    """A loop that takes the label of another sample: `chosen(i, n)` is its number."""

    def train(pieces, model, X, y, epochs=100, lr=0.1):
        order = [chosen(i, len(X)) for i in range(len(X))]
        return pieces.train(model, X, y[order], epochs, lr)

    return train


LABELS = (
    ("label-of-another-sample", "every step uses the label of the first sample",
     with_labels_of(lambda i, n: 0)),
    ("label-of-another-sample", "every step uses the label of the sample before",
     with_labels_of(lambda i, n: i - 1)),
    ("label-of-another-sample", "every step uses the label of the next sample",
     with_labels_of(lambda i, n: (i + 1) % n)),
)  # fmt: skip


def loops():
    for slug, account, function in (*RECORDS, *FOLLOWED, *LABELS):
        yield Imitation((slug,), "train", function, account, pieces=True)


# ---------------------------------------------------------------------------- accuracy


def compared(node):
    """A comparison, or a call that rounds."""
    rounds = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return isinstance(node, ast.Compare) or (rounds and node.func.attr in ROUNDS)


ROUNDS = {"round", "gt", "ge", "lt", "le", "eq", "where", "argmax", "max", "softmax", "heaviside"}


def scored(decide, share=None, inner=lambda z: z):
    """A number about a model: `decide` gives what it takes for its guesses."""
    average = share or (lambda guesses, y: (guesses == y).float().mean())

    def accuracy(model, X, y):
        with torch.no_grad():
            guesses = decide(inner(model(X))).to(torch.float32)
            return float(average(guesses, y))

    return accuracy


def right_guess(z):
    return (z > 0).float()


def table(guesses, y):
    return (guesses.reshape(-1) == y).float().mean()


SCORES = (
    ("logits-thresholded-at-half", "your value is that of comparing the logits with 0.5",
     scored(lambda z: z > 0.5)),
    ("logits-thresholded-at-half", "your value is that of rounding the logits",
     scored(lambda z: z.round())),
    ("broadcast-to-matrix", "your value is that of a table in which each guess meets every label",
     scored(right_guess, table)),
    ("broadcast-to-matrix", "your value is that of a table of all pairs, with logits against 0.5",
     scored(lambda z: z > 0.5, table)),
    ("percentage-returned", "your value is 100 times the share",
     scored(right_guess, lambda g, y: 100 * (g == y).float().mean())),
    ("count-returned", "your value is the number of right ones, not their share",
     scored(right_guess, lambda g, y: (g == y).sum())),
    ("error-rate-instead", "your value is the share of wrong ones",
     scored(right_guess, lambda g, y: (g != y).float().mean())),
    ("labels-ignored", "your value is the share of samples that were taken for a 1",
     scored(right_guess, lambda g, y: g.mean())),
    ("probabilities-compared", "your value is that of asking whether a probability is its label",
     scored(torch.sigmoid)),
    ("probabilities-compared", "your value is that of asking whether a logit is its label",
     scored(lambda z: z)),
    ("error-instead-of-share", "your value is 1 minus the mean distance of probability and label",
     scored(torch.sigmoid, lambda p, y: 1 - (p - y).abs().mean())),
    ("error-instead-of-share", "your value is a mean of probabilities, not a share of right ones",
     scored(torch.sigmoid, lambda p, y: (y * p + (1 - y) * (1 - p)).mean())),
    ("all-or-nothing", "your value says only whether all samples are right",
     scored(right_guess, lambda g, y: float(bool((g == y).all())))),
    ("first-sample-only", "your value is about the first sample alone",
     scored(right_guess, lambda g, y: float(g[0] == y[0]))),
    ("one-class-counted", "your value counts only the ones that were taken for a 1",
     scored(right_guess, lambda g, y: (g * y).sum() / len(y))),
    ("one-class-counted", "your value is the share of the ones that were taken for a 1",
     scored(right_guess, lambda g, y: (g * y).sum() / y.sum())),
    ("one-class-counted", "your value is the share of true ones among those taken for a 1",
     scored(right_guess, lambda g, y: (g * y).sum() / g.sum())),
)  # fmt: skip


def scores():
    for slug, account, function in SCORES:
        yield Imitation((slug,), "accuracy", function, account, at=compared)


def taken_for(record, label):
    """Whether the number is that of taking every sample for `label`."""
    y = record.args[2]
    return isinstance(record.returned, float) and (
        abs(record.returned - float((y == label).float().mean())) < 1e-6
    )


def operations(record):
    return [operation.name for operation in record.trace]


@recognises("softmax-on-one-column", exercise="accuracy", at=compared)
def softmax_of_one(record, source_line):
    ran = "softmax" in operations(record)
    return (
        ran
        and taken_for(record, 1)
        and "every sample was taken for a 1: a softmax over one column is always 1"
    )


@recognises("argmax-on-one-column", exercise="accuracy", at=compared)
def argmax_of_one(record, source_line):
    ran = {"argmax", "max", "topk"} & set(operations(record))
    return (
        bool(ran)
        and taken_for(record, 0)
        and "every sample was taken for a 0: the largest of one column is its number 0"
    )


@recognises("logistic-applied-twice", exercise="accuracy", at=compared)
def logistic_of_logistic(record, source_line):
    ran = operations(record).count("sigmoid") >= 2
    return (
        ran
        and taken_for(record, 1)
        and "every sample was taken for a 1: the logistic of a probability is above 0.5"
    )


@recognises("probabilities-thresholded-at-zero", exercise="accuracy", at=compared)
def probabilities_above_zero(record, source_line):
    ran = "sigmoid" in operations(record)
    return (
        ran
        and taken_for(record, 1)
        and "every sample was taken for a 1: a probability is always above 0"
    )


# ---------------------------------------------------------------------------- what the grader asks


def imitations():
    yield from models("make_model")
    yield from models("to_library")
    yield from losses()
    yield from loops()
    yield from scores()


def drawn(draw, hidden):
    """A model and its by-hand weights."""
    W1, b1, W2, b2 = (draw.normal(*s) for s in ((2, hidden), (hidden,), (hidden, 1), (1,)))
    layers = (("Linear", 2, hidden), ("ReLU",), ("Linear", hidden, 1))
    kept = (W1.T.contiguous(), b1, W2.T.contiguous(), b2)
    return Blueprint(layers, kept), (W1, b1, W2, b2)


def inputs(exercise, draw):
    """Arguments on which the wrong answers of an exercise differ from each other."""
    if exercise == "make_model":
        return [
            ((hidden,), (draw.normal(count, 2, scale=3),)) for hidden, count in ((4, 9), (9, 6))
        ]
    if exercise == "to_library":
        return [(drawn(draw, 6)[1], (draw.normal(8, 2, scale=3),))]
    if exercise == "loss_function":
        return [
            ((), (draw.away_from(0, count, 1, reach=reach), draw.labels(count, 1)))
            for count, reach in ((6, 5.0), (4, 1.0))
        ]
    if exercise == "train":
        model, _ = drawn(draw, 4)
        return [(model, draw.uniform(4, 2), draw.labels(4, 1), 3, 0.3)]
    found = [
        (drawn(draw, 6)[0], draw.normal(count, 2, scale=2), draw.labels(count, 1))
        for count in (14, 10, 17)
    ]
    # And one with every sample right.
    model, X = found[0][0], found[0][1]
    return [*found, (model, X, right_guess(model.build()(X).detach()))]
