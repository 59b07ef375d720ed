"""autograd-grader."""
