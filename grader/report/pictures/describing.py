"""What a picture shows, in words: its text alternative, and the line under it."""

from __future__ import annotations

from msgspec import Struct

from grader.report.pictures.records import Arrows, Boundary, Curve, Line, Losses, Move, Picture

CLOSE = 1e-3  # of what is expected's span: no eye sees less


class Words(Struct, frozen=True):
    """`title` names the picture, `summary` says the one thing to see, `detail` all of it.

    `legend` explains what the two lines of a key do not.
    """

    title: str
    summary: str
    detail: str
    legend: str = ""


def describe(picture: Picture) -> Words:
    """The words for a picture, made from its numbers."""
    match picture:
        case Curve():
            return _curve(picture)
        case Losses():
            return _losses(picture)
        case Boundary():
            return _boundary(picture)
        case Arrows():
            return _arrows(picture)


def _curve(picture: Curve) -> Words:
    said = [_line(line, picture.x_label) for line in picture.lines]
    detail = f"{picture.y_label} against {picture.x_label}, yours and expected. {' '.join(said)}"
    return Words(picture.title, " ".join(said), detail)


def _line(line: Line, x_label: str) -> str:
    head = f"{_capital(line.label)}: y" if line.label else "Y"
    known = [value for value in line.expected if value is not None] or [0.0]
    slack = CLOSE * (max(known) - min(known) or 1.0)
    pairs = list(zip(line.x, line.expected, line.got, strict=False))
    off = [one for one in pairs if not _near(one[1], one[2], slack)]
    if not off:
        return f"{head}ours agrees with what is expected at all {len(pairs)} points."
    finite = [one for one in off if one[2] is not None]
    if not finite and len(off) == len(pairs):
        return f"{head}ours gives no finite number at any of the {len(pairs)} points."
    furthest = max(finite or off, key=_gap)
    agree = f"{head}ours agrees at {len(pairs) - len(off)} of {len(pairs)} points"
    x, want, got = (_said(value) for value in furthest)
    return f"{agree}; at {x_label} = {x} it gives {got}, expected {want}."


def _losses(picture: Losses) -> Words:
    expected, got = picture.expected, picture.got
    if len(got) != len(expected):
        summary = f"Yours has {len(got)} losses; {len(expected)} are due."
    else:
        slack = CLOSE * _span(expected)
        pairs = list(zip(expected, got, strict=True))
        off = [step for step, (due, came) in enumerate(pairs) if not _near(due, came, slack)]
        if not off:
            summary = f"Yours agrees with what is expected at all {len(got)} steps."
        else:
            step = off[0]
            summary = (
                f"The two part at step {step}: yours is {_said(got[step])} there, "
                f"expected {_said(expected[step])}."
            )
    every = picture.each_round
    detail = (
        f"Two lines over the steps of one training, from the same start. {summary} "
        f"Expected: {_fall(expected, every)}. Yours: {_fall(got, every)}."
    )
    legend = "Thick: the mean of each round." if every else ""
    return Words(picture.title, summary, detail, legend)


def _fall(losses: tuple[float | None, ...], every: int) -> str:
    """From where to where the losses go."""
    if not losses:
        return "no loss at all"
    first, last = losses[0], losses[-1]
    if every and len(losses) >= 2 * every:
        first, last = _mean(losses[:every]), _mean(losses[-every:])
        return f"from {_said(first)} in the first round to {_said(last)} in the last"
    return f"from {_said(first)} to {_said(last)}"


def _boundary(picture: Boundary) -> Words:
    pairs = [
        pair
        for wanted, found in zip(picture.expected, picture.got, strict=False)
        for pair in zip(wanted, found, strict=False)
    ]
    sides = [(_side(want, picture.level), _side(got, picture.level)) for want, got in pairs]
    same = sum(want == got for want, got in sides)
    theirs = {got for _, got in sides}
    if theirs == {None}:
        summary = "Yours gives no finite number anywhere."
    elif len(theirs) == 1:
        summary = f"Yours says {theirs.pop()} everywhere: it has no boundary here."
    elif same == len(sides):
        summary = "Both put every place on the same side."
    else:
        summary = f"Both put {round(100 * same / len(sides))} % of the square on the same side."
    detail = (
        f"A square with {picture.x_label} across and {picture.y_label} upwards. {summary} "
        f"Of {len(picture.points)} samples, yours has {_right(picture, picture.got)} on the right "
        f"side, the expected one {_right(picture, picture.expected)}."
    )
    legend = "Dark: yours leans to 1. Full dots have label 1, empty ones label 0."
    return Words(picture.title, summary, detail, legend)


def _right(picture: Boundary, grid: tuple[tuple[float | None, ...], ...]) -> int:
    """How many samples lie on their own side of a grid, read off at the nearest place."""
    count = 0
    for point in picture.points:
        column = min(range(len(picture.x)), key=lambda i: abs(picture.x[i] - point.x))
        row = min(range(len(picture.y)), key=lambda i: abs(picture.y[i] - point.y))
        count += _side(grid[row][column], picture.level) == point.label
    return count


def _side(value: float | None, level: float) -> int | None:
    return None if value is None else int(value > level)


def _arrows(picture: Arrows) -> Words:
    arrived = [move for move in picture.moves if arrives(move)]
    still = [move for move in picture.moves if move.got == move.before]
    count = len(picture.moves)
    if len(arrived) == count:
        summary = f"All {count} end where they should."
    elif len(still) == count:
        summary = f"None of these {count} moves at all."
    else:
        summary = f"{len(arrived)} of {count} end where they should."
        if still:
            summary += f" {len(still)} {'does' if len(still) == 1 else 'do'} not move."
    each = " ".join(
        f"{move.label} was {_said(move.before)}, should become {_said(move.expected)} and becomes "
        f"{_said(move.got)}."
        for move in picture.moves
    )
    detail = f"An arrow each from before to after. {summary} {each}"
    return Words(picture.title, summary, detail, "A ring: it stayed." if still else "")


def arrives(move: Move) -> bool:
    """Whether it ends where it should, as far as can be seen."""
    return _near(move.expected, move.got, CLOSE * (abs(move.expected - move.before) or 1.0))


def _near(a: float | None, b: float | None, slack: float) -> bool:
    return a is None if b is None else a is not None and abs(a - b) <= slack


def _gap(one: tuple[float | None, float | None, float | None]) -> float:
    _, want, got = one
    return abs((want or 0.0) - (got or 0.0))


def _mean(values: tuple[float | None, ...]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) and known else None


def _span(values: tuple[float | None, ...]) -> float:
    known = [value for value in values if value is not None] or [0.0]
    return max(known) - min(known) or 1.0


def _said(value: float | None) -> str:
    return "no finite number" if value is None else f"{value:.3g}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
