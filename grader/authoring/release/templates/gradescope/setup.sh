#!/usr/bin/env bash
# Gradescope runs this once, while it builds the container's image (Ubuntu 22.04, as root, with
# network). It brings Python @{PYTHON}, which the releases in requirements.txt were run with, and
# torch's small CPU build, in an environment of their own: /opt/grader.
set -euo pipefail

source_dir="${GRADER_ROOT:-}/autograder/source"
environment="${GRADER_ROOT:-}/opt/grader"
wanted=@{PYTHON}
torch=@{TORCH}
torch_index=https://download.pytorch.org/whl/cpu
export DEBIAN_FRONTEND=noninteractive PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1

say() { echo "setup: $*"; }

can_make_environments() { command -v "python$wanted" >/dev/null && "python$wanted" -c 'import ensurepip, venv'; }

if ! can_make_environments; then
  apt-get update
  # What Ubuntu itself has first: 24.04 has 3.12, 22.04 only a preview of 3.11, so there the
  # archive that backports Python to Ubuntu's releases comes first.
  if ! apt-cache policy "python$wanted-venv" | grep 'Candidate: [0-9]' | grep -qv '~rc'; then
    say "Python $wanted from ppa:deadsnakes/ppa"
    apt-get install -y --no-install-recommends software-properties-common
    add-apt-repository -y ppa:deadsnakes/ppa || say "no such archive here, so what Ubuntu has"
    apt-get update
  fi
  apt-get install -y --no-install-recommends "python$wanted" "python$wanted-venv"
fi
can_make_environments || { say "there is no Python $wanted to be had" >&2; exit 1; }

"python$wanted" -m venv "$environment"
pip="$environment/bin/pip"
# From PyTorch's own index alone: PyPI's build is for graphics cards and some gigabytes large.
"$pip" install --index-url "$torch_index" "torch==$torch"
"$pip" install --requirement "$source_dir/requirements.txt"

# Once, and not for each submission.
"$environment/bin/python" -m compileall -q "$source_dir/grader"

# The solutions lie there: nobody but root may enter. run_autograder sees to it again.
chmod 700 "$source_dir"
PYTHONPATH="$source_dir" "$environment/bin/python" -m grader doctor || say "look at the above"
say "done"
