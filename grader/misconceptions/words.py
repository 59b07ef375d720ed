"""From a match to the words of a finding: what happened, why it matters, what to try.

At most four lines stand between the headline and what to try: the account, the student's own
numbers, their line, and one sentence on why it matters. None of them says the title again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import torch

from grader.checking.collection import HIDDEN
from grader.checking.failure import Failure, index_text, number, shape_text
from grader.misconceptions.case import Case, Match
from grader.misconceptions.catalogue import Misconception
from grader.misconceptions.finding import Finding
from grader.misconceptions.source import Place
from grader.observation import Local, Observation, Raised
from grader.submission import display_place

MAX_OUTPUT = 400
MOST_LINES = 4
LONGEST_QUOTE = 80
LONGEST_ERROR = 90
PLAIN_HINTS = (
    "Work one small input by hand, then print your intermediate values beside it.",
    "Read the docstring sentence by sentence. Which one does this result not fit?",
    "Take the function apart: call each piece alone on a tensor of two numbers.",
)
_WORD = re.compile(r"[a-z]+(?=[ ,;:']|$)")
_FACTS = re.compile(r"scalar outputs|shape|size|dtype")
_HEADS = ("def ", "async def ", "class ", "@")


def finding_from(case: Case, match: Match, catalogue: Mapping[str, Misconception]) -> Finding:
    """A match with its name's words, its line and what was printed meanwhile."""
    known = catalogue.get(match.slug) if match.slug else None
    result = match.result
    check = result.check if result is not None else None
    place = _shown(case, match)
    filename, line, cell, end = "", None, None, None
    if place is not None:
        filename = place.filename.partition("#cell-")[0]
        cell, line = display_place(place.filename, place.line)
        end = place.end_line
    return Finding(
        bug=match.slug,
        title=known.title if known is not None else match.title,
        message="\n".join(_message(case, match, place, known)),
        evidence=_plain({**_seen(match), **match.evidence}),
        file=filename,
        line=line,
        cell=cell,
        end_line=end,
        hints=known.hints if known is not None else PLAIN_HINTS,
        handout=known.handout if known is not None else case.exercise.handout,
        check=check.id if check is not None else "",
        hidden=check is not None and check.visibility == HIDDEN,
        output=_output(case, match),
    )


def _message(
    case: Case, match: Match, place: Place | None, known: Misconception | None
) -> list[str]:
    account = _counted(match.account, match)
    said = [sentence(line, case) for line in account.splitlines() if line.strip()]
    if known is None:
        check = match.result.check if match.result is not None else None
        asked = f": check {check.id}, seed {case.assignment.seed}" if check is not None else ""
        closing = (
            "This is no mistake that we recognise. If you think that we are wrong, send your TA "
            f"this{asked}."
        )
        return [*said[: MOST_LINES - 1], closing]
    numbers = [sentence(line, case) for line in _numbers(case, match)]
    lines = [*said, *numbers][: MOST_LINES - 1]
    quoted = _quote(case, place, lines)
    if quoted and len(lines) < MOST_LINES - 1:
        lines.append(quoted)
    return [*lines, known.why]


def _seen(match: Match) -> dict[str, Any]:
    """The numbers of the value that differs most."""
    failure = match.result.failure if match.result is not None else None
    if failure is None or failure.kind != "values" or match.slug is None:
        return {}
    return {key: failure.evidence[key] for key in ("got", "expected", "index")}


def sentence(text: str, case: Case | None = None) -> str:
    """`text` with a capital letter and a full stop; names such as b1 or float32 stay as is."""
    text = text.strip()
    word = _WORD.match(text)
    plain = ("function", "numbers", "descent", "inspection")
    names = ["backward"]
    if case is not None:
        names.append(case.exercise.name)
    if case is not None and case.exercise.kind in plain:
        names += [*case.argument_names(), *case.parameters]
    # One letter is a name as well, but for the article.
    named = word is not None and word[0] != "a" and (word[0] in names or len(word[0]) == 1)
    if word is not None and not named:
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."


def _counted(account: str, match: Match) -> str:
    """The account with the student's own N in place of the letter."""
    call = _call(match)
    if "N x N" not in account or call is None or not call.arguments:
        return account
    n = max((*call.arguments[0].before.shape, 1))
    return account.replace("N x N", f"{n} x {n}")


def _call(match: Match) -> Observation | None:
    failure = match.result.failure if match.result is not None else None
    return failure.observation if failure is not None else None


def _numbers(case: Case, match: Match) -> list[str]:
    """The student's numbers, where the account has none of its own."""
    failure = match.result.failure if match.result is not None else None
    if failure is None or match.slug is None or failure.bug is not None:
        return []
    if "called" in match.evidence:
        return []  # what ran is the mistake, whatever it gave
    if failure.kind in ("raised", "raised-in-backward"):
        return _at_the_error(case, match, failure)
    if failure.kind in ("numbers", "leaves", "operations"):
        return [failure.message]
    if case.exercise.kind == "inspection":
        unsaid = failure.kind == "type" and match.slug != "wrong-return-type"
        return [failure.message] if unsaid else []
    if case.exercise.kind == "descent":
        said = any(character.isdigit() for character in match.account.replace("** 2", ""))
        return [with_name(case, failure)] if failure.kind == "step" and not said else []
    if case.exercise.kind == "training":
        return [with_name(case, failure)] if failure.kind in ("losses", "step") else []
    if case.exercise.kind in ("object", "score"):
        return [failure.message] if failure.kind in ("values", "shape") else []
    if case.exercise.kind != "function":
        return []
    if failure.kind == "values":
        return [returned_text(case, failure)]
    if failure.kind == "shape":
        got, due = failure.evidence["got"], failure.evidence["expected"]
        return [f"your result has shape {shape_text(got)}, it should be {shape_text(due)}"]
    if failure.kind == "gradient" and match.slug != "wrong-backward":
        return [gradient_text(case, failure)]
    if failure.kind == "type" and match.slug != "wrong-return-type":
        return [failure.message]
    return []


def returned_text(case: Case, failure: Failure) -> str:
    """Where most went wrong: at which input, what came back, what was due."""
    evidence = failure.evidence
    at = place_text(case, failure)
    got = evidence["got"] + 0.0  # no -0
    due = f"you returned {number(got)}, expected {number(evidence['expected'])}"
    return f"at {at} {due}" if at else due


def place_text(case: Case, failure: Failure) -> str:
    """The entry that differs most: `x[1, 2] = -0.5` elementwise, `[3, 0]` else, "" for a number."""
    index = tuple(failure.evidence["index"])
    call, got = failure.observation, failure.got
    args = call.args if call is not None else ()
    alone = len(args) == 1 and isinstance(args[0], torch.Tensor)
    if alone and isinstance(got, torch.Tensor) and args[0].shape == got.shape:
        name = case.argument_name(0)
        return f"{name}{index_text(index)} = {number(float(args[0].detach()[index]))}"
    return index_text(index)


def gradient_text(case: Case, failure: Failure) -> str:
    """The gradient that differs most."""
    evidence = failure.evidence
    name = f"{case.argument_name(failure.argument or 0)}{index_text(tuple(evidence['index']))}"
    return (
        f"the gradient for {name} is {number(evidence['got'])}, "
        f"it should be {number(evidence['expected'])}"
    )


def with_name(case: Case, failure: Failure) -> str:
    """A check's own words, with the name of the argument that they are about."""
    if failure.argument is None:
        return failure.message
    name = case.argument_name(failure.argument)
    joint = "" if failure.message.startswith("[") else ": "
    return f"{name}{joint}{failure.message}"


def _at_the_error(case: Case, match: Match, failure: Failure) -> list[str]:
    """What the tensors on the line were, and the error itself."""
    call = failure.observation
    raised = call.raised if call is not None else None
    if raised is None:
        return []
    parts = []
    seen = _on_the_line(case, raised) if _about_tensors(case, raised) else []
    if seen:
        first, *others = (_described(local) for local in seen)
        parts.append("there " + ", ".join([first.replace(" ", " was ", 1), *others]))
    if "raised" not in match.account and raised.message.strip():
        error = raised.message.strip().splitlines()[0]
        if len(error) > LONGEST_ERROR:
            error = error[:LONGEST_ERROR].rpartition(" ")[0] + " ..."
        parts.append(f"it raised {raised.type}: {error}")
    return ["; ".join(parts)] if parts else []


def _about_tensors(case: Case, raised: Raised) -> bool:
    """Whether dtypes and shapes on the line can tell what went wrong."""
    return case.exercise.kind == "function" or bool(_FACTS.search(raised.message))


def _on_the_line(case: Case, raised: Raised) -> list[Local]:
    if not raised.frames:
        return []
    text = case.source.text(case.place_of(raised.frames[-1]))
    names = set(re.findall(r"\w+", text))
    return [
        local
        for local in raised.locals
        if local.name in names and local.dtype and local.type in ("Tensor", "Parameter", "ndarray")
    ][:3]


def _described(local: Local) -> str:
    return f"{local.name} {local.dtype.removeprefix('torch.')} {shape_text(local.shape)}"


def _shown(case: Case, match: Match) -> Place | None:
    """The match's line; of a function that is one statement, that statement."""
    whole = case.whole_function()
    place = match.place or whole
    if place is None or whole is None or place.line != whole.line:
        return place
    return case.source.only_statement(case.exercise.name) or place


def _quote(case: Case, place: Place | None, lines: list[str]) -> str:
    """The line itself, where one line shows the mistake."""
    text = case.source.text(place)
    if not text or text.startswith(_HEADS) or any(text in line for line in lines):
        return ""
    whole = case.whole_function()
    if place is not None and whole is not None and place.line == whole.line:
        return ""
    cut = text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE].rstrip() + " ..."
    return f"Your line: {cut}"


def _output(case: Case, match: Match) -> str:
    call = _call(match)
    if call is None:
        return ""
    warned = "".join(f"{w.category}: {w.message}\n" for w in call.warnings[:3])
    text = (call.stdout + call.stderr + warned)[:MAX_OUTPUT]
    if not call.output_cut:
        return text
    allowed = f"{case.assignment.limits.output_kb:,} kB"
    return f"{text}\n(It printed more than the {allowed} of output that are kept.)"


def _plain(evidence: Any) -> Any:
    if isinstance(evidence, Mapping):
        return {str(key): _plain(value) for key, value in evidence.items()}
    if isinstance(evidence, list | tuple):
        return [_plain(item) for item in evidence]
    if evidence is None or isinstance(evidence, bool | int | float | str):
        return evidence
    return str(evidence)
