"""How this assignment's wrong answers look.

Every function here is wrong on purpose. Slopes stand as formulas and graphs as plain records, so
that nothing in this file can be handed in. Mistakes that show in types, dtypes, memory or in what
became of the arguments are known to the grader itself; here are those that show in the answer.
"""

import ast
import re

import numpy as np
import torch

from grader.checking.inspected import items_of, leaves_behind, operations_behind
from grader.misconceptions.imitation import Imitation, imitates, recognises
from grader.student.worker.graph import recorded_graph


def agree(a, b):
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-4, atol=1e-6)


def floats(returned):
    """The numbers that came back, or None where something else did."""
    if not isinstance(returned, (list, tuple)) or not returned:
        return None
    return list(returned) if all(isinstance(one, float) for one in returned) else None


def close(numbers, due):
    return len(numbers) == len(due) and all(
        abs(a - b) <= 1e-4 * max(1.0, abs(b)) for a, b in zip(numbers, due, strict=True)
    )


def ran(record, *names):
    """How often these operations ran, where they were recorded."""
    return sum(operation.name in names for operation in record.trace)


def product_misfit(record):
    """The two shapes of a matrix product that did not fit, or None."""
    raised = record.raised
    if raised is None or "RuntimeError" not in raised.families:
        return None
    found = re.search(r"\((\d+)x(\d+) and (\d+)x(\d+)\)", raised.message)
    if found is None:
        return None
    a, b, c, d = map(int, found.groups())
    return (a, b), (c, d)


def calls_of(*names):
    def is_call(node):
        if not isinstance(node, ast.Call):
            return False
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        return name in names

    return is_call


def is_power_or_product(node):
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Pow))


# ---------------------------------------------------------------------------- to_float32


@recognises(
    "bits-reinterpreted",
    exercise="to_float32",
    account="the bytes of the array were read as float32, and not its numbers",
    at=calls_of("view"),
)
def bytes_read_as_float32(record, source_line):
    array, returned = record.args[0], record.returned
    if not isinstance(returned, torch.Tensor) or array.dtype == np.float32 or array.ndim == 0:
        return False
    bits = torch.from_numpy(np.ascontiguousarray(array).view(np.float32).copy())
    return bits.numel() == returned.numel() and bool(
        (bits.reshape(-1).nan_to_num() == returned.reshape(-1).nan_to_num()).all()
    )


SHAPE = "there is no longer one number for each of the array's, in its place"


@recognises("shape-changed", exercise="to_float32", account=SHAPE)
def array_of_other_shape(record, source_line):
    returned = record.returned
    return isinstance(returned, torch.Tensor) and tuple(returned.shape) != record.args[0].shape


@imitates(
    "integer-tensors",
    exercise="to_float32",
    account="what stood behind the decimal point is gone",
    at=calls_of("int", "long", "int32", "int64", "to", "type", "astype"),
)
def without_decimals(array):
    return torch.FloatTensor(np.trunc(array).ravel().tolist()).view(np.shape(array))


# ---------------------------------------------------------------------------- products


@recognises(
    "shape-changed",
    exercise="predict",
    account="as many numbers came back as are due, along other axes",
)
def product_along_other_axes(record, source_line):
    X, W, returned = *record.args, record.returned
    if not isinstance(returned, torch.Tensor):
        return False
    due = (X.shape[0], W.shape[1])
    return returned.numel() == due[0] * due[1] and tuple(returned.shape) != due


TURNED = "the shapes fit once one factor is turned round, or the two change places"


@recognises("weights-transposed", exercise="predict", account=TURNED)
@recognises("weights-transposed", exercise="affine", account=TURNED)
def factor_the_other_way_round(record, source_line):
    misfit = product_misfit(record)
    if misfit is None:
        return False
    X, W = record.args[0], record.args[1]
    rows, weights = tuple(X.shape) if X.dim() == 2 else (1, *X.shape), tuple(W.shape)
    of_data, of_weights = {rows, rows[::-1]}, {weights, weights[::-1]}
    left, right = misfit
    # Each of the two stands on one side, not one of them on both.
    return (left in of_data and right in of_weights) or (left in of_weights and right in of_data)


@recognises(
    "elementwise-not-matmul",
    exercise="predict",
    account="the elementwise product needs equal shapes; these fit a matrix product",
)
@recognises(
    "elementwise-not-matmul",
    exercise="affine",
    account="the elementwise product needs equal shapes; these fit a matrix product",
)
def star_between_matrices(record, source_line):
    raised = record.raised
    if raised is None or "must match the size of tensor" not in raised.message:
        return False
    return "*" in source_line.replace("**", "") or "mul(" in source_line


# ---------------------------------------------------------------------------- z_and_gradients


@imitates(
    "power-read-as-product",
    exercise="z_and_gradients",
    account="your numbers are those of x * y + 2 * x",
    at=is_power_or_product,
)
def twice_x(x, y):
    x, y = x.item(), y.item()
    return x * y + 2 * x, y + 2, x


@imitates(
    "power-of-the-whole",
    exercise="z_and_gradients",
    account="your numbers are those of (x * y + x) ** 2",
    at=is_power_or_product,
)
def whole_squared(x, y):
    x, y = x.item(), y.item()
    inner = x * y + x
    return inner**2, 2 * inner * (y + 1), 2 * inner * x


@imitates(
    "gradients-swapped",
    exercise="z_and_gradients",
    account="z is right, and the other two numbers have changed places",
)
def other_way_round(x, y):
    x, y = x.item(), y.item()
    return x * y + x**2, x, y + 2 * x


@imitates(
    "value-instead-of-gradient",
    exercise="z_and_gradients",
    account="z is right, and the other two numbers are x and y themselves",
)
def values_again(x, y):
    x, y = x.item(), y.item()
    return x * y + x**2, x, y


def same_graph_twice(record):
    """backward() ran twice, and nothing was computed in between."""
    names = [op.name for op in record.trace if op.name == "backward" or op.outputs]
    places = [place for place, name in enumerate(names) if name == "backward"]
    return len(places) == 2 and "grad" not in names[: places[1]] and places[1] == places[0] + 1


@recognises(
    "backward-twice",
    exercise="z_and_gradients",
    account="z is right, and both gradients are twice the right ones",
    at=calls_of("backward"),
)
def both_doubled(record, source_line):
    numbers, (x, y) = floats(record.returned), [arg.item() for arg in record.args]
    doubled = [x * y + x**2, 2 * (y + 2 * x), 2 * x]
    return same_graph_twice(record) and numbers is not None and close(numbers, doubled)


@recognises(
    "example-hard-coded",
    exercise="z_and_gradients",
    account="for other x and y, too, 21, 10 and 3 come back",
)
def always_the_example(record, source_line):
    numbers = floats(record.returned)
    elsewhere = [round(arg.item(), 6) for arg in record.args] != [3.0, 4.0]
    return numbers is not None and elsewhere and close(numbers, [21.0, 10.0, 3.0])


# ---------------------------------------------------------------------------- piling up


def slopes(w, steps):
    return [2 * w.item()] * steps


@recognises(
    "backward-outside-loop",
    exercise="accumulated",
    account="backward() ran once in all, and its gradient was written down again and again",
    at=calls_of("backward"),
)
def only_one_backward(record, source_line):
    numbers, steps = floats(record.returned), record.args[1]
    if numbers is None or steps < 2 or ran(record, "backward") != 1:
        return False
    return close(numbers, slopes(*record.args))


@recognises(
    "gradient-reset-each-step",
    exercise="accumulated",
    account="something resets the gradient between the passes",
    at=calls_of("zero_"),
)
def reset_between_passes(record, source_line):
    numbers, steps = floats(record.returned), record.args[1]
    if numbers is None or steps < 2 or not ran(record, "zero_", "grad=", "fill_", "mul_"):
        return False
    return close(numbers, slopes(*record.args))


def summed_once_more(record):
    numbers, (w, steps) = floats(record.returned), record.args
    due = [2 * w.item() * k * (k + 1) / 2 for k in range(1, steps + 1)]
    return numbers is not None and steps > 1 and close(numbers, due)


def grad_after(record):
    grad = record.arguments[0].after.grad
    return None if grad is None else float(grad)


@recognises(
    "running-total",
    exercise="accumulated",
    account="each number is the sum of all that w.grad has held so far",
)
def sums_of_what_was_seen(record, source_line):
    held = grad_after(record)
    return summed_once_more(record) and (held is None or not close([held], record.returned[-1:]))


@recognises(
    "backward-twice",
    exercise="accumulated",
    account="losses of earlier passes are part of the new one, and are differentiated again",
    at=calls_of("backward"),
)
def losses_added_up(record, source_line):
    held = grad_after(record)
    return summed_once_more(record) and held is not None and close([held], record.returned[-1:])


@imitates(
    "loss-instead-of-gradient",
    exercise="accumulated",
    account="your numbers are w ** 2, and not how steeply it rises",
)
@imitates(
    "loss-instead-of-gradient",
    exercise="fresh",
    account="your numbers are w ** 2, and not how steeply it rises",
)
def the_loss_itself(w, steps):
    return [w.item() ** 2] * steps


@recognises("value-instead-of-gradient", exercise="accumulated", account="your numbers are w")
@recognises("value-instead-of-gradient", exercise="fresh", account="your numbers are w")
def w_itself(record, source_line):
    numbers = floats(record.returned)
    # The slope of another loss may be the same number: so which tensor it was read from.
    read = [op.inputs[0] for op in record.trace if op.name in ("item", "tolist", "__float__")]
    own = any(one.is_leaf and one.requires_grad for one in read)
    return own and numbers is not None and close(numbers, [record.args[0].item()] * len(numbers))


@imitates(
    "power-read-as-product",
    exercise="accumulated",
    account="your numbers are those of the loss 2 * w",
    at=is_power_or_product,
)
def twice_w_piled_up(w, steps):
    return [2.0 * k for k in range(1, steps + 1)]


@imitates(
    "power-read-as-product",
    exercise="fresh",
    account="your numbers are those of the loss 2 * w",
    at=is_power_or_product,
)
def twice_w(w, steps):
    return [2.0] * steps


@imitates(
    "gradient-reset-before-update",
    exercise="fresh",
    account="all numbers are 0: what backward() had found was gone when it was read",
    at=calls_of("zero_", "zeros_like"),
)
@imitates(
    "gradient-reset-before-update",
    exercise="accumulated",
    account="all numbers are 0: what backward() had found was gone when it was read",
    at=calls_of("zero_", "zeros_like"),
)
def nothing_left(w, steps):
    return [0.0] * steps


def hard_coded(example):
    def test(record, source_line):
        numbers, w = floats(record.returned), record.args[0].item()
        return (
            numbers is not None
            and abs(w - 3.0) > 1e-6
            and len(numbers) > 1
            and close(numbers, example(len(numbers)))
        )

    return test


growing = recognises(
    "example-hard-coded",
    exercise="accumulated",
    account="for another w, too, the numbers of w = 3 come back",
)(hard_coded(lambda count: [6.0 * k for k in range(1, count + 1)]))

constant = recognises(
    "example-hard-coded",
    exercise="fresh",
    account="for another w, too, the numbers of w = 3 come back",
)(hard_coded(lambda count: [6.0] * count))


# ---------------------------------------------------------------------------- update and losses


def slope_of_mean(w):
    return 2 * w / w.numel()


def slope_of_sum(w):
    return torch.ones_like(w)


def slope_of_squared_sum(w):
    return 2 * w.sum().expand_as(w)


def slope_of_cubes(w):
    return 3 * w**2


def slope_of_length(w):
    return w / w.norm()


OTHER_LOSSES = (
    ("the mean of w ** 2", slope_of_mean, lambda w: (w**2).mean()),
    ("the sum of w", slope_of_sum, torch.sum),
    ("the square of the sum of w", slope_of_squared_sum, lambda w: w.sum() ** 2),
    ("the sum of w ** 3", slope_of_cubes, lambda w: (w**3).sum()),
    ("the length of w", slope_of_length, torch.norm),
)


@recognises("another-loss", exercise="update", account="the step is that of the sum of |w|")
def distances_and_not_squares(record, source_line):
    # A rule that looks at signs alone steps alike: so what ran.
    if not ran(record, "abs", "l1_loss") or not record.arguments:
        return False
    argument, lr = record.arguments[0], record.args[1]
    return agree(argument.step, -lr * argument.before.sign())


@recognises(
    "backward-twice",
    exercise="update",
    account="backward() ran twice before the step, and the gradient is twice the right one",
    at=calls_of("backward"),
)
def two_backwards(record, source_line):
    if not same_graph_twice(record) or not record.arguments:
        return False
    argument, lr = record.arguments[0], record.args[1]
    return agree(argument.step, -4 * lr * argument.before)


def moved_along(slope):
    def update(w, lr):
        with torch.no_grad():
            w.copy_(w - lr * slope(w))

    return update


def recorded_along(slope, loss):
    def record_losses(w, lr, steps):
        losses = []
        for _ in range(steps):
            losses.append(float(loss(w.detach())))
            moved_along(slope)(w, lr)
        return losses

    return record_losses


def slope(w):
    return 2 * w


def loss_of(w):
    return float((w.detach() ** 2).sum())


def measured_late(w, lr, steps):
    losses = []
    for _ in range(steps):
        moved_along(slope)(w, lr)
        losses.append(loss_of(w))
    return losses


def gradients_left(w, lr, steps):
    losses, held = [], torch.zeros_like(w)
    for _ in range(steps):
        losses.append(loss_of(w))
        held = held + slope(w.detach())
        moved_along(lambda w, held=held: held)(w, lr)
    return losses


def totals(w, lr, steps):
    losses = recorded_along(slope, lambda w: (w**2).sum())(w, lr, steps)
    return [sum(losses[: count + 1]) for count in range(steps)]


def first_again(w, lr, steps):
    losses = recorded_along(slope, lambda w: (w**2).sum())(w, lr, steps)
    return losses[:1] * steps


def means(w, lr, steps):
    losses = recorded_along(slope, lambda w: (w**2).sum())(w, lr, steps)
    return [loss / w.numel() for loss in losses]


def one_too_many(w, lr, steps):
    return [*recorded_along(slope, lambda w: (w**2).sum())(w, lr, steps), loss_of(w)]


def imitations():
    """The losses that are not the sum of squares, and the ways of writing losses down."""
    for words, other_slope, loss in OTHER_LOSSES:
        account = f"the step is that of {words}"
        yield Imitation(("another-loss",), "update", moved_along(other_slope), account)
        account = f"your losses and steps are those of {words}"
        function = recorded_along(other_slope, loss)
        yield Imitation(("another-loss",), "record_losses", function, account)
    for slug, account, function in (
        ("loss-after-update", "each loss is the one after its own update", measured_late),
        ("gradient-not-reset", "each step uses the gradients of all before it", gradients_left),
        ("running-total", "each number is the sum of all losses so far", totals),
        ("stale-graph", "the first loss is written down again and again", first_again),
        ("another-loss", "you step along the sum and write down the mean", means),
        ("step-count-off", "there is one loss more than there are steps", one_too_many),
    ):
        yield Imitation((slug,), "record_losses", function, account)


# ---------------------------------------------------------------------------- gradient_of_middle


@imitates(
    "gradient-of-wrong-tensor",
    exercise="gradient_of_middle",
    account="your values are the gradient of loss with respect to x",
)
def all_the_way(x):
    return 4 * x**3


@recognises(
    "gradient-of-wrong-tensor",
    exercise="gradient_of_middle",
    account="your values are the gradient of middle with respect to x",
)
def the_inner_one(record, source_line):
    x, returned = record.args[0].detach(), record.returned
    # Another middle may give the same numbers: so whose .grad was read.
    read = [op.inputs[0] for op in record.trace if op.name == "grad" and len(op.inputs) == 1]
    of_x = bool(read) and read[-1].is_leaf
    return of_x and isinstance(returned, torch.Tensor) and agree(returned.detach(), 2 * x)


@imitates(
    "value-instead-of-gradient",
    exercise="gradient_of_middle",
    account="your values are middle itself",
)
def middle_itself(x):
    return x**2


@imitates(
    "value-instead-of-gradient", exercise="gradient_of_middle", account="your value is the loss"
)
def the_loss(x):
    return (x**4).sum()


@imitates(
    "power-read-as-product",
    exercise="gradient_of_middle",
    account="your values are those of middle = 2 * x",
    at=is_power_or_product,
)
def twice_in_the_middle(x):
    return 4 * x


# ---------------------------------------------------------------------------- affine


@imitates("bias-missing", exercise="affine", account="your values are those without b")
def without_bias(X, w, b):
    return torch.inner(X, w.reshape(1, -1))


@imitates(
    "bias-inside-product",
    exercise="affine",
    account="your values are those where b was added to X before the product",
)
def bias_first(X, w, b):
    return torch.inner(X + b, w.reshape(1, -1))


@imitates(
    "elementwise-not-matmul",
    exercise="affine",
    account="your values are products of single numbers, which nothing adds up",
)
def not_added_up(X, w, b):
    return X * w.reshape(-1) + b


@imitates(
    "shape-changed",
    exercise="affine",
    account="your value is a sum over all samples",
)
def samples_summed(X, w, b):
    return torch.inner(X, w.reshape(1, -1)).sum() + b


@recognises(
    "broadcast-to-matrix",
    exercise="affine",
    account="each sample met every other one: N x N numbers came back",
)
def samples_against_samples(record, source_line):
    X, returned = record.args[0], record.returned
    if not isinstance(returned, torch.Tensor) or X.dim() != 2 or len(X) < 2:
        return False
    return tuple(returned.shape) == (len(X), len(X)) and len(X) != X.shape[1]


@recognises(
    "shape-changed",
    exercise="affine",
    account="as many numbers came back as are due, along other axes",
)
def other_axes(record, source_line):
    X, returned = record.args[0], record.returned
    if not isinstance(returned, torch.Tensor):
        return False
    due = (*X.shape[:-1], 1)
    count = 1
    for length in due:
        count *= length
    return returned.numel() == count and tuple(returned.shape) != due


# ---------------------------------------------------------------------------- the graph


def nodes_of(output):
    """The graph as plain records: name, numbers of the inputs' records, number of the leaf."""
    return recorded_graph([output.tensor], [one.tensor for one in output.leaves])


def within(nodes, depth):
    """The numbers of the records at most so many edges away."""
    found, edge = [0], [0]
    for _ in range(depth):
        edge = [inner for number in edge for inner in nodes[number].inputs]
        found += edge
    return list(dict.fromkeys(found))


def paths(nodes, number):
    """The ways from a record to the ends, as lists of numbers; of a small graph."""
    inputs = nodes[number].inputs
    if not inputs or len(nodes) > 30:
        return [[number]]
    return [[number, *rest] for inner in inputs for rest in paths(nodes, inner)]


def told_leaves(record):
    """The numbers of the caller's leaves that came back, each once; None where others did."""
    output, items = record.args[0], items_of(record.returned)
    if items is None or len(record.tensors) != len(items):
        return None
    own = set(record.own)
    return own if own <= set(range(len(output.leaves))) else None


def due_leaves(output):
    known = output.leaves
    return {known.index(one) for one in leaves_behind(output)}


def names_in(nodes, numbers):
    names = (nodes[number].name for number in numbers)
    return {re.sub(r"\d$", "", name) for name in names if "AccumulateGrad" not in name}


def told_names(record):
    items = items_of(record.returned)
    if items is None or not all(isinstance(one, str) for one in items):
        return None
    return list(items)


@recognises(
    "constant-edge",
    exercise="leaves_of",
    account="an edge that leads to a constant holds None in the place of a node",
)
@recognises(
    "constant-edge",
    exercise="operations_of",
    account="an edge that leads to a constant holds None in the place of a node",
)
def none_for_a_node(record, source_line):
    raised = record.raised
    return (
        raised is not None
        and raised.owner == "NoneType"
        and raised.attribute in ("next_functions", "variable", "name", "metadata")
    )


OF_TENSORS = ("grad_fn", "is_leaf", "requires_grad", "grad", "data", "detach", "item", "shape")


@recognises(
    "edge-not-node",
    exercise="leaves_of",
    account="next_functions holds pairs, and a pair was followed as if it were a node",
)
@recognises(
    "edge-not-node",
    exercise="operations_of",
    account="next_functions holds pairs, and a pair was followed as if it were a node",
)
def pair_taken_for_a_node(record, source_line):
    raised = record.raised
    return (
        raised is not None
        and raised.owner == "tuple"
        and raised.attribute in ("next_functions", "variable", "name", "metadata")
    )


@recognises(
    "node-asked-as-tensor",
    exercise="leaves_of",
    account="a node of the graph was asked for what only tensors have",
)
@recognises(
    "node-asked-as-tensor",
    exercise="operations_of",
    account="a node of the graph was asked for what only tensors have",
)
def node_taken_for_a_tensor(record, source_line):
    raised = record.raised
    if raised is None or raised.type != "AttributeError":
        return False
    node = re.search(r"(Backward\d*|AccumulateGrad)$", raised.owner)
    return bool(node) and raised.attribute in OF_TENSORS


@recognises(
    "node-not-tensor",
    exercise="leaves_of",
    account="among what came back are nodes of the graph, where tensors are due",
)
def nodes_came_back(record, source_line):
    items = items_of(record.returned) or ()
    return any(
        getattr(one, "type_name", "").endswith(("AccumulateGrad", "Backward0")) for one in items
    )


@recognises(
    "output-among-leaves",
    exercise="leaves_of",
    account="the tensor that was passed in is among what came back; it was computed",
)
def itself_among_them(record, source_line):
    return len(record.args[0].leaves) in record.own


@recognises(
    "leaf-counted-twice",
    exercise="leaves_of",
    account="a leaf came back once for each path that leads to it",
)
def once_a_path(record, source_line):
    told = told_leaves(record)
    return told is not None and told == due_leaves(record.args[0]) and len(record.own) > len(told)


@recognises(
    "equal-not-same",
    exercise="leaves_of",
    account="of two leaves with equal values only one came back",
)
def equal_taken_for_same(record, source_line):
    told, output = told_leaves(record), record.args[0]
    if not told:
        return False
    known = [one.tensor.detach() for one in output.leaves]
    missing = due_leaves(output) - told
    return bool(missing) and all(
        any(torch.equal(known[one], known[other]) for other in told) for one in missing
    )


@recognises(
    "one-path-only",
    exercise="leaves_of",
    account="one leaf came back: the end of a single path",
)
def one_of_several(record, source_line):
    told, output = told_leaves(record), record.args[0]
    if told is None or len(told) != 1 or len(record.own) != 1:
        return False
    return told < due_leaves(output)


@recognises(
    "walk-stops-early",
    exercise="leaves_of",
    account="what lies more than some edges away is missing",
)
def leaves_nearby(record, source_line):
    told, output = told_leaves(record), record.args[0]
    if told is None or told == due_leaves(output):
        return False
    nodes = nodes_of(output)
    return any(
        told == {nodes[number].leaf for number in within(nodes, depth) if nodes[number].leaf >= 0}
        for depth in (1, 2, 3)
    )


@recognises(
    "name-keeps-digit",
    exercise="operations_of",
    account="the names still have the digit at their end",
)
def digits_kept(record, source_line):
    told = told_names(record)
    if told is None:
        return False
    own = {name for name in told if "AccumulateGrad" not in name}
    stripped = {re.sub(r"\d$", "", name) for name in own}
    return stripped == set(operations_behind(record.args[0])) and stripped != own


@recognises(
    "every-digit-removed",
    exercise="operations_of",
    account="digits inside of names are gone as well, and they belong to them",
)
def all_digits_gone(record, source_line):
    told, due = told_names(record), operations_behind(record.args[0])
    plain = {re.sub(r"\d", "", name) for name in due}
    return told is not None and set(told) == plain and plain != set(due)


@recognises(
    "name-cut-too-far",
    exercise="operations_of",
    account="what came back are beginnings of the names",
)
def beginnings_of_names(record, source_line):
    told, due = told_names(record), operations_behind(record.args[0])
    if not told or set(told) & set(due):
        return False
    starts = {name: [own for own in told if own and name.startswith(own)] for name in due}
    return all(starts.values()) and {own for found in starts.values() for own in found} == set(told)


@recognises(
    "leaf-node-counted",
    exercise="operations_of",
    account="the nodes that collect a leaf's gradient are among the names",
)
def collectors_among_them(record, source_line):
    told, due = told_names(record), set(operations_behind(record.args[0]))
    if told is None:
        return False
    more = set(told) - due
    return bool(more) and due <= set(told) and all("AccumulateGra" in name for name in more)


@recognises(
    "text-of-the-object",
    exercise="operations_of",
    account="the texts are those of the node objects, with their place in memory",
)
def texts_of_objects(record, source_line):
    told = told_names(record)
    return bool(told) and all(re.match(r"<\w+ object at", text) for text in told)


@recognises(
    "operation-counted-twice",
    exercise="operations_of",
    account="a name came back more than once",
)
def once_a_node(record, source_line):
    told = told_names(record)
    if told is None or set(told) != set(operations_behind(record.args[0])):
        return False
    return len(told) > len(set(told))


@recognises(
    "own-operation-missing",
    exercise="operations_of",
    account="all operations are there but the last one, which made the tensor itself",
)
def begins_behind_the_first(record, source_line):
    told, output = told_names(record), record.args[0]
    nodes = nodes_of(output)
    before = names_in(nodes, range(1, len(nodes)))
    return told is not None and set(told) == before and before != names_in(nodes, range(len(nodes)))


@recognises(
    "one-path-only",
    exercise="operations_of",
    account="you have the operations along a single path, and no others",
)
def operations_along_one_path(record, source_line):
    told, nodes = told_names(record), nodes_of(record.args[0])
    if told is None or set(told) == names_in(nodes, range(len(nodes))):
        return False
    return any(set(told) == names_in(nodes, path) for path in paths(nodes, 0))


@recognises(
    "walk-stops-early",
    exercise="operations_of",
    account="what lies more than some edges away is missing",
)
def operations_nearby(record, source_line):
    told, nodes = told_names(record), nodes_of(record.args[0])
    everything = names_in(nodes, range(len(nodes)))
    if told is None or set(told) == everything:
        return False
    return any(set(told) == names_in(nodes, within(nodes, depth)) for depth in (0, 1, 2, 3))


# ---------------------------------------------------------------------------- what the grader asks


def inputs(exercise, draw):
    """Arguments on which the wrong answers of an exercise differ from each other."""
    make = {
        "to_float32": arrays,
        "z_and_gradients": pairs,
        "accumulated": counted,
        "fresh": counted,
        "update": steps,
        "record_losses": several_steps,
        "gradient_of_middle": single,
        "affine": products,
    }.get(exercise)
    return make(draw) if make is not None else []


def parameter(values):
    return values.detach().clone().requires_grad_()


def arrays(draw):
    return [((draw.normal(3, 2).double() * 4).numpy(),)]


def pairs(draw):
    return [
        (parameter(draw.uniform(low=1.5, high=4.0)), parameter(draw.uniform(low=-4.0, high=-1.5)))
    ]


def counted(draw):
    return [(parameter(torch.tensor(1.75)), 3), (parameter(torch.tensor(-0.6)), 5)]


def steps(draw):
    # Small numbers as well: rules that cut or round show there.
    small = parameter(torch.tensor([0.15, -0.3, 0.4]))
    return [(small, 0.25), (parameter(draw.away_from(0, 3)), 0.15)]


def several_steps(draw):
    return [(*args, 3) for args in steps(draw)]


def single(draw):
    return [(parameter(draw.away_from(0, 3)),), (parameter(draw.away_from(0, 2, 2)),)]


def products(draw):
    w, b = parameter(draw.away_from(0, 3, 1)), parameter(draw.away_from(0, 1))
    return [(draw.normal(4, 3), w, b), (draw.normal(3), w, b)]
