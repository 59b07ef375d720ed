# attack: the worker's own codec writes other answers than were given
# review: yes
# quick: yes
import sys

for name, module in list(sys.modules.items()):
    if name.startswith("grader_worker") and hasattr(module, "Codec"):
        module.Codec.encode = lambda self, message: b"\x91\xa6passed"


def relu(x):
    return x
