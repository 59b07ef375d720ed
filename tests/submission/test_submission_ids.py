"""Ids: readable where they can be, unique and fit for a file name always."""

import itertools
import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.submission import submission_id, unique_ids


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("class/alice.py", "alice"),
        ("alice.ipynb", "alice"),
        ("alice.ZIP", "alice"),
        ("alice.tar.py", "alice.tar"),
        ("alice_1234.5678", "alice_1234.5678"),
        ("class/alice", "alice"),
    ],
)
def test_an_id_is_the_name_without_its_ending(path, name):
    assert submission_id(path) == name


def test_a_folder_s_name_stays_as_it_is(tmp_path, monkeypatch):
    folder = tmp_path / "alice.py"
    folder.mkdir()
    assert submission_id(folder) == "alice.py"
    monkeypatch.chdir(folder)
    assert submission_id(".") == "alice.py"


def test_fit_and_different_ids_are_left_alone():
    paths = ["c/alice.py", "c/bob.ipynb", "c/Zoë 1"]
    assert list(unique_ids(paths).values()) == ["alice", "bob", "Zoë 1"]


@pytest.mark.parametrize(
    "names",
    [
        ("alice.py", "alice.ipynb", "alice.zip"),
        ("alice.py", "ALICE.py"),
        ("Zo\u00eb.py", "Zoe\u0308.py"),
        ("straße.py", "STRASSE.py"),
        ("one/alice.py", "two/alice.py"),
    ],
)
def test_clashing_ids_all_get_a_mark_in_any_order(names):
    for order in itertools.permutations(names):
        ids = unique_ids(order)
        assert len({unicodedata.normalize("NFC", name).casefold() for name in ids.values()}) == len(
            names
        )
        assert ids == unique_ids(names)
        for path, name in ids.items():
            base, mark = name.rsplit("-", 1)
            assert base == path.stem
            assert len(mark) == 8
            int(mark, 16)


def test_a_mark_does_not_depend_on_where_the_class_lies():
    here = unique_ids(["/here/c/one/a.py", "/here/c/two/a.py"])
    there = unique_ids(["/over/there/one/a.py", "/over/there/two/a.py"])
    assert list(here.values()) == list(there.values())


def test_a_name_that_copies_another_s_mark_gains_nothing():
    victim = unique_ids(["alice.py", "alice.ipynb"])[Path("alice.py")]
    ids = unique_ids(["alice.py", "alice.ipynb", f"{victim}.py"])
    assert len(set(ids.values())) == 3


def test_one_file_by_two_paths_still_ends():
    assert len(set(unique_ids(["a.py", "x/../a.py", "a.py"]).values())) == 2


@pytest.mark.parametrize(
    "name", ["x" * 200, "é" * 80, ".hidden", "a\\b", "a\nb", "a\x00b", "\udce9"]
)
def test_what_is_unfit_for_a_file_name_gets_a_mark(name):
    (made,) = unique_ids([name + ".py"]).values()
    assert len(made.encode()) <= 100
    assert not made.startswith(".")
    assert not set(made) & set("/\\\n\0")
    assert made[-9] == "-"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=130), min_size=1, max_size=12))
def test_any_names_give_unique_fit_ids(names):
    ids = unique_ids(names)
    keys = {unicodedata.normalize("NFC", name.casefold()) for name in ids.values()}
    assert len(keys) == len(ids) == len({Path(name) for name in names})
    for name in ids.values():
        assert 0 < len(os.fsencode(name)) <= 100
        assert "/" not in name
        assert name not in {".", ".."}
