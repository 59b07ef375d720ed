"""How this assignment's wrong answers look.

Every function here is wrong on purpose. They are made from PyTorch's own pieces, which the
exercises ban, so that nothing in this file can be handed in. Mistakes that show in the recorded
graph, in types or in gradients are known to the grader itself; here are those that show in values
and shapes.
"""

import ast
import itertools
import math
import re

import torch
import torch.nn.functional as F
from torch.optim.sgd import sgd as sgd_step

from grader.misconceptions.imitation import Imitation, imitates, recognises


def neat(k, rtol=1e-4):
    """The fewest digits that are as good as `k`: a fitted 0.0099999998 was written as 0.01."""
    rounded = (float(f"{k:.{digits}g}") for digits in (1, 2, 3))
    return next((r for r in rounded if abs(r - k) <= rtol * abs(k)), k)


def agree(a, b):
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-4, atol=2e-6)


def comparable(x, values):
    """Whether `values` may be an elementwise function of x, in numbers."""
    return (
        isinstance(values, torch.Tensor)
        and values.is_floating_point()
        and values.shape == x.shape
        and bool(torch.isfinite(values).all())
    )


# ---------------------------------------------------------------------------- relu


class Descent:
    """torch.optim.SGD by its functional form: the class takes a second to come up."""

    def __init__(self, params, lr, maximize=False):
        self.params = params
        self.lr = -lr if maximize else lr

    def step(self):
        moved = [p for p in self.params if p.grad is not None]
        with torch.no_grad():
            sgd_step(
                moved, [p.grad for p in moved], [None] * len(moved), foreach=False, fused=False,
                has_sparse_grad=False, weight_decay=0.0, momentum=0.0, lr=self.lr, dampening=0.0,
                nesterov=False, maximize=False,
            )  # fmt: skip

    def zero_grad(self):
        for p in self.params:
            p.grad = None


CLASSES_OF_ONE = "your value is 0: the loss for several classes, on a single column"
OVER_CLASSES = {"cross_entropy", "log_softmax", "softmax", "logsumexp", "nll_loss"}


@imitates("relu-inverted", exercise="relu", account="your values are those of min(x, 0)")
def keeps_the_negative(x):
    return -torch.relu(-x)


@imitates("relu-inverted", exercise="relu", account="your values are those of relu(-x)")
def turned_round(x):
    return torch.relu(-x)


@imitates("relu-absolute", exercise="relu", account="your values are those of |x|")
def without_sign(x):
    return torch.relu(x) + torch.relu(-x)


@imitates("relu-step", exercise="relu", account="your values are 1 where x is positive, and else 0")
def step(x):
    return (x > 0).to(x.dtype)


def slope_below_zero(args, values):
    x = args[0]
    if not comparable(x, values) or not agree(values * (x >= 0), torch.relu(x)):
        return None
    below = x < 0
    if not bool(below.any()):
        return None
    ratios = values[below] / x[below]
    k = float(ratios.median())
    even = float((ratios - k).abs().max()) <= 1e-4 * abs(k)
    return neat(k) if even and 1e-6 <= abs(k) <= 0.9 else None


@imitates(
    "relu-leaky",
    exercise="relu",
    account="your values are those of a leaky relu: negative x is multiplied by {k}",
    fit=slope_below_zero,
)
def leaky(x, k):
    return F.leaky_relu(x, k)


@imitates("relu-softplus", exercise="relu", account="your values are those of log(1 + exp(x))")
def plain_softplus(x):
    return F.softplus(x)


def sharpness(args, values):
    x = args[0]
    if not comparable(x, values) or x.numel() == 0:
        return None
    place = int(x.abs().reshape(-1).argmin())
    at, value = float(x.reshape(-1)[place]), float(values.reshape(-1)[place])
    low, high = math.log(0.02), math.log(100.0)
    for _ in range(45):  # softplus falls as beta grows
        beta = math.exp((low + high) / 2)
        too_high = math.log1p(math.exp(beta * at)) / beta > value
        low, high = ((low + high) / 2, high) if too_high else (low, (low + high) / 2)
    beta = math.exp((low + high) / 2)
    beta = neat(beta, rtol=2e-4)
    # Where it is as sharp as relu itself, nothing tells.
    round_enough = value - max(at, 0.0) > 1e-4
    return beta if round_enough and agree(softplus(x, beta), values) else None


@imitates(
    "relu-softplus",
    exercise="relu",
    account="your values are those of log(1 + exp({k} x)) / {k}",
    fit=sharpness,
)
def softplus(x, beta):
    return F.softplus(x, beta=beta)


def upper_bound(args, values):
    x = args[0]
    if not comparable(x, values) or x.numel() == 0:
        return None
    k = float(values.max())
    beyond = float(x.max()) > k * 1.001
    return neat(k, rtol=1e-6) if k > 1e-3 and beyond and agree(capped(x, k), values) else None


@imitates(
    "relu-capped",
    exercise="relu",
    account="your values never exceed {k}: larger x are cut off there",
    fit=upper_bound,
)
def capped(x, k):
    return F.hardtanh(x, 0.0, k)


LARGEST = re.compile(r"\b(max|maximum|fmax)\(\)|return_types\.max")


@recognises(
    "torch-max-misused",
    exercise="relu",
    account="no element was compared with zero",
)
def largest_along_a_dimension(record, source_line):
    raised, returned = record.raised, record.returned
    if raised is not None:
        if raised.type not in ("TypeError", "AttributeError"):
            return False
        return bool(LARGEST.search(raised.message)) or compares_with_a_number(source_line)
    if isinstance(returned, (tuple, list)):
        return (
            len(returned) == 2
            and all(isinstance(part, torch.Tensor) for part in returned)
            and returned[1].dtype == torch.int64
        )
    x = record.args[0]
    if not isinstance(returned, torch.Tensor) or x.dim() == 0 or returned.shape == x.shape:
        return False
    largest = x.detach().amax(0)
    return agree(returned.detach(), largest) or agree(returned.detach(), torch.relu(largest))


def compares_with_a_number(source_line):
    """Whether a torch.max or torch.maximum with a plain number stands on the line."""
    for node in ast.walk(parsed(source_line)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            plain = [a for a in node.args if isinstance(a, ast.Constant)]
            if node.func.attr in ("max", "maximum", "fmax") and plain:
                return True
    return False


def parsed(source_line):
    """The tree of one line; empty where it is a part of a statement that cannot stand alone."""
    line = source_line.strip().rstrip(",")
    for attempt in (line, line + ")", line + "))", line.rstrip(")"), line + " pass"):
        try:
            return ast.parse(attempt)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return ast.Module([], [])


def other_shape(record):
    x, returned = record.args[0], record.returned
    return (
        record.raised is None
        and isinstance(returned, torch.Tensor)
        and isinstance(x, torch.Tensor)
        and returned.shape != x.shape
    )


SHAPE = "there is no longer one result for each element, in its place"


@recognises("shape-changed", exercise="relu", account=SHAPE)
def relu_of_other_shape(record, source_line):
    return other_shape(record)


# ---------------------------------------------------------------------------- logistic


@recognises("shape-changed", exercise="logistic", account=SHAPE)
def logistic_of_other_shape(record, source_line):
    return other_shape(record)


@imitates(
    "logistic-sign-flipped", exercise="logistic", account="your values are 1 minus the right ones"
)
def falling(x):
    return torch.sigmoid(-x)


@imitates(
    "logistic-precedence", exercise="logistic", account="your values are those of 1 + exp(-x)"
)
def one_plus_exp(x):
    return 1 / torch.sigmoid(x)


@imitates("logistic-precedence", exercise="logistic", account="your values are those of 1 + exp(x)")
def one_plus_rising_exp(x):
    return 1 / torch.sigmoid(-x)


@imitates(
    "logistic-precedence",
    exercise="logistic",
    account="your values are those of exp(x) / 1 + exp(x): only the 1 is divided by",
)
def exp_and_exp(x):
    return 2 * torch.exp(x)


@imitates(
    "logistic-precedence",
    exercise="logistic",
    account="your values are those of exp(x) / exp(x) + 1",
)
def always_two(x):
    return torch.full_like(x, 2.0)


@imitates("tanh-not-logistic", exercise="logistic", account="your values are those of tanh(x)")
def hyperbolic(x):
    return torch.tanh(x)


@imitates(
    "tanh-not-logistic", exercise="logistic", account="your values are those of (1 + tanh(x)) / 2"
)
def hyperbolic_moved(x):
    return torch.sigmoid(2 * x)


@imitates("tanh-not-logistic", exercise="logistic", account="your values are those of tanh(x / 2)")
def hyperbolic_flatter(x):
    return torch.tanh(x / 2)


@imitates(
    "logistic-derivative-returned",
    exercise="logistic",
    account="your values are s(1 - s), where s is the right one",
)
def derivative(x):
    return torch.sigmoid(x) * torch.sigmoid(-x)


@imitates(
    "softmax-on-one-column",
    exercise="logistic",
    account="your values are those of a softmax over the last dimension; on one column all are 1",
)
def softmax_last(x):
    return torch.softmax(x, -1)


@imitates(
    "softmax-on-one-column",
    exercise="logistic",
    account="your values are those of a softmax over dimension 1; on one column all are 1",
)
def softmax_second(x):
    return torch.softmax(x, min(1, max(x.dim() - 1, 0)))


@imitates(
    "softmax-on-one-column",
    exercise="logistic",
    account="your values are those of a softmax over dimension 0: each depends on all others",
)
def softmax_first(x):
    return torch.softmax(x, 0)


@imitates(
    "softmax-on-one-column",
    exercise="logistic",
    account="your values are those of a softmax over all elements: each depends on all others",
)
def softmax_all(x):
    return torch.softmax(x.reshape(-1), 0).reshape(x.shape)


@imitates("output-thresholded", exercise="logistic", account="your values are all 0 or 1")
def decided(x):
    return torch.sigmoid(x).round()


@imitates(
    "logistic-applied-twice",
    exercise="logistic",
    account="your values are those with one more logistic function around them",
)
def logistic_twice(x):
    return torch.sigmoid(torch.sigmoid(x))


# ---------------------------------------------------------------------------- cross_entropy
# A wrong loss is a formula for each sample, a way to put the samples together, and a factor.


def of_one(p):
    """What each prediction costs where the label is 1."""
    return F.binary_cross_entropy(p, torch.ones_like(p), reduction="none")


def of_zero(p):
    """What each prediction costs where the label is 0."""
    return F.binary_cross_entropy(p, torch.zeros_like(p), reduction="none")


def right_cost(p, y):
    return F.binary_cross_entropy(p, y, reduction="none")


def minus_first_only(p, y):
    return y * of_one(p) - (1 - y) * of_zero(p)


def same_log_twice(p, y):
    return of_one(p)


def first_term_only(p, y):
    return y * of_one(p)


def first_term_chosen(p, y):
    return torch.where(y == 1, of_one(p), 0.0)


def label_in_log(p, y):
    return y * of_one(p) - (1 - y) * torch.log(1 - y)


def label_in_log_weighed_by_p(p, y):
    return y * of_one(p) - (1 - p) * torch.log(1 - y)


def label_in_log_guarded(p, y):
    return y * of_one(p) - (1 - y) * torch.log((1 - y).clamp_min(1e-8))


def label_in_log_chosen(p, y):
    return torch.where(y == 1, of_one(p), -torch.log(1 - y))


def swapped(p, y):
    return -(p * torch.log(y) + (1 - p) * torch.log(1 - y))


def swapped_bounded(p, y):
    return F.binary_cross_entropy(y, p, reduction="none")


def squeezed_again(p, y):
    return F.binary_cross_entropy_with_logits(p, y, reduction="none")


# slug, words, cost of each sample
FORMULAS = (
    ("minus-covers-first-term", "the formula with its minus on one term only", minus_first_only),
    ("log-p-twice", "the formula with log p in both terms", same_log_twice),
    ("negative-class-ignored", "the first term alone", first_term_only),
    ("log-of-one-minus-y", "the formula with log(1 - y) in its second term", label_in_log),
    ("arguments-swapped", "the formula with predictions and labels exchanged", swapped),
    ("logistic-applied-twice", "the loss after one more logistic function", squeezed_again),
)
MORE_FORMULAS = (
    ("negative-class-ignored", "the first term alone", first_term_chosen),
    (
        "log-of-one-minus-y",
        "the formula with log(1 - y) in its second term",
        label_in_log_weighed_by_p,
    ),
    ("log-of-one-minus-y", "the formula with log(1 - y) in its second term", label_in_log_guarded),
    ("log-of-one-minus-y", "the formula with log(1 - y) in its second term", label_in_log_chosen),
    ("arguments-swapped", "the formula with predictions and labels exchanged", swapped_bounded),
)


def each_in_a_row(cost):
    return cost.reshape(-1)


def each(cost):
    return cost


def mean_over_count(cost):
    return cost.mean() / len(cost)


def half_mean(cost):
    return cost.mean() / 2


def sum_over_columns(cost):
    return cost.sum() / cost.shape[-1]


REDUCTIONS = (
    ("loss-not-averaged", "summed over the samples", torch.sum),
    ("loss-not-averaged", "one for each sample", each),
    ("averaged-twice", "divided by the number of samples twice", mean_over_count),
    ("averaged-twice", "halved", half_mean),
)
MORE_REDUCTIONS = (
    ("loss-not-averaged", "one for each sample", each_in_a_row),
    ("loss-not-averaged", "divided by the number of columns, not of samples", sum_over_columns),
)
FACTORS = (
    ("cross-entropy-sign", "with the sign turned", -1.0),
    ("log-base", "with logarithms of base 2", 1 / math.log(2)),
    ("log-base", "with logarithms of base 10", 1 / math.log(10)),
)


def composed(slugs, words, formula, reduction=torch.mean, factor=1.0):
    def loss(p, y):
        return reduction(formula(p, y)) * factor

    return Imitation(tuple(slugs), "cross_entropy", loss, f"you computed {words}")


def losses_of_one_mistake():
    for slug, words, formula in FORMULAS + MORE_FORMULAS:
        yield composed([slug], words, formula)
    for slug, words, reduction in REDUCTIONS + MORE_REDUCTIONS:
        yield composed([slug], f"the right losses, {words}", right_cost, reduction)
    for slug, words, factor in FACTORS:
        yield composed([slug], f"the right loss {words}", right_cost, factor=factor)


def losses_of_two_mistakes():
    for slug, words, formula in FORMULAS:
        for other, how, reduction in REDUCTIONS:
            yield composed([slug, other], f"{words}, {how}", formula, reduction)
        for other, how, factor in FACTORS:
            # Turned as a whole, the minus covers the other term: that is one mistake, not two.
            if (slug, other) != ("minus-covers-first-term", "cross-entropy-sign"):
                yield composed([slug, other], f"{words}, {how}", formula, factor=factor)
    for slug, words, factor in FACTORS:
        for other, how, reduction in REDUCTIONS:
            yield composed(
                [slug, other], f"the right losses {words}, {how}", right_cost, reduction, factor
            )
    for other, how, factor in FACTORS[1:]:
        slugs, words = ["cross-entropy-sign", other], f"the right loss with the sign turned, {how}"
        yield composed(slugs, words, right_cost, factor=-factor)


# Differences instead of logarithms.


def squares(p, y):
    return F.mse_loss(p, y, reduction="none")


def distances(p, y):
    return F.l1_loss(p, y, reduction="none")


def half_sum(cost):
    return cost.sum() / 2


def root_of_mean(cost):
    return cost.mean().sqrt()


def root_of_sum(cost):
    return cost.sum().sqrt()


DIFFERENCES = (
    ("the mean squared error", squares, torch.mean),
    ("half the mean squared error", squares, half_mean),
    ("the summed squared error", squares, torch.sum),
    ("half the summed squared error", squares, half_sum),
    ("the squared error of each sample", squares, each),
    ("the root of the mean squared error", squares, root_of_mean),
    ("the root of the summed squared error", squares, root_of_sum),
    ("the mean absolute error", distances, torch.mean),
    ("the summed absolute error", distances, torch.sum),
    ("the absolute error of each sample", distances, each),
    ("the mean of y_pred - y", torch.sub, torch.mean),
    ("the mean of y - y_pred", lambda p, y: y - p, torch.mean),
)


# A table of all pairs, which arises from (N, 1) only, from (N,) only, or from both.


def table(cost, where, reduction):
    def loss(p, y):
        if p.dim() not in where:
            return reduction(cost(p, y))
        n = p.numel()
        rows, columns = p.reshape(n, 1).expand(n, n), y.reshape(1, n).expand(n, n)
        return reduction(cost(rows.contiguous(), columns.contiguous()))

    return loss


def sum_over_count(cost):
    return cost.sum() / len(cost)


def turned(cost):
    return cost.T if cost.dim() == 2 and len(cost) == cost.shape[1] else cost


PAIRS = (
    ("the mean over all N x N pairs of a prediction and a label", torch.mean),
    ("the sum over all N x N pairs of a prediction and a label, divided by N", sum_over_count),
    ("the sum over all N x N pairs of a prediction and a label", torch.sum),
    ("all N x N pairs of a prediction and a label", each),
    ("all N x N pairs of a label and a prediction", turned),
)


def losses_of_pairs():
    for where in ((2,), (1, 2), (1,)):
        for words, reduction in PAIRS:
            function = table(right_cost, where, reduction)
            yield Imitation(
                ("broadcast-to-matrix",), "cross_entropy", function, f"your value is {words}"
            )
        function = table(squares, where, torch.mean)
        words = "the squared error of all N x N pairs of a prediction and a label"
        slugs = ("broadcast-to-matrix", "squared-error-instead")
        yield Imitation(slugs, "cross_entropy", function, f"your value is {words}")


@recognises(
    "broadcast-to-matrix",
    exercise="cross_entropy",
    account="the result has N x N elements: every prediction met every label",
)
def n_by_n(record, source_line):
    p, returned = record.args[0], record.returned
    if record.raised is not None or not isinstance(returned, torch.Tensor):
        return False
    return p.numel() > 1 and returned.numel() == p.numel() ** 2


# The loss for several classes, on the one column that there is.


@recognises("multiclass-cross-entropy", exercise="cross_entropy", account=CLASSES_OF_ONE)
def normalised_over_one_column(record, source_line):
    """Zero, from an operation that normalises over classes: not just any zero."""
    returned = record.returned
    if record.raised is not None or not isinstance(returned, torch.Tensor):
        return False
    ran = {operation.name for operation in record.trace}
    return bool((returned.detach().abs() < 1e-6).all()) and bool(ran & OVER_CLASSES)



CLASSES = "your value is that of the loss for several classes, on a single column"


@imitates("multiclass-cross-entropy", exercise="cross_entropy", account=CLASSES)
def several_classes(p, y):
    return F.cross_entropy(p, y)


@imitates("multiclass-cross-entropy", exercise="cross_entropy", account=CLASSES)
def several_classes_averaged(p, y):
    return -(y * torch.log_softmax(p, -1)).mean()


@imitates("multiclass-cross-entropy", exercise="cross_entropy", account=CLASSES)
def samples_as_classes(p, y):
    return F.cross_entropy(p.reshape(-1), y.reshape(-1))


@imitates("multiclass-cross-entropy", exercise="cross_entropy", account=CLASSES)
def samples_as_classes_averaged(p, y):
    return F.cross_entropy(p.reshape(-1), y.reshape(-1)) / len(p)


# A small number against zeros. `k` may be a column of candidates: one row of losses for each.


def added(p, y, k):
    one, zero = of_one((p + k) / (1 + k)), of_zero(p / (1 + k))
    return y * one + (1 - y) * zero - torch.log1p(k)


def added_to_p(p, y, k):
    one = of_one((p + k) / (1 + k)) - torch.log1p(k)
    return y * one - (1 - y) * torch.log1p(-(p + k))


def added_to_first(p, y, k):
    return y * (of_one((p + k) / (1 + k)) - torch.log1p(k)) + (1 - y) * of_zero(p)


def added_to_second(p, y, k):
    return y * of_one(p) + (1 - y) * (of_zero(p / (1 + k)) - torch.log1p(k))


def clamped(p, y, k):
    inside = torch.minimum(torch.maximum(p, k), 1 - k)
    return y * of_one(inside) + (1 - y) * of_zero(inside)


def clamped_below(p, y, k):
    return y * of_one(torch.maximum(p, k)) + (1 - y) * of_zero(torch.minimum(p, 1 - k))


def swapped_added(p, y, k):
    return -(p * torch.log(y + k) + (1 - p) * torch.log(1 - y + k))


def swapped_clamped(p, y, k):
    inside = torch.minimum(torch.maximum(y, k), 1 - k)
    return -(p * torch.log(inside) + (1 - p) * torch.log(1 - inside))


def with_number(cost, reduction):
    def loss(p, y, k):
        return reduction(cost(p, y, torch.tensor(k, dtype=p.dtype)))

    return loss


def fitted(cost, reduction, least, most):
    """A fit: the number between `least` and `most` that gives the value; finer grids find it."""
    loss = with_number(cost, reduction)

    def fit(args, value):
        p, y = args
        if not isinstance(value, torch.Tensor) or not bool(torch.isfinite(value).all()):
            return None
        if value.numel() != 1:
            return None
        goal = float(value)
        scale = p.numel() if reduction is torch.mean else 1
        p, y = p.detach().reshape(1, -1), y.detach().reshape(1, -1)

        def crossed(low, high):
            grid = torch.linspace(low, high, 48)
            off = cost(p, y, grid.exp()[:, None]).sum(1) / scale - goal
            off = torch.sign(off.nan_to_num(nan=1.0))  # beyond the logarithm of zero
            places = torch.nonzero(off[:-1] * off[1:] <= 0).reshape(-1).tolist()
            return [(float(grid[at]), float(grid[at + 1])) for at in places]

        if least == LEAST and abs(float(right_cost(p, y).sum()) / scale - goal) < 1e-5:
            return None
        # Three places at most: a loss need not rise or fall all the way.
        spans = crossed(math.log(least), math.log(most))[:3]
        for _ in range(3):
            spans = [(crossed(low, high) or [(low, high)])[0] for low, high in spans]
        found = [math.exp((low + high) / 2) for low, high in spans]
        # People write round numbers: of several that give the value the roundest is meant.
        rounded = [float(f"{k:.{digits}g}") for digits in (1, 2, 3) for k in found]
        for k in [*rounded, *found]:
            got = loss(args[0].detach(), args[1].detach(), k)
            if agree(got.reshape(-1), value.detach().reshape(-1)):
                return k
        return None

    return fit


LEAST, MOST = 2e-6, 0.4
GUARDS = (
    ("{k} was added inside both logarithms", added),
    ("{k} was added to y_pred", added_to_p),
    ("{k} was added inside the first logarithm", added_to_first),
    ("{k} was added inside the second logarithm", added_to_second),
    ("y_pred was kept {k} away from 0 and 1", clamped),
    ("what goes into each logarithm was kept above {k}", clamped_below),
)


def losses_with_a_number():
    for words, cost in GUARDS:
        account = f"you computed a loss in which {words}"
        fit = fitted(cost, torch.mean, LEAST, MOST)
        function = with_number(cost, torch.mean)
        yield Imitation(("epsilon-too-large",), "cross_entropy", function, account, fit)
    slugs = ("epsilon-too-large", "loss-not-averaged")
    for cost, words in ((added, GUARDS[0][0]), (clamped, GUARDS[4][0])):
        account = f"you computed a loss in which {words}, summed over the samples"
        fit = fitted(cost, torch.sum, LEAST, MOST)
        yield Imitation(slugs, "cross_entropy", with_number(cost, torch.sum), account, fit)
    for cost in (swapped_added, swapped_clamped):
        words = "the formula with predictions and labels exchanged, and {k} against zeros"
        fit = fitted(cost, torch.mean, 1e-30, 0.1)
        account = f"you computed {words}"
        function = with_number(cost, torch.mean)
        yield Imitation(("arguments-swapped",), "cross_entropy", function, account, fit)


# ---------------------------------------------------------------------------- forward


def as_it_is(x):
    return x


def layers(hidden=torch.relu, output=torch.sigmoid, first_bias=True, second_bias=True):
    """The network with other activations, or without a bias."""

    def network(X, W1, b1, W2, b2):
        between = F.linear(X, W1.T)
        between = hidden(between + b1 if first_bias else between)
        last = F.linear(between, W2.T)
        return output(last + b2 if second_bias else last)

    return network


def column_softmax(x):
    return torch.softmax(x, -1)


def sample_softmax(x):
    return torch.softmax(x, 0)


def relu_then_logistic(x):
    return torch.sigmoid(torch.relu(x))


def moved_tanh(x):
    return torch.sigmoid(2 * x)


HIDDEN = (
    ("hidden-activation-missing", "no hidden activation", as_it_is),
    ("logistic-in-hidden", "the logistic function in the hidden layer", torch.sigmoid),
)
MORE_HIDDEN = (
    (
        "logistic-in-hidden",
        "relu and the logistic function in the hidden layer",
        relu_then_logistic,
    ),
)
OUTPUT = (
    ("output-activation-missing", "no activation at its end", as_it_is),
    ("relu-on-output", "relu at its end, and no logistic function", torch.relu),
    ("logistic-applied-twice", "the logistic function twice at its end", logistic_twice),
    ("softmax-on-one-column", "a softmax over one column at its end", column_softmax),
)
MORE_OUTPUT = (
    ("relu-on-output", "relu before the logistic function at its end", relu_then_logistic),
    ("softmax-on-one-column", "a softmax over the samples at its end", sample_softmax),
    ("output-thresholded", "its output rounded to 0 or 1", decided),
)
BIASES = (
    ("no b1", {"first_bias": False}),
    ("no b2", {"second_bias": False}),
    ("neither b1 nor b2", {"first_bias": False, "second_bias": False}),
)


def network_with(slugs, words, **changes):
    account = f"your values are those of a network with {words}"
    return Imitation(tuple(slugs), "forward", layers(**changes), account)


def networks():
    for slug, words, function in HIDDEN + MORE_HIDDEN:
        yield network_with([slug], words, hidden=function)
    for slug, words, function in OUTPUT + MORE_OUTPUT:
        yield network_with([slug], words, output=function)
    for words, without in BIASES:
        yield network_with(["bias-missing"], words, **without)
    single = [(slug, words, {"hidden": function}) for slug, words, function in HIDDEN]
    single += [(slug, words, {"output": function}) for slug, words, function in OUTPUT[:3]]
    single += [("bias-missing", words, without) for words, without in BIASES]
    for several in [*itertools.combinations(single, 2), *itertools.combinations(single, 3)]:
        changes = {key: value for _, _, own in several for key, value in own.items()}
        if len(changes) == sum(len(own) for _, _, own in several):
            words = " and ".join(words for _, words, _ in several)
            yield network_with([slug for slug, _, _ in several], words, **changes)


# Where the shapes do not fit, the student's code raises, and there are no values to compare with.
NO_VALUES = torch.empty(0)


@imitates(
    "weights-transposed",
    exercise="forward",
    account="your values are those of a network with the transpose of W1",
)
def rows_and_columns_exchanged(X, W1, b1, W2, b2):
    if W1.shape[0] != W1.shape[1]:
        return NO_VALUES
    return layers()(X, W1.T, b1, W2, b2)


@imitates(
    "elementwise-not-matmul",
    exercise="forward",
    account="your values are those of an elementwise product with W2",
)
def output_elementwise(X, W1, b1, W2, b2):
    return torch.sigmoid(torch.relu(F.linear(X, W1.T) + b1) * W2.reshape(-1) + b2)


@imitates(
    "elementwise-not-matmul",
    exercise="forward",
    account="your values are those of an elementwise product with W2",
)
def output_elementwise_in_columns(X, W1, b1, W2, b2):
    between = torch.relu(F.linear(X, W1.T) + b1)
    if between.dim() == 2 and len(between) not in (1, len(W2)) and len(W2) != 1:
        return NO_VALUES
    return torch.sigmoid(between * W2 + b2)


class Misfit(Exception):
    """An operation whose two shapes do not fit each other."""

    def __init__(self, operation, left, right):
        super().__init__(operation)
        self.operation, self.left, self.right = operation, left, right


MATRIX_PRODUCTS = ("matmul", "mm", "mv")
ELEMENTWISE_PRODUCTS = ("mul", "multiply")


def contracted(left, right):
    """The size that a matrix product sums over, or None where these two shapes have none."""
    if not left or not right:
        return None
    meets = right[0] if len(right) == 1 else right[-2]
    return left[-1] if left[-1] == meets else None


def result_shape(operation, left, right):
    if left is None or right is None:
        return None
    if operation == "matmul":
        if contracted(left, right) is None:
            raise Misfit(operation, left, right)
        return left[:-1] + (right[-1:] if len(right) > 1 else ())
    try:
        return tuple(torch.broadcast_shapes(left, right))
    except RuntimeError:
        raise Misfit(operation, left, right) from None


def shape_of(node, known):
    """The shape of an expression, given those of names; None where that cannot be told."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Constant):
        return ()
    if isinstance(node, ast.Attribute):
        inner = shape_of(node.value, known)
        return inner[::-1] if node.attr in ("T", "mT") and inner is not None else None
    if isinstance(node, ast.BinOp):
        operation = {ast.MatMult: "matmul", ast.Mult: "times"}.get(type(node.op), "other")
        return result_shape(operation, shape_of(node.left, known), shape_of(node.right, known))
    if isinstance(node, ast.Call):
        return shape_of_call(node, known)
    return None


def shape_of_call(node, known):
    operands = [shape_of(argument, known) for argument in node.args]
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if isinstance(node.func, ast.Attribute):
        name = node.func.attr
        owner = shape_of(node.func.value, known)
        operands = operands if owner is None else [owner, *operands]
    if not operands:
        return None
    first = operands[0]
    second = operands[1] if len(operands) > 1 else None
    if name in MATRIX_PRODUCTS:
        return result_shape("matmul", first, second)
    if name in ELEMENTWISE_PRODUCTS:
        return result_shape("times", first, second)
    if name == "linear":
        return result_shape("matmul", first, second[::-1] if second is not None else None)
    if name in ("t", "transpose"):
        return first[::-1] if first is not None else None
    if name in ("relu", "logistic", "sigmoid", "tanh", "exp", "clamp", "abs"):
        return first
    return None


def misfit_of(record, source_line):
    """The operation on the student's line whose shapes do not fit, or None."""
    raised = record.raised
    if raised is None or "RuntimeError" not in raised.families:
        return None
    known = {local.name: tuple(local.shape) for local in raised.locals if local.dtype}
    for node in ast.walk(parsed(source_line)):
        try:
            if isinstance(node, (ast.BinOp, ast.Call)):
                shape_of(node, known)
        except Misfit as misfit:
            return misfit
    return None


def meant_to_contract(shape, weights):
    """The size that a product with a weight of this shape, either way round, should sum over."""
    for weight in weights:
        if shape in (weight, weight[::-1]):
            return weight[0]
    return None


@recognises(
    "weights-transposed",
    exercise="forward",
    account="the shapes fit once the weights are turned round, or the operands exchanged",
)
def weights_the_other_way_round(record, source_line):
    misfit = misfit_of(record, source_line)
    if misfit is None or misfit.operation != "matmul":
        return False
    left, right = misfit.left, misfit.right
    weights = [tuple(record.args[1].shape), tuple(record.args[3].shape)]
    for weight, repairs in (
        (left, ((left[::-1], right), (right, left))),
        (right, ((left, right[::-1]), (right, left))),
    ):
        size = meant_to_contract(weight, weights)
        if size is not None and any(contracted(*pair) == size for pair in repairs):
            return True
    return False


@recognises(
    "elementwise-not-matmul",
    exercise="forward",
    account="the elementwise product needs equal shapes; these fit a matrix product",
)
def star_with_weights(record, source_line):
    misfit = misfit_of(record, source_line)
    if misfit is None or misfit.operation != "times":
        return False
    left, right = misfit.left, misfit.right
    weights = [tuple(record.args[1].shape), tuple(record.args[3].shape)]
    is_weight = meant_to_contract(left, weights) or meant_to_contract(right, weights)
    ways = ((left, right), (right, left), (left, right[::-1]), (left[::-1], right))
    return bool(is_weight) and any(contracted(*pair) is not None for pair in ways)


# ---------------------------------------------------------------------------- train


def loss_at(params, X, Y, reduction="mean"):
    """The right loss, by way of the values before the logistic function: fewer steps back."""
    W1, b1, W2, b2 = params
    before = torch.addmm(b2, torch.relu(torch.addmm(b1, X, W1)), W2)
    return F.binary_cross_entropy_with_logits(before, Y, reduction=reduction)


def trained(params, X, Y, visits, lr, visited=None, uphill=False):
    """The loss before each step; one step for each number in `visits`."""
    optimizer = Descent(list(params), lr=lr, maximize=uphill)
    losses = []
    for i in visits:
        loss = loss_at(params, X[i : i + 1], Y[i : i + 1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if visited is not None:
            visited(i)
    optimizer.zero_grad()
    return losses


def in_order(X, epochs):
    return list(range(len(X))) * epochs


def loss_of(params, X, Y):
    with torch.no_grad():
        return loss_at(params, X, Y).item()


def one_a_pass(args, returned):
    """How many losses there are, where that is one for each pass."""
    epochs, samples = args[3], len(args[1])
    fits = isinstance(returned, (list, tuple)) and len(returned) == epochs and samples > 1
    return float(epochs) if fits else None


def one_a_step(args, returned):
    """How many losses there are, where that is one for each step."""
    steps = args[3] * len(args[1])
    fits = isinstance(returned, (list, tuple)) and len(returned) == steps
    return float(steps) if fits else None


def begins_like(loop):
    """A fit: how many losses there are, where the first three are those of this loop."""

    def fit(args, returned):
        params, X, Y, _, lr = args
        steps = one_a_step(args, returned)
        # Without movement all loops look alike.
        if steps is None or lr == 0:
            return None
        copies = [p.detach().clone().requires_grad_() for p in params]
        wanted = loop(copies, X[:3], Y[:3], 1, lr, steps)
        alike = all(abs(a - b) < 2e-3 for a, b in zip(wanted, returned, strict=False))
        return steps if alike else None

    return fit


def a_pass(losses, n, together):
    return [together(losses[i : i + n]) for i in range(0, len(losses), n)]


def mean_of(losses):
    return sum(losses) / len(losses)


def last_of(losses):
    return losses[-1]


def first_of(losses):
    return losses[0]


def per_pass(together):
    def train(params, X, Y, epochs, lr, k):
        return a_pass(trained(params, X, Y, in_order(X, epochs), lr), len(X), together)

    return train


def running_total(params, X, Y, epochs, lr, k):
    total, totals = 0.0, []
    for loss in per_pass(sum)(params, X, Y, epochs, lr, k):
        total += loss
        totals.append(total)
    return totals


def measured_after_pass(params, X, Y, epochs, lr, k):
    losses = []
    for _ in range(epochs):
        trained(params, X, Y, in_order(X, 1), lr)
        losses.append(loss_of(params, X, Y))
    return losses


PER_PASS = (
    ("the sum of the losses of each pass", per_pass(sum)),
    ("the mean of the losses of each pass", per_pass(mean_of)),
    ("the last loss of each pass", per_pass(last_of)),
    ("the first loss of each pass", per_pass(first_of)),
    ("the sum of all losses so far, after each pass", running_total),
    ("the loss of all samples after each pass", measured_after_pass),
)


def one_step_a_pass(weight, recorded):
    """One step a pass; `weight(n)` is what each of the n samples' gradients counts."""

    def train(params, X, Y, epochs, lr, k):
        optimizer = Descent(list(params), lr=lr)
        losses = []
        for _ in range(epochs):
            each_loss = loss_at(params, X, Y, reduction="none")
            each_loss = each_loss.reshape(-1)
            weights = torch.tensor(weight(len(X)))
            optimizer.zero_grad()
            (each_loss * weights).sum().backward()
            optimizer.step()
            losses.extend(recorded(each_loss.tolist()))
        optimizer.zero_grad()
        return losses

    return train


STEPS_A_PASS = (
    ("along the mean gradient", lambda n: [1 / n] * n),
    ("along the summed gradients", lambda n: [1.0] * n),
    ("along the last sample's gradient", lambda n: [0.0] * (n - 1) + [1.0]),
)
RECORDS_A_PASS = (
    (lambda losses: losses, one_a_step),
    (lambda losses: [mean_of(losses)], one_a_pass),
    (lambda losses: [sum(losses)], one_a_pass),
    (lambda losses: losses[-1:], one_a_pass),
    (lambda losses: [loss / len(losses) for loss in losses], one_a_step),
)


def same_sample(params, X, Y, epochs, lr, k):
    return trained(params, X, Y, [0] * (epochs * len(X)), lr)


def same_row(params, X, Y, epochs, lr, k):
    return trained(params, X[:1].expand_as(X), Y, in_order(X, epochs), lr)


def starts_again(params, X, Y, epochs, lr, k):
    start = [p.detach().clone() for p in params]
    losses = []
    for _ in range(epochs):
        with torch.no_grad():
            for p, value in zip(params, start, strict=True):
                p.copy_(value)
        losses += trained(params, X, Y, in_order(X, 1), lr)
    return losses


def measured_after_step(params, X, Y, epochs, lr, k):
    losses = []

    def visited(i):
        losses.append(loss_of(params, X[i : i + 1], Y[i : i + 1]))

    trained(params, X, Y, in_order(X, epochs), lr, visited)
    return losses


def gradient_left_over(params, X, Y, epochs, lr, k):
    visits = in_order(X, epochs)
    losses = trained(params, X, Y, visits[:-1], lr)
    i = visits[-1]
    return [*losses, loss_of(params, X[i : i + 1], Y[i : i + 1])]


def gradient_late(params, X, Y, epochs, lr, k):
    # The optimizer moves the storage behind autograd's back, as an update through `.data` does.
    behind = [p.data for p in params]
    optimizer = Descent(behind, lr=lr)
    losses = []
    for i in in_order(X, epochs):
        loss = loss_at(params, X[i : i + 1], Y[i : i + 1])
        for p, moved in zip(params, behind, strict=True):
            moved.grad, p.grad = p.grad, None
        optimizer.step()
        loss.backward()
        losses.append(loss.item())
    for p in params:
        p.grad = None
    return losses


def uphill(params, X, Y, epochs, lr, k):
    return trained(params, X, Y, in_order(X, epochs), lr, uphill=True)


def in_given_order(params, X, Y, epochs, lr, k):
    return trained(params, X, Y, in_order(X, epochs), lr)


def begins_shorter(args, returned):
    params, X, Y, epochs, lr = args
    return begins_like(in_given_order)((params, X, Y, epochs, lr / len(X)), returned)


@imitates(
    "divided-by-batch-size",
    exercise="train",
    account="every step is the right one divided by the number of samples",
    fit=begins_shorter,
)
def shorter_steps(params, X, Y, epochs, lr, k):
    return trained(params, X, Y, in_order(X, epochs), lr / len(X))


def fixed_rate(rate):
    def train(params, X, Y, epochs, lr, k):
        return trained(params, X, Y, in_order(X, epochs), rate)

    return train


def piled_up(visits_between):
    """Right, but for gradients that stay: for ever, or until the next pass."""

    def train(params, X, Y, epochs, lr, k):
        optimizer = Descent(list(params), lr=lr)
        losses = []
        for count, i in enumerate(in_order(X, epochs)):
            if visits_between(count, len(X)):
                optimizer.zero_grad()
            loss = loss_at(params, X[i : i + 1], Y[i : i + 1])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        optimizer.zero_grad()
        return losses

    return train


LOOPS = (
    ("first-sample-only", "every step uses the first sample", same_sample),
    (
        "first-sample-only",
        "every step uses the first row of X, with the label of another sample",
        same_row,
    ),
    (
        "seed-reset-in-loop",
        "each pass starts again from the parameters of the first one",
        starts_again,
    ),
    ("loss-after-update", "each loss is the sample's loss after its own step", measured_after_step),
    (
        "step-before-backward",
        "each step uses the gradient of the sample before, and the last one is never used",
        gradient_left_over,
    ),
    ("step-before-backward", "each step uses the gradient of the sample before", gradient_late),
    ("gradient-ascent", "every step goes along the gradient, uphill, and not against it", uphill),
    (
        "gradient-not-reset",
        "each step uses the gradients of all steps before it too",
        piled_up(lambda count, n: False),
    ),
    (
        "gradient-not-reset",
        "within a pass each step uses the gradients of the steps before it too",
        piled_up(lambda count, n: count % n == 0),
    ),
)
RATES = (0.1, 0.01, 1.0)


def training_loops():
    def made(slug, account, function, fit):
        return Imitation((slug,), "train", function, account, fit)

    for words, function in PER_PASS:
        yield made("losses-per-epoch", f"the list holds {words}", function, one_a_pass)
    for words, weight in STEPS_A_PASS:
        account = f"the parameters move as with one step for each pass, {words}"
        for recorded, fit in RECORDS_A_PASS:
            yield made("one-step-per-epoch", account, one_step_a_pass(weight, recorded), fit)
    for slug, account, function in LOOPS:
        yield made(slug, account, function, begins_like(function))
    for rate in RATES:
        account = f"the steps are those of a learning rate of {rate:g}, whatever lr is"
        function = fixed_rate(rate)
        yield made("learning-rate-ignored", account, function, begins_like(function))


@recognises(
    "backward-missing",
    exercise="train",
    account="no parameter moved or got a gradient, and every pass gave the same losses",
)
def nothing_ever_moves(record, source_line):
    if record.raised is not None or len(record.args) < 5 or not isinstance(record.returned, list):
        return False
    _, X, _, epochs, lr = record.args
    losses, n = record.returned, len(X)
    if lr == 0 or epochs < 2 or len(losses) != n * epochs:
        return False
    if not all(isinstance(loss, float) for loss in losses):
        return False
    again = all(abs(a - b) < 1e-7 for a, b in zip(losses, losses[n:], strict=False))
    still = all(a.after.grad is None and not a.changed for a in record.arguments)
    return again and still


# ---------------------------------------------------------------------------- what the grader asks


def imitations():
    """The wrong answers that are put together from parts, simple ones first."""
    yield from losses_of_one_mistake()
    for words, cost, reduction in DIFFERENCES:
        yield composed(["squared-error-instead"], words, cost, reduction)
    yield from losses_of_pairs()
    yield from losses_with_a_number()
    yield from losses_of_two_mistakes()
    yield from networks()
    yield from training_loops()


def edges(exercise):
    """Sure and right predictions: the loss is 0, and zero times the logarithm of zero is NaN."""
    if exercise == "cross_entropy":
        labels = torch.tensor([[0.0], [1.0]])
        return [("log-of-zero", (labels.clone(), labels))]
    return []


def inputs(exercise, draw):
    """Arguments on which the wrong answers of an exercise differ from each other."""
    make = {
        "relu": relu_inputs,
        "logistic": logistic_inputs,
        "cross_entropy": cross_entropy_inputs,
        "forward": forward_inputs,
        "train": train_inputs,
    }.get(exercise)
    return make(draw) if make is not None else []


def relu_inputs(draw):
    spread = torch.tensor([-40.0, -7.5, -2.0, -0.3, -0.05, 0.05, 0.4, 1.5, 5.5, 6.5, 15.0, 150.0])
    return [(spread,), (draw.away_from(0, 3, 4, gap=0.02, reach=8),), (draw.away_from(0, 2, 2, 2),)]


def logistic_inputs(draw):
    spread = torch.tensor([[-12.0], [-4.0], [-1.0], [-0.2], [0.2], [1.0], [4.0], [12.0]])
    return [(spread,), (draw.away_from(0, 4, 3, reach=5),), (draw.away_from(0, 7),)]


def cross_entropy_inputs(draw):
    # Labels between 0 and 1 keep logarithms of labels finite, so that what is in them shows.
    between = [
        (draw.uniform(*shape, low=0.05, high=0.95), draw.uniform(*shape, low=0.1, high=0.9))
        for shape in ((7, 1), (4,))
    ]
    exact = [
        (draw.uniform(*shape, low=0.1, high=0.9), draw.labels(*shape))
        for shape in ((4, 1), (1, 1), (7,))
    ]
    sure = torch.tensor([[0.002], [0.998], [0.01], [0.97], [0.3], [0.6]])
    return [*between, *exact, (sure, torch.tensor([[0.0], [0.0], [1.0], [1.0], [1.0], [0.0]]))]


def parameters(draw, hidden):
    shapes = ((2, hidden), (hidden,), (hidden, 1), (1,))
    return [draw.away_from(0, *shape, gap=0.3, reach=1.8).requires_grad_() for shape in shapes]


def forward_inputs(draw):
    return [
        (draw.away_from(0, *shape, reach=2), *parameters(draw, hidden))
        for hidden, shape in ((2, (5, 2)), (3, (7, 2)), (4, (4, 2)), (6, (1, 2)), (5, (2,)))
    ]


def train_inputs(draw):
    made = []
    for hidden, count, epochs, lr in ((4, 3, 2, 0.5), (3, 4, 2, 0.2)):
        X = draw.uniform(count, 2)
        made.append((parameters(draw, hidden), X, draw.labels(count, 1), epochs, lr))
    return made
