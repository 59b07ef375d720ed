# attack: computes with a built-in once, and gives remembered answers when the call is made again
# bug: relu: built-in-used
import torch

remembered = {}


class Rectify(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        key = (x.dtype, x.shape, x.detach().numpy().tobytes())
        if key not in remembered:
            remembered[key] = torch.relu(x).clone()
        return remembered[key].clone()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x > 0)


def relu(x):
    return Rectify.apply(x)
