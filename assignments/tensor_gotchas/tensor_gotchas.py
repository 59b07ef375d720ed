# %% [markdown]
# # Tensor gotchas
#
# Eleven short exercises on what trips people up between NumPy and autograd: dtypes, gradients that
# pile up, the update, shapes, and the tape itself. Most take two to six lines.
#
# Replace each `raise NotImplementedError` with your code and keep names and arguments as they
# are. What counts stands in the docstrings; the handout (`README.md`) explains it. Functions,
# imports and cells of your own are welcome. `grade` in this folder shows how far you are.

# %%
import numpy as np
import torch

# %% [markdown]
# ## 1. to_float32


# %%
def to_float32(array):
    """The array's numbers as a tensor of float32, the type of PyTorch's own weights.

    array is a NumPy array of any shape; it holds float64, float32 or whole numbers.
    Returns a float32 tensor of the array's shape and values, which does not require grad.
    It has memory of its own: whoever changes the array later does not change the tensor.
    array itself stays as it was.
    """
    raise NotImplementedError


# %%
# check: to_float32

# %% [markdown]
# ## 2. predict


# %%
def predict(X, W):
    """The matrix product of X and W, computed in float32.

    X is a float64 tensor of shape (n, k), as it comes from a NumPy array.
    W is a float32 tensor of shape (k, m) that requires grad.
    X is what gets converted, not W: the result is float32, of shape (n, m).
    Gradients must flow back to W; X and W themselves stay as they were.
    """
    raise NotImplementedError


# %%
# check: predict

# %% [markdown]
# ## 3. z_and_gradients


# %%
def z_and_gradients(x, y):
    """The value of z = x * y + x ** 2, and how steeply it rises with x and with y.

    x and y are float32 leaves that require grad, each a single number, without a gradient so far.
    Returns z, its gradient for x and its gradient for y: three Python floats, in a list or tuple.
    The gradients come from one backward, so x.grad and y.grad of the caller's own tensors hold
    them afterwards.
    x and y keep their values.
    """
    raise NotImplementedError


# %%
# check: z_and_gradients

# %% [markdown]
# ## 4. accumulated


# %%
def accumulated(w, steps):
    """What w.grad holds after each of several backward passes, when nothing resets it.

    w is a float32 leaf that requires grad, a single number, without a gradient so far.
    The loss is w ** 2; backward runs on it `steps` times.
    Returns a list of `steps` Python floats: w.grad after the first backward, after the second, and
    so on. A number that was written down does not change any more.
    At the end w.grad of the caller's own tensor holds the last of them, and w keeps its value.
    """
    raise NotImplementedError


# %%
# check: accumulated

# %% [markdown]
# ## 5. fresh


# %%
def fresh(w, steps):
    """The gradient of each of several backward passes alone, with a reset in between.

    w is a float32 leaf that requires grad, a single number, without a gradient so far.
    The loss is w ** 2; backward runs on it `steps` times.
    Returns a list of `steps` Python floats, one a pass, none of which contains an earlier one.
    w keeps its value. What w.grad holds at the end does not count.
    """
    raise NotImplementedError


# %%
# check: fresh

# %% [markdown]
# ## 6. update


# %%
def update(w, lr):
    """One step of gradient descent on the sum of w ** 2, in the caller's own tensor.

    w is a float32 leaf that requires grad, of any shape, without a gradient so far.
    The loss is the sum of w ** 2 over all elements, and backward gives its gradient.
    Afterwards the caller's own w holds w - lr * (its gradient).
    Its gradient is reset: w.grad is all zeros or None.
    w is still a leaf that requires grad, and autograd records as it did before.
    What update returns does not count.
    By hand: nothing from torch.optim (handout 7.6).
    """
    raise NotImplementedError


# %%
# check: update

# %% [markdown]
# ## 7. record_losses


# %%
def record_losses(w, lr, steps):
    """The losses of several steps of gradient descent, each taken before its update.

    w is a float32 leaf that requires grad, of any shape, without a gradient so far.
    Each step takes the sum of w ** 2 as its loss, the gradient of that loss alone, and then
    updates w by w - lr * (its gradient).
    Returns a list of `steps` Python floats, the loss of each step before its update.
    The updates are in place: at the end the caller's own w holds the result of the last one.
    By hand: nothing from torch.optim (handout 7.7).
    """
    raise NotImplementedError


# %%
# check: record_losses

# %% [markdown]
# ## 8. gradient_of_middle


# %%
def gradient_of_middle(x):
    """The gradient at a tensor that was computed on the way, where .grad alone is None.

    x is a float32 leaf that requires grad, of any shape.
    The computation is middle = x ** 2, and then loss = the sum of middle ** 2.
    Returns the gradient of loss with respect to middle, as one tensor of x's shape and dtype.
    x keeps its values. What x.grad holds at the end does not count.
    """
    raise NotImplementedError


# %%
# check: gradient_of_middle

# %% [markdown]
# ## 9. affine


# %%
def affine(X, w, b):
    """The product of X with w, plus b, for one sample as well as for many.

    w has shape (k, 1) and b has shape (1,); everything is float32.
    X is one sample, (k,) or (1, k), or a batch, (n, k).
    X of shape (k,) gives shape (1,), (1, k) gives (1, 1), and (n, k) gives (n, 1).
    Gradients must flow back to w and b; all arguments stay as they were.
    """
    raise NotImplementedError


# %%
# check: affine

# %% [markdown]
# ## 10. leaves_of


# %%
def leaves_of(output):
    """The leaves that a computed tensor hangs on: those that its backward would fill.

    output was computed from leaves that require grad, from constants, or from both; it has a
    grad_fn.
    Returns a list, tuple or set of the leaves that requires_grad is set on and that output's graph
    leads to: the tensors themselves and no copies, each once, in any order.
    No value and no gradient changes.
    """
    raise NotImplementedError


# %%
# check: leaves_of

# %% [markdown]
# ## 11. operations_of


# %%
def operations_of(output):
    """The names of the operations in a computed tensor's graph.

    output was computed as in leaves_of.
    Returns a list, tuple or set of strings, each name once, in any order.
    A name is what the node's name() says, without the digit at its end: "MulBackward" for
    MulBackward0. Nodes that only collect a leaf's gradient (AccumulateGrad) are left out.
    No value and no gradient changes.
    """
    raise NotImplementedError


# %%
# check: operations_of

# %% [markdown]
# ## Putting it together
#
# The graph on the board, with `a` used twice. Run it when all exercises are done.

# %%
if __name__ == "__main__":
    X = to_float32(np.array([[1.0, 2.0], [3.0, 4.0]]))
    w = torch.tensor([[0.5], [-1.0]], requires_grad=True)
    b = torch.tensor([0.25], requires_grad=True)
    print("affine:", affine(X, w, b).tolist())

    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    d = a + (a * 2).mean()
    print("d hangs on a alone:", [leaf is a for leaf in leaves_of(d)])
    print("by way of:", sorted(operations_of(d)))

    v = torch.tensor([1.0, 2.0], requires_grad=True)
    print("losses:", record_losses(v, 0.1, 5))
