"""The mistakes that the grader knows by name, and what it says about each."""
