"""A class graded by the workers of a dask cluster: `grade batch --cluster ADDRESS`.

address    from what the command line says to a client that is connected
terms      what a worker has to agree with before it grades: versions, assignment, isolation level
cargo      what travels, as bounded bytes: the assignment once, submissions, verdicts
plugin     on each dask worker: starts its station, and hands it what comes
station    a process beside each dask worker, in which the checks are collected and run
roll       on the client: which workers are there, and which of them may grade
pool       on the client: hands out submissions and yields verdicts, each once
"""
