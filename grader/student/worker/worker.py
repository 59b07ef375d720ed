"""The untrusted process: loads one submission and answers calls until the wire closes.

Run by file path: `python -s -P worker.py SOCKET HANG_LOG`, both inherited descriptors. Its package is this folder, under a name of its
own, so that nothing of the trusted side can be imported by accident.
"""

from __future__ import annotations

import importlib.util
import os
import socket
import sys
from pathlib import Path

PACKAGE = "grader_worker"


def _become_package() -> None:
    folder = Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location(
        PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(folder)
    module = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = module
    spec.loader.exec_module(module)


def main(descriptor: int, hang_log: int) -> None:
    """Serve one connection on `descriptor`, with the standard streams closed to student code."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(null, stream)
    os.close(null)
    _become_package()
    serving = importlib.import_module(PACKAGE + ".serving")
    serving.serve(socket.socket(fileno=descriptor), hang_log)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
