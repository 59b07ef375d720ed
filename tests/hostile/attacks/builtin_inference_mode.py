# attack: the value in inference mode, the gradient by hand
# bug: relu: built-in-used
import torch


class Rectify(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        with torch.inference_mode():
            out = torch.relu(x)
        return out.clone()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x > 0)


def relu(x):
    return Rectify.apply(x)
