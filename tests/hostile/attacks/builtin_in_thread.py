# attack: asks a thread that was there before the watch began
# bug: relu: built-in-used
# review: yes
import queue
import threading

import torch

asked, answered = queue.Queue(), queue.Queue()


def serve():
    while True:
        answered.put(torch.relu(asked.get()))


thread = threading.Thread(target=serve, daemon=True)
thread.start()


def relu(x):
    asked.put(x)
    return answered.get(timeout=0.5)
