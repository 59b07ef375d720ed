# attack: results written by out=
# bug: logistic: built-in-used
import torch


class Squeeze(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        out = torch.empty_like(x)
        torch.sigmoid(x, out=out)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad):
        (out,) = ctx.saved_tensors
        return grad * out * (1 - out)


def logistic(x):
    return Squeeze.apply(x)
