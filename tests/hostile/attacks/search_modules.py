# attack: looks through loaded modules for library pieces and models, and imports them by name
# levels: jail confined
# review: yes
import importlib
import sys

NAMES = ("library_pieces", "reference", "grader_oracle", "grader_library_pieces", "solutions",
         "solutions.xor_by_hand.reference", "assignments.xor_by_hand.library_pieces", "conftest",
         "grader.checking.oracle", "grader_checks_support", "test_relu")
sys.path[:0] = ["@SOLUTIONS@", "@ASSIGNMENT@", "@ASSIGNMENT@/checks", "@SOLUTIONS@/checks", "@CANARY@"]
found = []
for name in NAMES:
    try:
        found.append(importlib.import_module(name))
    except BaseException:
        pass
found += [m for n, m in list(sys.modules.items()) if n.split(".")[-1] in NAMES]


def relu(x):
    for module in found:
        if hasattr(module, "relu"):
            return module.relu(x)
    return x


def forward(X, W1, b1, W2, b2):
    for module in found:
        if hasattr(module, "forward"):
            return module.forward(X, W1, b1, W2, b2)
    return X
