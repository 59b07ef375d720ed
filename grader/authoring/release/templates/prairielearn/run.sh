#!/usr/bin/env bash
# PrairieLearn runs this in the container for each submission and reads results/results.json.
# GRADER_ROOT and GRADER_PYTHON are for trying it out elsewhere.
root="${GRADER_ROOT:-}"
job="$root/grade"
bundle="$job/tests/grader_bundle"
python="${GRADER_PYTHON:-/opt/grader/bin/python}"

mkdir -p "$job/results"
# There from the start; "not gradable" uses up no attempt.
cp "$bundle/failed.json" "$job/results/results.json"

export PYTHONPATH="$bundle" PYTHONHASHSEED=0
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
cd "$bundle" || exit 0
"$python" -m grader.authoring.release.host.prairielearn @{NAME} "$root/"
status=$?
[ "$status" -eq 0 ] || echo "the grader ended with status $status"
exit 0
