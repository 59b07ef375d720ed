#!/usr/bin/env bash
# Coursera runs this in the container for each submission and reads /shared/feedback.json. A status
# other than 0 is a grader that failed: no student gets a score for it.
# GRADER_ROOT and GRADER_PYTHON are for trying it out elsewhere.
root="${GRADER_ROOT:-}"
bundle="$root/grader"
python="${GRADER_PYTHON:-/opt/grader/bin/python}"

cp "$bundle/failed.json" "$root/shared/feedback.json"

export PYTHONPATH="$bundle" PYTHONHASHSEED=0
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
cd "$bundle" || exit 3
exec "$python" -m grader.authoring.release.host.coursera @{NAME} "$root/" "$bundle"
