"""Source that reaches past its exercise lands before a human; honest source does not."""

from __future__ import annotations

import pytest
from hostile_session import ROOT

from grader.checking.review import review_reasons
from grader.submission import read_submission

REACHING = {
    "native code": "import ctypes",
    "torch._C": "import torch\ntorch._C.f()",
    "torch._C by getattr": "import torch\ngetattr(torch, '_C')",
    "garbage collector": "import gc\ngc.get_objects()",
    "frames": "import sys\nsys._getframe(1)",
    "frames by traceback": "try: f()\nexcept OSError as e: e.__traceback__.tb_frame.f_back",
    "tracing": "import sys\nsys.settrace(None)",
    "profiling": "from sys import setprofile\nsetprofile(None)\nimport sys\nsys.setprofile(None)",
    "whether profiled": "import sys\nif sys.getprofile(): pass",
    "monitoring": "import sys\nsys.monitoring.free_tool_id(2)",
    "the worker": "import sys\nsys.modules['grader_worker.calls']",
    "all modules": "import sys\nfor m in sys.modules.values(): pass",
    "operator table": "import torch\ntorch.ops.aten.relu",
    "operator table by import": "from torch import ops",
    "kernels": "import torch\ntorch.library.get_kernel('aten::relu', 'CPU')",
    "registration": "from torch.library import Library",
    "compilers' versions": "import torch._refs as R",
    "threads": "import threading",
    "processes": "import subprocess",
    "network": "import socket",
    "code from text": "exec('x = 1')",
    "another's globals": "relu.__globals__",
}


@pytest.mark.parametrize("reach", REACHING)
def test_reaching_is_seen(reach: str) -> None:
    assert review_reasons([("answer.py", REACHING[reach])])


@pytest.mark.parametrize(
    "source",
    [
        "import sys\nif 'google.colab' in sys.modules: pass",
        "import torch\nmodel.modules()",
        "import torch, math, random\nx = torch.zeros(3)",
        "import sys\nprint('x', file=sys.stderr)\nsys.exit()",
    ],
)
def test_honest_source_is_left_in_peace(source: str) -> None:
    assert review_reasons([("answer.py", source)]) == []


def test_no_right_solution_is_sent_to_a_human() -> None:
    for path in sorted((ROOT / "solutions" / "xor_by_hand" / "right").iterdir()):
        if path.suffix in (".py", ".ipynb"):
            read = read_submission(path)
            cells = [(read.filename(cell), cell.source) for cell in read.cells]
            assert review_reasons(cells) == [], path.name
