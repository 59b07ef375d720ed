# attack: another optimizer's step, kept from before it could be wrapped, with the rule of plain sgd
# bug: sgd: built-in-used
import torch

step = torch.optim.ASGD.step
optimizer = torch.optim.ASGD([torch.zeros(1, requires_grad=True)], lambd=0.0, alpha=0.0, t0=1e9)


def sgd(params, lr=0.1):
    optimizer.state.clear()
    group = optimizer.param_groups[0]
    group["params"], group["lr"] = list(params), lr
    step(optimizer)
    for p in params:
        p.grad = None
