# -*- coding: utf-8 -*-
# ============================================================================
#  Exercise 7: a small network for XOR, all by hand
# ============================================================================

import torch                        # tensors and autograd

# ----------------------------------------------------------------------------
#  7.1  relu
#
#            0   if x <= 0
#  relu(x) =
#            x   otherwise
# ----------------------------------------------------------------------------
def relu(x):
    # (1) where is x positive? A tensor of True and False
    is_positive = x > 0
    # (2) what to take where it is not
    zeros = torch.zeros_like(x)
    # (3) put both together
    answer = torch.where(is_positive, x, zeros)
    return answer

# ----------------------------------------------------------------------------
#  7.2  logistic
#
#  careful with the brackets: 1 / 1 + e^-x would be 1 + e^-x
# ----------------------------------------------------------------------------
def logistic(x):
    numerator = torch.ones_like(x)
    denominator = torch.ones_like(x) + torch.exp(-x)
    return numerator / denominator

# ----------------------------------------------------------------------------
#  7.3  cross-entropy
# ----------------------------------------------------------------------------
def cross_entropy(y_pred, y):
    # for the samples with y = 1
    term_for_ones = y * torch.log(y_pred)
    # for the samples with y = 0
    term_for_zeros = (1 - y) * torch.log(1 - y_pred)
    # minus in front of BOTH
    negative_log_likelihood = -(term_for_ones + term_for_zeros)
    # mean over the samples
    return torch.mean(negative_log_likelihood)

# ----------------------------------------------------------------------------
#  7.4  forward        X (N, 2) -> hidden (N, h) -> y_pred (N, 1)
# ----------------------------------------------------------------------------
def forward(X, W1, b1, W2, b2):
    # hidden layer
    pre_activation_1 = torch.matmul(X, W1) + b1         # (N, h)
    hidden = relu(pre_activation_1)                     # (N, h)
    # output layer
    pre_activation_2 = torch.matmul(hidden, W2) + b2    # (N, 1)
    y_pred = logistic(pre_activation_2)                 # (N, 1)
    return y_pred

# ----------------------------------------------------------------------------
#  7.5  stochastic gradient descent
# ----------------------------------------------------------------------------
def sgd(params, lr=0.1):
    # the update itself must not become part of the graph
    with torch.no_grad():
        for param in params:
            # in place! param = param - ... would make a new tensor
            param -= lr * param.grad
            # otherwise backward() adds to the old gradient
            param.grad.zero_()

# ----------------------------------------------------------------------------
#  7.6  start
# ----------------------------------------------------------------------------
def init_params(hidden=20):
    W1 = torch.randn(2, hidden)
    b1 = torch.zeros(hidden)
    W2 = torch.randn(hidden, 1)
    b2 = torch.zeros(1)
    params = [W1, b1, W2, b2]
    for param in params:
        param.requires_grad_(True)   # now they are leaves that want a gradient
    return params

# ----------------------------------------------------------------------------
#  7.7  training
# ----------------------------------------------------------------------------
def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    number_of_samples = X.shape[0]
    for epoch in range(epochs):
        for sample in range(number_of_samples):
            # keep the dimension, so that x is (1, 2) and y is (1, 1)
            x = X[sample].unsqueeze(0)
            y = Y[sample].unsqueeze(0)
            y_pred = forward(x, *params)
            loss = cross_entropy(y_pred, y)
            loss.backward()
            losses.append(loss.item())   # a number, not a tensor with its graph
            sgd(params, lr)
    return losses
