# attack: an optimizer made when the file is loaded, its parameters put in later
# bug: sgd: built-in-used
import torch

optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)


def sgd(params, lr=0.1):
    group = optimizer.param_groups[0]
    group["params"], group["lr"] = list(params), lr
    optimizer.step()
    optimizer.zero_grad()
