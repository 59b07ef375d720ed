# %% [markdown]
# # XOR by hand
#
# You write a small neural network on raw tensors: two activations, a loss, the network, the
# update, and the loop that trains it. Autograd gives the gradients; all else is yours.
#
# Replace each `raise NotImplementedError` with your code and keep names and arguments as they
# are. What counts stands in the docstrings; the handout (`README.md`) explains it. Functions,
# imports and cells of your own are welcome. `grade` in this folder shows how far you are.

# %%
import torch

# %% [markdown]
# ## 1. relu


# %%
def relu(x):
    """Keeps what is positive and turns the rest into zero, element by element.

    x is a tensor of floats, of any shape.
    Returns a new tensor of x's shape and dtype; x itself stays as it was.
    Gradients must flow back to x. (At exactly 0 any of 0, 0.5, 1 will do.)
    By hand: no ready-made activation (handout 7.1).
    """
    raise NotImplementedError


# %%
# check: relu

# %% [markdown]
# ## 2. logistic


# %%
def logistic(x):
    """Squeezes each number into the range from 0 to 1: 1 divided by the sum of 1 and exp(-x).

    x is a tensor of floats, of any shape; beyond -80 and 80 nothing is asked.
    Returns a new tensor of x's shape and dtype; x itself stays as it was.
    Gradients must flow back to x.
    By hand: no ready-made sigmoid or softmax (handout 7.2).
    """
    raise NotImplementedError


# %%
# check: logistic

# %% [markdown]
# ## 3. cross_entropy


# %%
def cross_entropy(y_pred, y):
    """The binary cross-entropy: how surprised the predictions are by the labels, on average.

    y_pred holds probabilities strictly between 0 and 1 (the logistic is already applied).
    y holds the labels, each exactly 0 or 1, in y_pred's shape and dtype: (N, 1) or (N,).
    One sample costs -ln(its probability) if its label is 1, and -ln(1 - its probability) if its
    label is 0; the result is the mean over the samples, with the natural logarithm.
    Returns a tensor with one element, of y_pred's dtype; y_pred and y stay as they were.
    Gradients must flow back to y_pred.
    By hand: no ready-made loss (handout 7.3).
    """
    raise NotImplementedError


# %%
# check: cross_entropy

# %% [markdown]
# ## 4. forward


# %%
def forward(X, W1, b1, W2, b2):
    """The network's probability that the label is 1, for one sample or for a batch.

    A hidden layer with weights W1, bias b1 and relu is followed by an output layer with weights
    W2, bias b2 and the logistic.
    X is one sample, (2,) or (1, 2), or a batch, (N, 2).
    W1 is (2, hidden), b1 is (hidden,) or (1, hidden).
    W2 is (hidden, 1), b2 is (1,), (1, 1) or ().
    Returns (N, 1) for a batch of N; for one sample, one value in a tensor of any shape.
    float32 arguments give a float32 result, and all arguments stay as they were.
    The result depends on the arguments and on nothing else.
    Gradients must flow back to W1, b1, W2 and b2.
    By hand: no ready-made activation (handout 7.4).
    """
    raise NotImplementedError


# %%
# check: forward

# %% [markdown]
# ## 5. sgd


# %%
def sgd(params, lr=0.1):
    """One plain step of gradient descent on every parameter, after which no gradient is left.

    params is [W1, b1, W2, b2]; backward has run, so each parameter's .grad is filled.
    Every parameter p becomes p - lr * (its gradient): no momentum, no averaging, nothing else.
    The update is in place: the caller's own tensors hold the new values.
    Then every gradient is reset: .grad is all zeros or None.
    The parameters remain leaves that require grad.
    Autograd records after the call as it did before it.
    What sgd returns does not count.
    By hand: nothing from torch.optim (handout 7.5).
    """
    raise NotImplementedError


# %%
# check: sgd

# %% [markdown]
# ## 6. init_params


# %%
def init_params(hidden=20):
    """Fresh parameters for the network, as [W1, b1, W2, b2] (a list or a tuple).

    The shapes: W1 (2, hidden), b1 (hidden,) or (1, hidden), W2 (hidden, 1), b2 (1,), (1, 1) or ().
    Each is a float32 leaf that requires grad, and no two share memory.
    Hidden units must differ from one another, and must still differ after training steps.
    """
    raise NotImplementedError


# %%
# check: init_params

# %% [markdown]
# ## 7. train


# %%
def train(params, X, Y, epochs=100, lr=0.1):
    """Trains on one sample at a time and returns the loss of every step.

    params is [W1, b1, W2, b2], without gradients at the start; X is (N, 2) and Y is (N, 1).
    The samples are visited in the given order, one at a time, and that epochs times over.
    Each visit is one step: the cross-entropy of that sample alone, its gradients, one plain
    update p - lr * (its gradient).
    No gradient of an earlier step may take part in a later one.
    The parameters are updated in place, starting from the values given.
    Returns a list of epochs * N Python floats, one a step, in the order of the steps.
    Each is the sample's loss before its update.
    By hand: no ready-made loss and nothing from torch.optim (handout 7.7).
    """
    raise NotImplementedError


# %%
# check: train

# %% [markdown]
# ## Putting it together
#
# The data: 100 points of the unit square, label 1 where exactly one coordinate exceeds 0.5. Run it
# when all exercises are done. If the loss turns into `nan` on the way, read handout 9.

# %%
if __name__ == "__main__":
    torch.manual_seed(0)
    X = torch.rand(100, 2)
    Y = ((X > 0.5).sum(dim=1, keepdim=True) == 1).to(torch.float32)

    params = init_params(hidden=20)
    losses = train(params, X, Y, epochs=100, lr=0.1)
    for epoch in (0, 20, 40, 60, 80, 99):
        total = sum(losses[100 * epoch : 100 * (epoch + 1)])
        print(f"epoch {epoch:2}: summed loss {total:6.2f}")
    with torch.no_grad():
        right = (forward(X, *params) > 0.5) == (Y == 1)
    print(f"accuracy {right.float().mean().item():.2f}")
