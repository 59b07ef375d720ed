"""From a match to the words of a finding: what happened, why it matters, what to try."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.checking.collection import HIDDEN
from grader.misconceptions.case import Case, Match
from grader.misconceptions.catalogue import Misconception
from grader.misconceptions.finding import Finding
from grader.submission import display_place

MAX_OUTPUT = 400
PLAIN_HINTS = (
    "work one small input by hand, then print your intermediate values beside it",
    "read the docstring sentence by sentence: which one does this result not fit?",
    "take the function apart: call each piece alone on a tensor of two numbers",
)


def finding_from(case: Case, match: Match, catalogue: Mapping[str, Misconception]) -> Finding:
    """A match with its name's words, its line and what was printed meanwhile."""
    known = catalogue.get(match.slug) if match.slug else None
    result = match.result
    check = result.check if result is not None else None
    filename, line, cell, end = "", None, None, None
    if match.place is not None:
        filename = match.place.filename.partition("#cell-")[0]
        cell, line = display_place(match.place.filename, match.place.line)
        end = match.place.end_line
    lines = [_sentence(match.account)] if match.account else []
    quoted = _quote(case, match)
    if quoted:
        lines.append(quoted)
    if known is not None:
        lines.append(known.explanation)
    elif check is not None:
        lines.append(
            "This is no mistake that we recognise. If you think that we are wrong, send your TA "
            f"this: check {check.id}, seed {case.assignment.seed}."
        )
    return Finding(
        bug=match.slug,
        title=known.title if known is not None else match.title,
        message="\n".join(lines),
        evidence=_plain(match.evidence),
        file=filename,
        line=line,
        cell=cell,
        end_line=end,
        hints=known.hints if known is not None else PLAIN_HINTS,
        handout=known.handout if known is not None else case.exercise.handout,
        check=check.id if check is not None else "",
        hidden=check is not None and check.visibility == HIDDEN,
        output=_output(match),
    )


def _sentence(text: str) -> str:
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."


def _quote(case: Case, match: Match) -> str:
    """The line itself, where one line shows the mistake."""
    place = match.place
    whole = case.whole_function()
    if place is None or (whole is not None and place.line == whole.line):
        return ""
    text = case.source.text(place)
    return f"There stands: {text[:100]}" if text and text not in match.account else ""


def _output(match: Match) -> str:
    call = match.result.failure.observation if match.result and match.result.failure else None
    if call is None:
        return ""
    warned = "".join(f"{w.category}: {w.message}\n" for w in call.warnings[:3])
    return (call.stdout + call.stderr + warned)[:MAX_OUTPUT]


def _plain(evidence: Any) -> Any:
    if isinstance(evidence, Mapping):
        return {str(key): _plain(value) for key, value in evidence.items()}
    if isinstance(evidence, list | tuple):
        return [_plain(item) for item in evidence]
    if evidence is None or isinstance(evidence, bool | int | float | str):
        return evidence
    return str(evidence)
