"""A cold worker takes its first optimizer step without importing the compiler."""

from __future__ import annotations

from student_workers import running

from grader.student.launch import WorkerProcess

SOURCE = """
import sys
import torch

def steps(kind):
    p = torch.tensor([2.0], requires_grad=True)
    optimizer = getattr(torch.optim, kind)([p], lr=0.5)
    (p * 3).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    optimizer.load_state_dict(optimizer.state_dict())
    return [p.item(), p.grad is None, "torch._dynamo.utils" in sys.modules]

def compiles():
    from torch._dynamo.utils import counters
    twice = torch.compile(lambda x: x * 2, backend="eager")
    return [twice(torch.ones(2)).tolist(), "torch._dynamo.utils" in sys.modules]
"""


def test_an_optimizer_steps_at_once_and_the_compiler_comes_when_it_is_asked_for() -> None:
    with running(WorkerProcess, SOURCE, call_seconds=30.0) as run:
        assert run.returned("steps", "SGD") == [0.5, True, False]
        value, emptied, imported = run.returned("steps", "Adam")
        assert abs(value - 1.5) < 1e-6
        assert (emptied, imported) == (True, False)
        assert run.returned("compiles") == [[2.0, 2.0], True]
        assert run.returned("steps", "SGD") == [0.5, True, True]
