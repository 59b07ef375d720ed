"""What is no tape: stubs, what raises, hangs, dies, or answers garbage."""

from __future__ import annotations

import pytest
from tape_sources import NAME, Bench, network

from grader.student.worker.tape_records import (
    Named,
    Spot,
    Tape,
    TapeNode,
    TapeOperation,
    TapeTensor,
)
from grader.tape.checked import (
    LONGEST_NAME,
    MOST_LINKS,
    MOST_NODES,
    GarbledTape,
    checked,
    upwards,
)
from grader.tape.history import History

RESTS = {
    "unwritten": (
        network(forward="raise NotImplementedError"),
        "forward is not written yet, so there is no tape of it.",
    ),
    "missing": (
        network().replace("def forward", "def forwards"),
        "forward is not there, so there is no tape of it.",
    ),
    "second unwritten": (
        network(cross_entropy="raise NotImplementedError"),
        "cross_entropy is not written yet, so there is no tape of it.",
    ),
    "raises": (
        network(relu="return x @ x"),
        "forward raised RuntimeError in line 4: mat1 and mat2 shapes cannot be multiplied",
    ),
    "loops": (
        network(relu="while True: pass"),
        "forward took too long and was stopped in line 4.",
    ),
    "ends": (
        network(relu="import os\nos._exit(3)"),
        "While forward or cross_entropy ran, the process ended itself with status 3.",
    ),
    "nothing": (network(forward="pass"), "cross_entropy raised AttributeError in line 10: "),
}


@pytest.mark.parametrize("kind", RESTS)
def test_what_stopped_it_is_said_first(bench: Bench, kind: str) -> None:
    source, text = RESTS[kind]
    story = bench.story(source)
    first = story.told()[0]
    assert first.sign == "bad"
    assert first.text.startswith(text)
    assert not story.whole
    assert story.cuts == ()


@pytest.mark.parametrize("ending", [".py", ".ipynb"])
def test_the_stub_is_not_written_yet(bench: Bench, ending: str) -> None:
    story = bench.story(bench.assignment.path / f"{NAME}{ending}")
    assert [said.text for said in story.told()] == [RESTS["unwritten"][1]]
    assert not story.begun


def test_what_ran_before_is_shown(bench: Bench) -> None:
    story = bench.story(RESTS["second unwritten"][0])
    assert story.begun
    assert story.result == "y_pred"
    assert story.history.reached == ("W1", "b1", "W2", "b2")
    assert not bench.story(RESTS["unwritten"][0]).begun
    assert bench.story(RESTS["raises"][0]).drawing().boxes[-1].title == "AddBackward0"


def test_a_call_that_never_comes_back_from_c_is_ended(bench: Bench) -> None:
    story = bench.story(network(relu="import re\nre.match('(a+)+b', 'a' * 40)\nreturn x"))
    assert story.told()[0].text == "forward took too long and was stopped in line 5."


def test_a_result_of_another_type_is_said(bench: Bench) -> None:
    story = bench.story(network(cross_entropy="return 'much'"))
    assert story.told()[0].text == (
        "cross_entropy returned a str, and only a tensor has a tape behind it."
    )


def test_a_worker_that_writes_garbage_is_no_tape(bench: Bench) -> None:
    """The submission writes a frame of its own to every descriptor that it finds."""
    forged = (
        "import os\nfor number in range(3, 64):\n    try:\n"
        "        os.write(number, b'\\0\\0\\0\\4\\x93\\xa8')\n    except OSError:\n        pass\n"
        "return x"
    )
    story = bench.story(network(relu=forged))
    assert story.taped.raised is not None
    assert story.told()[0].text == "What came back is no tape, so there is nothing to show."
    assert not story.begun


def test_a_huge_tape_is_cut_and_says_so(bench: Bench) -> None:
    story = bench.story(network(relu="for _ in range(900):\n    x = x + 1\nreturn x"))
    assert len(story.taped.tape.operations) == 600
    assert story.history.reached == ("W1", "b1", "W2", "b2")
    assert story.told()[-1].text == "The tape is longer than what is kept of it."


SPOT = Spot("answer.py", 3, "relu")
NODES = [
    TapeNode("torch::autograd::AccumulateGrad", [], 0, (2,), "float32"),
    TapeNode("MulBackward0", [0, -1], -1, (2,), "float32", SPOT),
]
TENSORS = [TapeTensor("float32", (2,), True, 0), TapeTensor("float32", (2,), True, 1)]
OPERATIONS = [TapeOperation("mul", SPOT, [0], [1], True)]
NAMES = [Named("w", 0), Named("loss", 1)]
FILES = {"answer.py"}


def test_what_is_sound_passes() -> None:
    sound = Tape(NODES, TENSORS, OPERATIONS, NAMES)
    assert checked(sound, FILES) == sound
    assert History(sound, 1, ["w"]).reached == ("w",)


@pytest.mark.parametrize(
    "tape",
    [
        Tape([TapeNode("X", [0])]),
        Tape([TapeNode("X", [1]), TapeNode("Y", [0])]),
        Tape([TapeNode("X", [7])]),
        Tape([TapeNode("X", [-2])]),
        Tape([TapeNode("X", [], leaf=4)]),
        Tape([TapeNode("X", [], shape=(-1,))]),
        Tape([TapeNode("X", [], shape=(1,) * 17)]),
        Tape(tensors=[TapeTensor("float32", (), True, 3)]),
        Tape(NODES, TENSORS, [TapeOperation("mul", SPOT, [9], [], True)]),
        Tape(NODES, TENSORS, [TapeOperation("mul", SPOT, [-1], [], True)]),
        Tape(NODES, TENSORS, [TapeOperation("mul", Spot("/etc/passwd", 1, "f"), [], [], True)]),
        Tape(NODES, TENSORS, [TapeOperation("mul", Spot("answer.py", 0, "f"), [], [], True)]),
        Tape(names=[Named("w", 1)]),
        Tape([TapeNode("X", [])] * (MOST_NODES + 1)),
        Tape([TapeNode("X", []), TapeNode("Y", [0] * (MOST_LINKS + 1))]),
        Tape(names=[Named("w", -1)] * 201),
    ],
)
def test_what_contradicts_itself_does_not_pass(tape: Tape) -> None:
    with pytest.raises(GarbledTape):
        checked(tape, FILES)


def test_texts_are_cut_and_cleaned() -> None:
    name = "\x1b[31m\u202e" + "x" * 1000
    tape = Tape(
        [TapeNode(name, [], spot=Spot("answer.py", 1, name))], names=[Named(name, -1, name)]
    )
    found = checked(tape, FILES)
    spot = found.nodes[0].spot
    assert spot is not None
    for text in (found.nodes[0].name, spot.function, found.names[0].name, found.names[0].kind):
        assert len(text) <= 4 * LONGEST_NAME
        assert text.isprintable()
        assert "\x1b" not in text


def test_a_line_in_another_file_is_left_out() -> None:
    node = TapeNode("X", [], spot=Spot("/etc/passwd", 1, "f"))
    assert checked(Tape([node]), FILES).nodes[0].spot is None


def test_a_deep_graph_is_walked_without_recursion() -> None:
    nodes = [TapeNode("X", [number - 1] if number else []) for number in range(MOST_NODES)]
    assert upwards(nodes) == list(range(MOST_NODES))
