"""The class as one page, for staff, and without names as another, to show in a lecture."""
