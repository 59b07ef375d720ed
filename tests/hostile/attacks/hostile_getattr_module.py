# attack: a module whose names and attributes lie about what was handed in
import sys
import types


class Lying(types.ModuleType):
    def __getattribute__(self, name):
        if name == "__dict__":
            raise SystemExit(0)
        return lambda *args: args[0]


sys.modules["submission"] = Lying("submission")
for key in list(globals()):
    if key.startswith("__") and key != "__builtins__":
        globals().pop(key)
globals()[5] = globals()["\ud800"] = relu = len
globals().clear()
