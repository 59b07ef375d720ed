"""Where the tape is cut: each known cut at its line, and none in what is right."""

from __future__ import annotations

import re

import pytest
from tape_sources import STAFF, Bench, network

from grader.tape.history import Cut
from grader.tape.story import Story

ALL = ("W1", "b1", "W2", "b2")
FIRST = ("W1", "b1")
WRONG = STAFF / "wrong"
staff = pytest.mark.skipif(not STAFF.is_dir(), reason="solutions are staff's")

# By file: for each cut the operation ("" where recording is off), its function, what is lost.
CUTS = {
    "graph_cut_cross_entropy_detach.py": [("detach", "cross_entropy", ALL)],
    "graph_cut_cross_entropy_items.py": [("item", "cross_entropy", ALL)],
    "graph_cut_forward_bias_data.py": [
        ("data", "forward", ("b1",)),
        ("data", "forward", ("b2",)),
    ],
    "graph_cut_forward_hidden_detached.py": [("detach", "forward", FIRST)],
    "graph_cut_forward_no_grad.ipynb": [("", "forward", ALL)],
    "graph_cut_logistic_no_grad.py": [("", "logistic", ALL)],
    "graph_cut_logistic_rewrapped.py": [("tolist", "logistic", ALL)],
    "graph_cut_relu_data.py": [("data", "relu", FIRST)],
    "graph_cut_relu_numpy.py": [("detach", "relu", FIRST)],
    "graph_cut_train_prediction_detached.py": [],  # in its loop: no part of the composition
    "requires_grad_forced_loss_tensor.py": [("item", "cross_entropy", ALL)],
    "relu_step_float.py": [("gt", "relu", FIRST)],
    "output_thresholded_compare.py": [("gt", "logistic", ALL)],
    "integer_logistic_buffer.py": [("__setitem__", "logistic", ALL)],
    "wrong_type_cross_entropy_float.py": [("item", "cross_entropy", ALL)],
    "wrong_type_logistic_numpy.py": [("detach", "logistic", ALL)],
}
# One of each style: loops, views, writing in place, Functions of one's own, classes, notebooks.
RIGHT = (
    "relu_loop_and_stack.py",
    "relu_clone_and_index.py",
    "relu_filled_in_an_empty_tensor.py",
    "relu_and_logistic_custom_functions.py",
    "relu_by_mask.py",
    "relu_where_scalar.py",
    "logistic_stable_where.py",
    "cross_entropy_einsum.py",
    "cross_entropy_dot_products.py",
    "forward_written_out_sums.py",
    "class_nn_module_around_it.py",
    "functions_wrapped_by_decorators.py",
    "global_settings_changed.py",
    "notebook_magics.ipynb",
    "exit_at_the_end.py",
    "file_with_bom_and_crlf.py",
)


def summary(cut: Cut) -> tuple[str, str, tuple[str, ...]]:
    return (cut.name if cut.recording else "", cut.spots[0].function, cut.leaves)


@staff
@pytest.mark.parametrize("name", CUTS)
def test_a_cut_is_found_where_it_is(bench: Bench, name: str) -> None:
    story = bench.story(WRONG / name)
    assert [summary(cut) for cut in story.cuts] == CUTS[name]
    lost = {leaf for cut in story.cuts for leaf in cut.leaves}
    assert set(story.history.reached) == set(ALL) - lost
    assert story.whole == (not lost)
    for cut in story.cuts:
        for spot in cut.spots:
            line = story.taped.source(spot.filename, spot.line)
            assert shows(line, cut), line


def shows(line: str, cut: Cut) -> bool:
    """Whether the line is one that does what the cut says."""
    marks = {"gt": ">", "__setitem__": "] =", "": ""}
    name = cut.name if cut.recording else ""
    return marks.get(name, name) in line


@staff
def test_every_file_that_is_known_to_be_cut_is_looked_at() -> None:
    named = {file.name for file in WRONG.glob("graph_cut_*")}
    assert named <= set(CUTS)


@staff
@pytest.mark.parametrize("name", ["reference.py", *(f"right/{name}" for name in RIGHT)])
def test_what_is_right_holds(bench: Bench, name: str) -> None:
    holds(bench.story(STAFF / name))


@staff
@pytest.mark.soak
def test_everything_that_is_right_holds(bench: Bench) -> None:
    for path in sorted((STAFF / "right").glob("*.*")):
        holds(bench.story(path))


@staff
@pytest.mark.soak
def test_everything_that_is_wrong_is_told(bench: Bench) -> None:
    for path in sorted(WRONG.glob("*.*")):
        story = bench.story(path)
        assert story.told(), path.name
        assert story.drawing().boxes, path.name


def holds(story: Story) -> None:
    assert story.whole
    assert story.cuts == ()
    assert story.history.reached == ALL
    assert [said.sign for said in story.told()] == ["good"]
    assert story.told()[0].text == "loss leads back to W1, b1, W2 and b2. All paths hold."
    operations = [node for node in story.taped.tape.nodes if node.leaf < 0]
    assert all(node.spot is not None for node in operations)
    assert all(re.fullmatch(r"\w+", node.name) for node in operations)


def test_a_cut_by_numbers_says_where_they_come_in_again(bench: Bench) -> None:
    made = "return torch.tensor([[max(v, 0.0) for v in row] for row in x.tolist()])"
    story = bench.story(network(relu=made))
    (cut,) = story.cuts
    assert (cut.name, cut.leaves) == ("tolist", FIRST)
    assert [story.taped.tape.nodes[node].name for node in cut.enters] == ["MmBackward0"]


def test_a_way_left_out_beside_one_that_holds_is_no_cut(bench: Bench) -> None:
    story = bench.story(network(logistic="z = x - x.max().detach() + x.max()\nreturn z.sigmoid()"))
    assert story.whole
    assert story.cuts == ()
    assert [said.sign for said in story.told()] == ["good", "note"]
    assert story.told()[1].text.startswith("`.detach()`, line 7 in logistic, leaves one path out")


def test_a_mask_is_no_cut_and_a_later_detach_is(bench: Bench) -> None:
    story = bench.story(
        network(relu="return x * (x > 0)", cross_entropy="return (y_pred.detach() - y).square()")
    )
    assert [summary(cut) for cut in story.cuts] == [("detach", "cross_entropy", ALL)]


def test_the_tape_of_a_leaf_that_was_forced_is_told(bench: Bench) -> None:
    story = bench.story(network(relu="return x.detach().clamp(min=0).requires_grad_()"))
    assert story.history.strangers == 1
    assert [summary(cut) for cut in story.cuts] == [("detach", "relu", FIRST)]
    assert any("a leaf of your own" in said.text for said in story.told())


def test_an_argument_that_nothing_takes_is_told(bench: Bench) -> None:
    story = bench.story(network(forward="return logistic(relu(X @ W1) @ W2 + b2)"))
    assert story.told()[0].text == "b1 was given, and no operation took it."
    assert not story.whole


def test_grad_mode_that_one_function_left_off_is_told_of_the_next(bench: Bench) -> None:
    off = "p = y_pred\ntorch.set_grad_enabled(False)\nreturn ((p - y) ** 2).mean()"
    story = bench.story(network(cross_entropy=off))
    assert [summary(cut) for cut in story.cuts] == [("", "cross_entropy", ALL)]
    # Each recording begins with it on.
    assert bench.story(network()).whole


def test_a_nested_dtype_is_told_with_its_first_line(bench: Bench) -> None:
    story = bench.story(network(logistic="return x.double().sigmoid()"))
    assert story.told()[1].text == (
        "Your y_pred is float64; float32 was expected. float64 first shows in line 7."
    )
