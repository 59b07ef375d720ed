# attack: a recurrent cell and a fused layer that rectify inside
# bug: relu: built-in-used
import torch


def relu(x):
    flat = x.reshape(-1, 1)
    one, none = torch.ones(1, 1, dtype=x.dtype), torch.zeros(1, 1, dtype=x.dtype)
    return torch.rnn_relu_cell(flat, torch.zeros_like(flat), one, none).reshape(x.shape)
