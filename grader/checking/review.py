"""Source that reaches past its exercise: no verdict, a reason for a human to look."""

from __future__ import annotations

import ast
from collections.abc import Sequence

# What reaches it, and what it could be for. Honest code has no use for these in such an exercise.
MODULES = {
    "ctypes": "native code",
    "_ctypes": "native code",
    "cffi": "native code",
    "gc": "the garbage collector",
    "inspect": "stack frames",
    "sys": "",
    "traceback": "",
    "faulthandler": "fault handling",
    "atexit": "what runs at exit",
    "signal": "signals",
    "subprocess": "other processes",
    "multiprocessing": "other processes",
    "socket": "the network",
    "importlib": "import machinery",
    "builtins": "builtins",
    "pickle": "pickles",
    "marshal": "code objects",
    "_pytest": "the test runner",
    "pytest": "",
    "unittest": "",
    "grader_worker": "the grader's own worker",
    "mmap": "raw memory",
    "fcntl": "descriptors",
    "resource": "limits",
}
ATTRIBUTES = {
    "_getframe": "stack frames",
    "_current_frames": "stack frames",
    "settrace": "tracing",
    "setprofile": "tracing",
    "f_back": "stack frames",
    "f_locals": "stack frames",
    "f_globals": "stack frames",
    "tb_frame": "stack frames",
    "gi_frame": "stack frames",
    "__subclasses__": "class internals",
    "__code__": "code objects",
    "__globals__": "another function's globals",
    "__closure__": "another function's closure",
    "_C": "torch._C",
    "_exit": "ending the process",
    "kill": "signals",
    "killpg": "signals",
    "fork": "other processes",
    "system": "other processes",
    "popen": "other processes",
    "modules": "",
    "_ops": "torch's operator table",
    "aten": "torch's operator table",
    "_enable_profiler_legacy": "tracing",
    "_push_mode": "torch's modes",
    "TorchDispatchMode": "torch's modes",
    "TorchFunctionMode": "torch's modes",
    "__torch_function__": "torch's modes",
    "__torch_dispatch__": "torch's modes",
    "DisableTorchFunction": "torch's modes",
    "DisableTorchFunctionSubclass": "torch's modes",
    "Library": "torch's operator table",
    "__import__": "import machinery",
    "import_module": "import machinery",
    "__builtins__": "builtins",
}
CALLS = {"eval": "code from text", "exec": "code from text", "compile": "code from text",
         "__import__": "import machinery", "globals": "", "vars": ""}  # fmt: skip
MOST = 20


def review_reasons(cells: Sequence[tuple[str, str]]) -> list[str]:
    """One line a thing that the source reaches for, with its place, in source order."""
    reasons: dict[str, None] = {}
    for filename, source in cells:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in ast.walk(tree):
            for what in _reached(node):
                line = getattr(node, "lineno", 0)
                reasons.setdefault(f"the source reaches for {what} ({filename}, line {line})")
    return list(reasons)[:MOST]


def _reached(node: ast.AST) -> list[str]:
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module:
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    if names:
        return [what for name in names for what in _module(name)]
    if isinstance(node, ast.Attribute):
        return [what] if (what := ATTRIBUTES.get(node.attr)) else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        what = CALLS.get(node.func.id, "")
        return [what] if what else []
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 60:
        # By getattr: the attribute's name stands there as text.
        return [what] if (what := ATTRIBUTES.get(node.value)) and node.value.startswith("_") else []
    return []


def _module(name: str) -> list[str]:
    parts = name.split(".")
    found = [MODULES.get(parts[0], ""), *(ATTRIBUTES.get(part, "") for part in parts[1:])]
    return [what for what in found if what]
