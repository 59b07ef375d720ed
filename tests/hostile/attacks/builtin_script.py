# attack: compiled by TorchScript when the file is loaded
# bug: relu: built-in-used
# bug: logistic: built-in-used
import torch

compiled = torch.jit.CompilationUnit("def f(x):\n    return torch.relu(x)\n").f
traced = torch.jit.trace(torch.sigmoid, torch.ones(3))


def relu(x):
    return compiled(x)


def logistic(x):
    return traced(x)
