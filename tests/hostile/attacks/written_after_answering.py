# attack: threads that go on writing into tensors that were given back
# review: yes
import threading
import time

import torch


def spoil(tensor):
    for _ in range(200):
        tensor.detach().fill_(float("nan"))
        time.sleep(0.001)


def relu(x):
    out = torch.zeros_like(x)
    threading.Thread(target=spoil, args=(out,), daemon=True).start()
    return out


def logistic(x):
    threading.Thread(target=spoil, args=(x,), daemon=True).start()
    return torch.zeros_like(x)
