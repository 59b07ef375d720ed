# attack: in another memory layout, for which torch has other kernels
# bug: relu: built-in-used
# bug: logistic: built-in-used
import torch


class Rectify(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        positive = torch.relu(x.float().reshape(1, -1).to_mkldnn()).to_dense().reshape(x.shape) > 0
        return x * positive

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x > 0)


def relu(x):
    return Rectify.apply(x)


def logistic(x):
    return torch._foreach_sigmoid([x])[0]
