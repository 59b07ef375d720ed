"""What is said where there is no verdict: never a zero, and whose fault it is."""

from __future__ import annotations

from typing import Any

FAILED = (
    "The grader failed. This says nothing about the submission, and no points were given or "
    "taken. Please tell the course staff."
)

NEVER_FINISHED = f"{FAILED}\n\nReason: it was ended before it was done, by time or by memory."


def failed(why: str) -> str:
    """The same with the reason."""
    return f"{FAILED}\n\nReason: {why}" if why else FAILED


def for_gradescope(text: str) -> dict[str, Any]:
    """Results without a score, which Gradescope reports as a failed grader."""
    return {
        "output": text,
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [],
    }


def for_prairielearn(text: str) -> dict[str, Any]:
    """Results that PrairieLearn takes for no attempt at all."""
    return {"gradable": False, "message": text, "format_errors": [text]}


def for_coursera(text: str) -> dict[str, Any]:
    """Feedback without a score, which Coursera refuses."""
    return {"feedback": text}
