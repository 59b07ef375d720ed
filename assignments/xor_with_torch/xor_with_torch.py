# %% [markdown]
# # XOR with torch
#
# The network that you wrote by hand, once more from PyTorch's own pieces: layers, a loss, an
# optimizer. Each piece does something that you have done yourself; what is left to you is to put
# them together in the right order.
#
# Replace each `raise NotImplementedError` with your code and keep names and arguments as they
# are. What counts stands in the docstrings; the handout (`README.md`) explains it. Functions,
# classes, imports and cells of your own are welcome. `grade` in this folder shows how far you are.

# %%
import torch
from torch import nn

# %% [markdown]
# ## 1. make_model


# %%
def make_model(hidden=20):
    """A new model with 2 inputs, one hidden layer with relu, and 1 output, which is a logit.

    A linear layer, relu and a linear layer: an nn.Sequential of three, or a class of your own.
    The model ends without a logistic: its output may be any number.
    Its parameters are those of two layers: weight (hidden, 2), bias (hidden,), weight (1, hidden)
    and bias (1,).
    Each is float32 and requires grad, and no two hidden units start alike.
    Called with a batch (N, 2), the model returns (N, 1), and gradients flow back to every
    parameter.
    Each call of make_model gives a new model that shares nothing with those before it.
    By library: linear layers from torch.nn (handout 7.1).
    """
    raise NotImplementedError


# %%
# check: make_model

# %% [markdown]
# ## 2. to_library


# %%
def to_library(W1, b1, W2, b2):
    """A model like those of make_model that computes with the weights of a by-hand network.

    W1 is (2, hidden), b1 (hidden,), W2 (hidden, 1) and b2 (1,); all are float32, and they may
    require grad.
    By hand the logits of a batch X were relu(X @ W1 + b1) @ W2 + b2, and for the same X the model
    returns the same logits, (N, 1), within 1e-6.
    The model has copies of its own: what later happens to W1, b1, W2 and b2 changes nothing in it.
    W1, b1, W2 and b2 stay as they were.
    The model can be trained: its parameters require grad.
    By library: linear layers from torch.nn (handout 7.2).
    """
    raise NotImplementedError


# %%
# check: to_library

# %% [markdown]
# ## 3. loss_function


# %%
def loss_function():
    """Something to call as loss(logits, y): the binary cross-entropy, the logistic included.

    It takes no arguments itself, and what it returns is called with two tensors of one shape,
    (N, 1): the model's logits, any numbers, and the labels, each exactly 0 or 1.
    That gives the mean over the samples, a tensor with one element.
    Gradients flow back to the logits.
    It also holds for large logits: for a logit of 150 and a label of 0 the loss is 150.
    By library: a loss of PyTorch's own (handout 7.3).
    """
    raise NotImplementedError


# %%
# check: loss_function

# %% [markdown]
# ## 4. train


# %%
def train(model, X, y, epochs=100, lr=0.1):
    """Trains the model on one sample at a time and returns the summed loss of every epoch.

    model gives one logit for each sample, as those of make_model do; X is (N, 2) and y is (N, 1).
    The samples are visited in the given order, one at a time, and that epochs times over.
    Each visit is one step: the loss of that sample alone, its gradients, and one plain step of
    gradient descent with learning rate lr.
    The model always gets a batch of one, a tensor of shape (1, 2).
    No gradient of an earlier step may take part in a later one.
    The given model's own parameters move, starting from the values that they have.
    Returns a list of epochs Python floats: for each epoch the sum of its samples' losses, each
    taken before that sample's step.
    By library: an optimizer from torch.optim takes the steps (handout 7.4).
    """
    raise NotImplementedError


# %%
# check: train

# %% [markdown]
# ## 5. accuracy


# %%
def accuracy(model, X, y):
    """The share of samples that the model gets right: a Python float from 0 to 1.

    model gives logits, (N, 1) for X of (N, 2); y is (N, 1), each label exactly 0 or 1.
    A sample counts as a 1 where the logistic of its logit is above 0.5, else as a 0.
    Nothing is recorded for a backward(): the model runs while recording is off, or its output is
    detached.
    The model's parameters stay as they were, and autograd records after the call as before it.
    """
    raise NotImplementedError


# %%
# check: accuracy

# %% [markdown]
# ## Putting it together
#
# The data: 100 points of the unit square, label 1 where exactly one coordinate exceeds 0.5. Run it
# when all exercises are done.

# %%
if __name__ == "__main__":
    torch.manual_seed(0)
    X = torch.rand(100, 2)
    y = ((X > 0.5).sum(dim=1, keepdim=True) == 1).to(torch.float32)

    model = make_model(hidden=20)
    print(nn.utils.parameters_to_vector(model.parameters()).numel(), "numbers to learn")
    totals = train(model, X, y, epochs=100, lr=0.1)
    for epoch in (0, 20, 40, 60, 80, 99):
        print(f"epoch {epoch:2}: summed loss {totals[epoch]:6.2f}")
    print(f"accuracy {accuracy(model, X, y):.2f}")
