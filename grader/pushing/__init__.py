"""Grades to a platform: who gets what, what was sent, and what the platform answered."""
