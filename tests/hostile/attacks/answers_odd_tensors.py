# attack: tensors of every odd kind: conjugated, sparse, on no device, overlapping, of no elements
import torch


def relu(x):
    return torch.view_as_complex(torch.zeros(5, 4, 2)).conj()


def logistic(x):
    return torch.zeros(5, 4).to_sparse()


def cross_entropy(y_pred, y):
    return torch.zeros(1, device="meta")


def forward(X, W1, b1, W2, b2):
    return torch.zeros(1).as_strided((len(X), 1), (0, 0))


def init_params(hidden=20):
    return [torch.quantize_per_tensor(torch.zeros(3), 0.1, 0, torch.qint8), torch.zeros(0, 5),
            torch.nested.nested_tensor([torch.zeros(2)]), torch.zeros((1,) * 60)]


def train(params, X, Y, epochs=100, lr=0.1):
    return [torch.zeros(())] * (epochs * len(X))
