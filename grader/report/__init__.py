"""What is said of a graded submission: one record, and pure functions that render it."""
