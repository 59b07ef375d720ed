"""For authors of assignments: a stub's two forms, the audit of checks, new and release."""
