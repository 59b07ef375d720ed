"""The catalogue is complete, its examples say what they print, and it gives no solution away."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import warnings
from importlib import resources
from pathlib import Path

import msgspec
import pytest
import torch

from grader.errors import AssignmentError
from grader.misconceptions.catalogue import (
    GROUPS,
    Misconception,
    general,
    load_catalogue,
    merged,
)

ASSIGNMENTS = Path(__file__).parents[2] / "assignments"
OWN = ASSIGNMENTS / "xor_by_hand" / "misconceptions.toml"
GENERAL_TEXT = resources.files("grader.misconceptions").joinpath("general.toml").read_text("utf-8")
ALL = merged(general(), load_catalogue(OWN))


def slugs(text: str) -> list[str]:
    return text.split()


FLOOR = slugs("""
gradient-not-reset gradient-reset-before-update parameter-zeroed no-such-tensor-method
gradient-replaced-by-number update-not-in-place update-tracked-by-autograd no-grad-not-called
grad-mode-left-off parameter-no-longer-tracked gradient-ascent learning-rate-ignored
divided-by-batch-size some-parameters-not-updated step-along-parameter not-plain-sgd
graph-cut requires-grad-forced number-function-on-tensor truth-of-a-tensor argument-changed
float64-mixing integer-tensors wrong-return-type wrong-backward
torch-max-misused relu-inverted relu-leaky relu-absolute relu-step relu-softplus relu-capped
shape-changed
logistic-sign-flipped logistic-precedence tanh-not-logistic logistic-derivative-returned
softmax-on-one-column output-thresholded
cross-entropy-sign minus-covers-first-term log-p-twice log-of-one-minus-y negative-class-ignored
arguments-swapped logistic-applied-twice multiclass-cross-entropy squared-error-instead
broadcast-to-matrix loss-not-averaged averaged-twice log-base epsilon-too-large log-of-zero
elementwise-not-matmul weights-transposed bias-missing hidden-activation-missing
output-activation-missing relu-on-output logistic-in-hidden batch-only sample-only
arguments-ignored
parameter-not-a-leaf requires-grad-missing symmetric-initialization shared-parameter
loss-tensor-kept stale-graph backward-twice step-before-backward backward-missing
training-under-no-grad one-step-per-epoch seed-reset-in-loop first-sample-only samples-shuffled
losses-per-epoch loss-after-update backward-on-non-scalar non-leaf-gradient
""")

BESIDES = slugs("""
built-in-used data-attribute-update overflows-for-large-x needless-retain-graph slow-python-loop
prints-in-loop
memory-shared data-requires-grad array-not-tensor caret-not-power same-tensor-recorded
gradient-not-left gradient-still-none copies-returned step-count-off running-total
no-layer-in-model parent-not-initialised forward-missing tensor-assigned-as-parameter
parameters-not-registered class-not-object optimizer-not-given-parameters
optimizer-on-other-parameters no-such-optimizer-method no-such-model-method step-missing
given-model-ignored copy-trained model-started-anew several-samples-a-step epochs-miscounted
samples-left-out label-shape-differs loss-for-probabilities backward-on-loss-object
library-piece-not-used loops-exchanged
""")

ADVICE = slugs("""
data-attribute-update overflows-for-large-x log-of-zero needless-retain-graph slow-python-loop
prints-in-loop
""")


def sections(assignment: Path) -> set[str]:
    """The numbered sections of an assignment's handout."""
    handout = (assignment / "README.md").read_text(encoding="utf-8")
    return set(re.findall(r"^#+ (\d+(?:\.\d+)?) ", handout, re.MULTILINE))


# Entries of every assignment, with the sections that they may name; general ones as in the first.
EVERY = [(slug, entry, sections(OWN.parent)) for slug, entry in ALL.items()] + [
    (f"{own.parent.name}/{slug}", entry, sections(own.parent))
    for own in sorted(ASSIGNMENTS.glob("*/misconceptions.toml"))
    if own != OWN
    for slug, entry in load_catalogue(own).items()
]

EXERCISES = "relu|logistic|cross_entropy|forward|sgd|init_params|train"

# Lines that would finish an exercise, with all spaces taken out.
SOLUTIONS = {
    "relu": [".clamp(min=0", ",min=0)", ".clamp(0", "torch.where(x>0", "*(x>0)", ".zeros_like(x)"],
    "logistic": ["1/(1+", "+torch.exp(-", "+math.exp(-"],
    "cross_entropy": ["*torch.log(y_pred", "*torch.log(p)", "*y_pred.log()", ".log()+(1-y)"],
    "forward": ["@W1", "@W2", "+b1", "+b2"],
    "sgd": ["-=lr*", "-=0.1*", "lr*p.grad", "alpha=-lr"],
    "init_params": ["torch.randn(", "hidden,1", "2,hidden"],
    "train": ["losses.append(loss.item())", "sgd(params"],
}

entries = pytest.mark.parametrize(
    "entry", [entry for _, entry, _ in EVERY], ids=[name for name, _, _ in EVERY]
)


def printed(example: str) -> list[str]:
    """What `example` prints, line by line, run as a program of its own."""
    output = io.StringIO()
    with (
        contextlib.redirect_stdout(output),
        warnings.catch_warnings(action="ignore"),
        torch.random.fork_rng(devices=[]),
    ):
        exec(compile(example, "example", "exec"), {"__name__": "__main__"})  # our own text
    return [line.rstrip() for line in output.getvalue().splitlines()]


def announced(example: str) -> list[str]:
    """What the comments of `example` say that it prints."""
    return [line.rstrip() for line in re.findall(r"# prints: (.*)", example)]


def words(entry: Misconception) -> list[str]:
    return [entry.title, entry.why, entry.explanation, entry.evidence, *entry.hints]


# What exists


@pytest.mark.parametrize("slug", [*FLOOR, *BESIDES])
def test_every_known_mistake_has_an_entry(slug):
    assert ALL[slug].slug == slug


def test_no_entry_is_unlisted_or_written_twice():
    assert sorted(ALL) == sorted([*FLOOR, *BESIDES])
    assert not set(general()) & set(load_catalogue(OWN))


def test_general_entries_name_no_exercise():
    found = re.findall(
        r"xor|relu|logistic|cross_entropy|init_params|sgd", GENERAL_TEXT, re.IGNORECASE
    )
    assert not found
    # `forward` is also how a custom autograd Function spells its values.
    calls = re.findall(r"(?<!def )\bforward\(|\btrain\(|\b[Wb][12]\b", GENERAL_TEXT)
    assert not calls


def test_advice_is_a_group_of_its_own():
    assert {slug for slug, entry in ALL.items() if entry.group == "advice"} == set(ADVICE)
    assert {entry.group for entry in ALL.values()} == set(GROUPS)


# What an entry says


@entries
def test_entry_is_short_and_plain(entry):
    assert len(entry.title) <= 70
    assert entry.title[-1] not in ".!?"
    assert 2 <= len(re.findall(r"[.!?](?=\s|$)", entry.explanation)) <= 5
    for text in words(entry):
        for sentence in re.split(r"[.!?:;](?:\s|$)", text):
            assert len(sentence.split()) <= 34, f"too long to read at midnight: {sentence}"


@entries
def test_why_is_one_sentence_and_new(entry):
    assert entry.why[-1] == "."
    assert len(re.findall(r"[.!?](?=\s|$)", entry.why)) == 1
    assert entry.title.casefold() not in entry.why.casefold()


@entries
def test_entry_uses_no_jargon_and_blames_nobody(entry):
    jargon = r"jacobian|aten\b|dispatch|kernel|tensorimpl|accumulategrad|upcast|semantic|idempot"
    blame = (
        r"you forgot|you should have|obvious|of course|simply|stupid|careless|wrongly|your fault"
    )
    for text in words(entry):
        assert not re.search(f"{jargon}|{blame}", text, re.IGNORECASE), text


@entries
def test_hints_are_three_and_differ(entry):
    assert len(set(entry.hints)) == 3
    assert all(len(hint) >= 15 and hint[-1] in ".?!" for hint in entry.hints)


@pytest.mark.parametrize(("name", "entry", "known"), EVERY, ids=[name for name, _, _ in EVERY])
def test_handout_section_exists(name, entry, known):
    assert entry.handout in known


# What an entry must not say


@entries
def test_code_in_hints_is_a_name_or_a_look(entry):
    for code in re.findall(r"`([^`]+)`", " ".join(words(entry))):
        (statement,) = ast.parse(code).body
        assert isinstance(statement, ast.Expr), code
        work = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Lambda, ast.ListComp)
        assert not any(isinstance(node, work) for node in ast.walk(statement)), code


@entries
def test_no_solution_line_anywhere(entry):
    dense = re.sub(r"\s", "", " ".join([*words(entry), entry.example]))
    given_away = [line for lines in SOLUTIONS.values() for line in lines if line in dense]
    assert not given_away


@entries
def test_example_does_not_do_the_exercise(entry):
    names = {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(ast.parse(entry.example))
        if isinstance(node, ast.Name | ast.Attribute)
    }
    functions = {
        node.name
        for node in ast.parse(entry.example).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    assert not (names | functions) & {*EXERCISES.split("|"), "sigmoid", "params"}
    # A step and a reset together would be the whole idiom.
    changes = re.search(r"-=|\.sub_\(", entry.example)
    resets = "grad.zero_()" in entry.example
    assert not (changes and resets)


def test_solutions_are_recognised_in_the_model_answer():
    """The patterns above are worth something: each exercise of the model answer has one."""
    answer = OWN.parents[2] / "solutions" / "xor_by_hand" / "reference.py"
    if not answer.exists():
        pytest.skip("solutions are staff's")
    for function in ast.parse(answer.read_text(encoding="utf-8")).body:
        if isinstance(function, ast.FunctionDef):
            dense = re.sub(r"\s", "", ast.unparse(function))
            assert any(line in dense for line in SOLUTIONS[function.name]), function.name


# The examples


@entries
def test_example_prints_what_it_says(entry):
    try:
        assert announced(entry.example), "an example has to show something"
        assert printed(entry.example) == announced(entry.example)
        assert torch.is_grad_enabled(), "an example has to leave recording switched on"
    finally:
        torch.set_grad_enabled(True)


def test_a_comment_that_lies_is_noticed():
    example = "print(2 + 2)  # prints: 5\n"
    assert printed(example) == ["4"] != announced(example)


@entries
def test_example_fits_a_terminal(entry):
    assert all(len(line) <= 88 for line in entry.example.splitlines())
    assert len(entry.example.splitlines()) <= 25
    assert entry.example.isascii()


# Reading a catalogue

GOOD = """
[wet-floor]
title = "the floor is wet"
why = "Wet floors make people slip."
explanation = '''Somebody spilled
water. It is slippery.'''
evidence = "a puddle"
hints = ["look down", "water flows", "a mop"]
handout = "3"
example = '''

print(1)  # prints: 1
'''
group = "advice"
"""


@pytest.fixture
def written(tmp_path):
    def write(text: str) -> Path:
        path = tmp_path / "misconceptions.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_load_joins_wrapped_lines_and_keeps_programs(written):
    entry = load_catalogue(written(GOOD))["wet-floor"]
    assert entry == Misconception(
        slug="wet-floor",
        title="the floor is wet",
        why="Wet floors make people slip.",
        explanation="Somebody spilled water. It is slippery.",
        evidence="a puddle",
        hints=("look down", "water flows", "a mop"),
        handout="3",
        example="print(1)  # prints: 1\n",
        group="advice",
    )


def test_entries_cannot_be_changed(written):
    entry = load_catalogue(written(GOOD))["wet-floor"]
    with pytest.raises(AttributeError):
        entry.title = "dry"


@pytest.mark.parametrize(
    ("old", "new", "key", "why"),
    [
        ("[wet-floor]", "[Wet_Floor]", "Wet_Floor", "lower-case"),
        ('title = "the floor is wet"', "", "wet-floor.title", "missing"),
        ('title = "the floor is wet"', "title = 3", "wet-floor.title", "text"),
        ('why = "Wet floors make people slip."', "", "wet-floor.why", "missing"),
        ("make people slip", "make people slip" + " and fall" * 20, "wet-floor.why", "at most 140"),
        ('evidence = "a puddle"', 'evidence = " "', "wet-floor.evidence", "not empty"),
        (', "a mop"]', "]", "wet-floor.hints", "3 texts"),
        (', "a mop"]', ", 7]", "wet-floor.hints", "hint 3"),
        ('hints = ["look down", "water flows", "a mop"]', "", "wet-floor.hints", "missing"),
        ('group = "advice"', 'group = "weather"', "wet-floor.group", "one of update"),
        ('group = "advice"', 'grup = "advice"', "wet-floor.grup", "unknown key"),
        ("[wet-floor]", "wet-floor = 1\n[dry-floor]", "wet-floor", "table"),
    ],
)
def test_broken_entry_names_file_and_key(written, old, new, key, why):
    assert old in GOOD
    path = written(GOOD.replace(old, new))
    with pytest.raises(AssignmentError, match=re.escape(why)) as caught:
        load_catalogue(path)
    assert (caught.value.path, caught.value.key) == (str(path), key)


@pytest.mark.parametrize("text", ["[wet-floor", GOOD + GOOD])
def test_broken_file_is_named(written, text):
    path = written(text)
    with pytest.raises(AssignmentError, match="no valid TOML") as caught:
        load_catalogue(path)
    assert caught.value.path == str(path)


def test_unreadable_file_is_named(tmp_path):
    with pytest.raises(AssignmentError, match="cannot be read"):
        load_catalogue(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# \xe9\n")
    with pytest.raises(AssignmentError, match="UTF-8"):
        load_catalogue(tmp_path / "latin.toml")


def test_own_words_win_and_nothing_is_changed(written):
    own = load_catalogue(written(GOOD))
    other = {
        "wet-floor": msgspec.structs.replace(own["wet-floor"], title="x"),
        "b": own["wet-floor"],
    }
    both = merged(other, own)
    assert both["wet-floor"].title == "the floor is wet"
    assert list(both) == ["wet-floor", "b"]
    assert other["wet-floor"].title == "x"
