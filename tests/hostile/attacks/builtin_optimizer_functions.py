# attack: the function behind the optimizer, kept under another name
# bug: sgd: built-in-used
from torch.optim.sgd import _single_tensor_sgd as update


def sgd(params, lr=0.1):
    import torch

    with torch.no_grad():
        update(
            list(params), [p.grad for p in params], [None] * len(params), None, None, weight_decay=0.0,
            momentum=0.0, lr=lr, dampening=0.0, nesterov=False, maximize=False, has_sparse_grad=False,
        )
    for p in params:
        p.grad = None
