"""Classroom 50 runs this in the student's checkout; it writes result.json there.

Without Classroom 50 (no SUBMISSION_TAG) it writes what was found into the job's summary alone.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"


def main() -> int:
    python = os.environ.get("GRADER_PYTHON") or installed()
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    more = {"PYTHONPATH": str(HERE), "PYTHONHASHSEED": "0"}
    module = "grader.authoring.release.host.classroom50"
    # -P: a file of the student's must not be taken for a module of the grader's.
    command = [python, "-P", "-m", module, "@{NAME}", str(HERE), os.getcwd()]
    return subprocess.run(command, env={**os.environ, **threads, **more}).returncode


def installed() -> str:
    """An environment of its own, beside this file, with the releases in requirements.txt."""
    environment = HERE / ".environment"
    python = environment / "bin" / "python"
    pip = [str(python), "-P", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-P", "-m", "venv", str(environment)], check=True)
    subprocess.run([*pip, "--index-url", TORCH_INDEX, "torch==@{TORCH}"], check=True)
    subprocess.run([*pip, "--requirement", str(HERE / "requirements.txt")], check=True)
    return str(python)


if __name__ == "__main__":
    sys.exit(main())
