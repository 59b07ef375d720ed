"""Run an assignment's checks on one submission, on the trusted side."""
