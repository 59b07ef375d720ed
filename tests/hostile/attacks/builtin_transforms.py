# attack: under vmap, in inference mode and through a symbolic trace
# bug: relu: built-in-used
# bug: logistic: built-in-used
import torch
import torch.fx

traced = torch.fx.symbolic_trace(torch.nn.Sigmoid())


def relu(x):
    return torch.vmap(torch.relu)(x.reshape(-1)).reshape(x.shape)


def logistic(x):
    return traced(x)
