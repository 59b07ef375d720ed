"""The untrusted process: loads one submission and answers calls until the wire closes.

Run by file path, with inherited descriptors: `python -s -P worker.py serve SOCKET HANG_LOG [PLAN]`,
or `worker.py zygote CONTROL` for a process that forks workers. Its package is this folder, under a
name of its own, so that nothing of the trusted side can be imported by accident.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
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


def _forget_checkout() -> None:
    """An editable install puts the folder of the trusted side's own sources on the path."""
    root = Path(__file__).resolve().parents[3]
    if not (root / "torch").is_dir():  # where an ordinary install would put both
        sys.path[:] = [entry for entry in sys.path if Path(entry) != root]


def main(task: str, descriptor: int, rest: list[str]) -> None:
    """Do the task, with the standard streams closed to student code."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(null, stream)
    _become_package()
    _forget_checkout()
    connection = socket.socket(fileno=descriptor)
    if task == "zygote":
        os.close(null)
        importlib.import_module(PACKAGE + ".zygote").run(connection)
        return
    hang_log = int(rest[0])
    serving = importlib.import_module(PACKAGE + ".serving")
    if len(rest) > 1:
        confine = importlib.import_module(PACKAGE + ".confine")
        confine.enter(json.loads(rest[1]), {descriptor, hang_log, 2, null})
    # Open until here, so that the trusted side could read why a start failed.
    os.dup2(null, 2)
    os.close(null)
    serving.serve(connection, hang_log)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
