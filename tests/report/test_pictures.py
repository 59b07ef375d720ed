"""Pictures: their data, their words, their drawings."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import types
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest
import torch

from grader.report.pictures import (
    Curve,
    Line,
    Losses,
    Move,
    NoPictureError,
    Picture,
    collect_pictures,
    makers_in,
    numbers,
    pictures_of,
    rows,
)
from grader.report.pictures.describing import describe
from grader.report.pictures.drawing import Drawings
from grader.report.pictures.extent import extent, within
from grader.report.pictures.records import MOST_POINTS, MOST_STEPS
from tests.report.page_documents import ARROWS, BOUNDARY, CURVE, LOSSES, PICTURES

ROOT = Path(__file__).resolve().parents[2]
NAN, INF = float("nan"), float("inf")
DRAWINGS = Drawings()


def inside(picture, prefix="p1", drawings=DRAWINGS):
    return drawings.inside(picture, prefix)[0]


def tree(picture, prefix="p1"):
    return ET.fromstring(f"<svg>{inside(picture, prefix)}</svg>")


def curve(got, expected=(0.0, 1.0, 2.0)):
    return Curve("f", "x", "f(x)", (Line("", (0.0, 1.0, 2.0), expected, got),))


# ---------------------------------------------------------------------------- data


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (torch.tensor([[1.0, NAN], [-INF, -0.0]]), (1.0, None, None, 0.0)),
        ([1, True, 0.123456789], (1.0, 1.0, 0.123457)),
        ([torch.tensor(2.0), [3.0, (4.0,)]], (2.0, 3.0, 4.0)),
        ([10**400], (None,)),
        (torch.zeros(0), ()),
    ],
)
def test_numbers_are_flat_short_and_finite(values, expected):
    found = numbers(values)
    assert found == expected
    assert str(found).count("-0.0") == 0


@pytest.mark.parametrize("values", [None, "text", ["a"], torch.tensor([1j]), object()])
def test_what_is_no_number_has_no_picture(values):
    with pytest.raises(NoPictureError):
        numbers(values)


def test_numbers_are_counted():
    assert rows(torch.arange(6), 2, 3) == ((0.0, 1.0, 2.0), (3.0, 4.0, 5.0))
    for make in (lambda: numbers([1.0], 2), lambda: rows([1.0], 2, 2)):
        with pytest.raises(NoPictureError):
            make()


def test_records_survive_json_and_are_bounded():
    for picture in PICTURES:
        assert msgspec.json.decode(msgspec.json.encode(picture), type=Picture) == picture
    for picture in (
        curve((0.0,) * (MOST_POINTS + 1)),
        Losses("a", (0.0,) * (MOST_STEPS + 1), ()),
        Losses("a" * 200, (), ()),
        msgspec.structs.replace(ARROWS, moves=()),
        msgspec.structs.replace(BOUNDARY, expected=BOUNDARY.expected * 40),
    ):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(msgspec.to_builtins(picture), Picture)


def module_of(*makers):
    return types.SimpleNamespace(**{f"maker{n}": maker for n, maker in enumerate(makers)})


class Asked:
    """Stands where a student's proxy does: it hears what begins."""

    def __init__(self):
        self.begun = []

    def begin(self, scope):
        self.begun.append(scope)


def test_what_was_made_before_a_failure_is_kept():
    @pictures_of("f")
    def fails_late(student, oracle):
        yield CURVE
        raise ValueError("no answer")

    @pictures_of("f")
    def too_large(student, oracle):
        yield Losses("a", (0.0,) * (MOST_STEPS + 1), ())

    @pictures_of("f")
    def fine(student, oracle):
        yield LOSSES

    @pictures_of("g")
    def other(student, oracle):
        yield CURVE

    makers = makers_in(module_of(fails_late, too_large, fine, other, len))
    student = Asked()
    found = collect_pictures(makers, ["f", "h"], student, None)
    assert found == {"f": (CURVE, LOSSES)}
    assert student.begun == ["pictures of f"] * 3
    with pytest.raises(ValueError, match="no answer"):
        collect_pictures(makers, ["f"], student, None, strict=True)


# ---------------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("picture", "summary"),
    [
        (curve((0.0, 1.0, 2.0)), "Yours agrees with what is expected at all 3 points."),
        (curve((0.0, 1.0, 5.0)), "Yours agrees at 2 of 3 points; at x = 2 it gives 5, expected 2."),
        (curve((None,) * 3), "Yours gives no finite number at any of the 3 points."),
        (curve((0.0, None, 2.0)),
         "Yours agrees at 2 of 3 points; at x = 1 it gives no finite number, expected 1."),
        (Losses("l", (1.0, 0.5), (1.0, 0.5)),
         "Yours agrees with what is expected at all 2 steps."),
        (Losses("l", (1.0, 0.5), (1.0,)), "Yours has 1 losses; 2 are due."),
        (Losses("l", (1.0, 0.5), (2.0, 0.5)),
         "The two part at step 0: yours is 2 there, expected 1."),
        (Losses("l", (), ()), "Yours agrees with what is expected at all 0 steps."),
        (BOUNDARY, "Both put 17 % of the square on the same side."),
        (msgspec.structs.replace(BOUNDARY, got=((0.9,) * 3,) * 2),
         "Yours says 1 everywhere: it has no boundary here."),
        (msgspec.structs.replace(BOUNDARY, got=((None,) * 3,) * 2),
         "Yours gives no finite number anywhere."),
        (ARROWS, "0 of 3 end where they should. 1 does not move."),
        (msgspec.structs.replace(ARROWS, moves=(Move("a", 1.0, 2.0, 1.0),)),
         "None of these 1 moves at all."),
        (msgspec.structs.replace(ARROWS, moves=(Move("a", 1.0, 2.0, 2.00001),)),
         "All 1 end where they should."),
    ],
)  # fmt: skip
def test_words_come_from_the_numbers(picture, summary):
    words = describe(picture)
    assert words.summary == summary
    assert words.title == picture.title
    assert summary in words.detail


# ---------------------------------------------------------------------------- drawings


@pytest.mark.parametrize("picture", PICTURES)
def test_a_drawing_stands_in_a_page(picture):
    text = inside(picture)
    root = tree(picture)
    tags = {element.tag for element in root.iter()}
    assert tags <= {"svg", "g", "path", "text", "tspan", "use", "defs", "clipPath", "rect"}
    names = {name for element in root.iter() for name in element.attrib}
    assert "style" not in names
    assert not [name for name in names if name.startswith(("on", "{"))]
    colors = set(re.findall(r'(?:fill|stroke)="([^"]*)"', text))
    assert all(color == "none" or color.startswith("var(--pic-") for color in colors), colors
    assert {"theirs" in color for color in colors} == {True, False}
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert all(one.startswith("p1-") for one in ids)
    used = re.findall(r'(?:href="#|url\(#)([^")]+)', text)
    assert set(used) == set(ids)
    # Nothing of a second picture of the same data is shared with the first.
    assert not set(ids) & set(re.findall(r'id="([^"]+)"', inside(picture, "p2")))


def test_what_is_expected_and_what_came_differ_in_more_than_colour():
    widths = {}
    for element in tree(curve((0.0, 1.0, 5.0))).iter("path"):
        for side in ("theirs", "band"):
            if side in element.get("stroke", "") and element.get("fill") == "none":
                widths[side] = float(element.get("stroke-width"))
    assert widths["band"] > 2 * widths["theirs"]


def test_drawings_are_the_same_everywhere():
    code = (
        "import sys; sys.path.insert(0, '.')\n"
        "from tests.report.page_documents import PICTURES\n"
        "from grader.report.pictures.drawing import Drawings\n"
        "import hashlib\n"
        "d = Drawings(); s = ''.join(d.inside(p, 'p1')[0] for p in reversed(PICTURES))\n"
        "s = ''.join(d.inside(p, 'p1')[0] for p in PICTURES)\n"
        "print(hashlib.sha256(s.encode()).hexdigest())"
    )
    mine = "".join(inside(picture) for picture in PICTURES)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == hashlib.sha256(mine.encode()).hexdigest(), done.stderr


def test_the_same_data_is_drawn_once_and_the_same_frame_once(monkeypatch):
    from grader.report.pictures import curve as module

    drawn = {"frame": 0, "overlay": 0}
    for name in drawn:
        original = getattr(module, name)

        def counted(*args, name=name, original=original):
            drawn[name] += 1
            return original(*args)

        monkeypatch.setattr(module, name, counted)
    drawings = Drawings()
    for got in ((0.0, 1.0, 2.0), (0.0, 1.1, 2.0), (0.0, 1.1, 2.0), (0.0, 0.9, 2.1)):
        inside(curve(got), drawings=drawings)
    assert drawn == {"frame": 1, "overlay": 3}


def test_an_overlay_leaves_its_frame_as_it_was():
    drawings = Drawings()
    first = inside(LOSSES, drawings=drawings)
    for n in range(3):
        inside(msgspec.structs.replace(LOSSES, got=(1.0, 0.1 * n, 0.2, 0.3)), drawings=drawings)
    again = Drawings()
    inside(msgspec.structs.replace(LOSSES, got=(1.0, 0.4, 0.2, 0.3)), drawings=again)
    assert inside(LOSSES, drawings=again) == first


@pytest.mark.parametrize("odd", [None, 1e300, -1e300, 1e-300])
def test_odd_numbers_are_drawn_without_harm(odd):
    for picture in (
        curve((odd, 1.0, odd)),
        curve((odd,) * 3, expected=(0.0,) * 3),
        Losses("l", (1.0, 0.5), (odd, odd)),
        Losses("l", (), (odd,)),
        Losses("l", (1.0, 0.5), (), each_round=5),
        msgspec.structs.replace(BOUNDARY, got=((odd,) * 3,) * 2),
        msgspec.structs.replace(
            ARROWS, moves=(Move("a", 1.0, 1.0, odd), Move("b", 0.0, 1e-9, odd))
        ),
    ):
        text = inside(picture)
        describe(picture)
        assert "nan" not in text.lower().replace("tspan", "")
        numbers_in = [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", " ".join(
            re.findall(r' d="([^"]*)"', text)))]  # fmt: skip
        assert all(abs(n) < 10_000 for n in numbers_in)


def test_text_in_a_drawing_is_text():
    hostile = 'a$\\frac{1}{2}$<script>"&'
    text = inside(
        Curve("t", hostile, hostile, (Line(hostile, (0.0, 1.0), (0.0, 1.0), (0.0, 1.0)),))
    )
    assert "<script" not in text
    assert text.count("&lt;script&gt;") == 3
    assert text.count("$\\frac{1}{2}$") == 3


def test_an_axis_reaches_what_came_in_few_steps():
    assert len({extent((0.0, 1.0), (0.0, 1.0 + n / 50)) for n in range(200)}) <= 3
    low, high = extent((0.0, 1.0), (-5.0, 9e9))
    assert -2 < low < 0 < 1 < high < 3
    assert within((None, 9e9, 0.5), (0.0, 1.0))[1:] == [2.0, 0.5]
