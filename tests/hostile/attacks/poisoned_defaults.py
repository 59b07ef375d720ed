# attack: sets every default of torch's that it finds, to spoil what comes after
# quick: yes
import torch

torch.set_default_dtype(torch.float64)
torch.set_default_device("meta")
torch.set_num_threads(4)
torch.set_grad_enabled(False)
torch.use_deterministic_algorithms(True)
torch.autograd.set_detect_anomaly(True)
torch.set_flush_denormal(True)
torch.set_printoptions(precision=0)
torch.manual_seed(0)
torch._C._set_grad_enabled(False)


def relu(x):
    torch.set_default_dtype(torch.float16)
    torch.set_grad_enabled(False)
    return x


def sgd(params, lr=0.1):
    torch.inference_mode().__enter__()
    torch.no_grad().__enter__()
