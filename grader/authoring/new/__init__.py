"""A new assignment that passes its audit on the first day, for an author to make their own."""
