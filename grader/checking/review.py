"""Source that reaches past its exercise: no verdict, a reason for a human to look."""

from __future__ import annotations

import ast
import itertools
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
    "threading": "threads",
    "_thread": "threads",
    "concurrent": "threads",
    "runpy": "code from text",
}
ATTRIBUTES = {
    "_getframe": "stack frames",
    "_current_frames": "stack frames",
    "settrace": "tracing",
    "setprofile": "tracing",
    "gettrace": "tracing",
    "getprofile": "tracing",
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
    "get_kernel": "torch's operator table",
    "call_boxed": "torch's operator table",
    "redispatch": "torch's operator table",
    "_refs": "torch's inner modules",
    "_decomp": "torch's inner modules",
    "_prims": "torch's inner modules",
    "_VF": "torch's inner modules",
    "_make_wrapper_subclass": "torch's modes",
    "__import__": "import machinery",
    "import_module": "import machinery",
    "__builtins__": "builtins",
}
CALLS = {"eval": "code from text", "exec": "code from text", "compile": "code from text",
         "__import__": "import machinery", "globals": "", "vars": ""}  # fmt: skip
# Of these modules only.
OF_MODULES = {
    ("sys", "modules"): "other modules",
    ("sys", "monitoring"): "tracing",
    ("torch", "ops"): "torch's operator table",
    ("torch", "library"): "torch's operator table",
}
WORKER = "grader_worker"
SYSTEM_FOLDERS = ("/proc/", "/etc/", "/sys/", "/root/")
MOST = 20


def review_reasons(cells: Sequence[tuple[str, str]]) -> list[str]:
    """One line a thing that the source reaches for, with its place, in source order."""
    reasons: dict[str, None] = {}
    for filename, source in cells:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        asked = _asked_for(tree)
        for node in ast.walk(tree):
            for what in [] if id(node) in asked else _reached(node):
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
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        what = ATTRIBUTES.get(node.attr) or OF_MODULES.get((owner, node.attr))
        return [what] if what else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        what = CALLS.get(node.func.id, "")
        return [what] if what else []
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 60:
        if WORKER in node.value:
            return ["the grader's own worker"]
        if node.value.startswith(SYSTEM_FOLDERS):
            return [f"files in {node.value.split('/')[1]}"]
        # By getattr: the attribute's name stands there as text.
        return [what] if (what := ATTRIBUTES.get(node.value)) and node.value.startswith("_") else []
    return []


def _asked_for(tree: ast.AST) -> set[int]:
    """The `sys.modules` of `"name" in sys.modules`: that is how one asks where one runs."""
    return {
        id(place)
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Constant)
        for place in node.comparators
    }


def _module(name: str) -> list[str]:
    parts = name.split(".")
    found = [MODULES.get(parts[0], ""), *(ATTRIBUTES.get(part, "") for part in parts[1:])]
    found += [OF_MODULES.get(pair, "") for pair in itertools.pairwise(parts)]
    return [what for what in found if what]
