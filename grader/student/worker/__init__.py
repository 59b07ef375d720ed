"""What runs beside the student's code.

The untrusted process runs this folder by file path as a package of its own (`grader_worker`);
of the rest of the grader it imports nothing. The trusted side imports `wire` from here, and
the in-process backend, which protects nobody, the rest.
"""
