"""Reading a module or a folder: what is taken, and the one line that says why not."""

import codecs
import os
import socket
import time
from pathlib import Path

import pytest

from grader.errors import UnreadableSubmission
from grader.submission import (
    Cell,
    ReadLimits,
    Submission,
    display_place,
    locate,
    read_submission,
    stub_digest,
)

GOOD = "import torch\n\ndef relu(x):\n    return x.clamp(min=0)\n"


def write(path: Path, content: str | bytes = GOOD) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(path: Path, **more: object) -> str:
    with pytest.raises(UnreadableSubmission) as caught:
        read_submission(path, **more)  # type: ignore[arg-type]
    text = str(caught.value)
    assert "\n" not in text
    assert "grader/" not in text
    return text


def test_a_module_is_one_cell_with_its_own_lines(tmp_path):
    read = read_submission(write(tmp_path / "xor_by_hand.py"))
    assert (read.id, read.name, read.is_notebook) == ("xor_by_hand", "xor_by_hand.py", False)
    assert read.cells == (Cell(None, GOOD, 1),)
    assert read.source == GOOD
    assert read.files[0].name == "xor_by_hand.py"
    assert len(read.files[0].sha256) == 64
    assert read.notes == ()
    assert read.filename(read.cells[0]) == "xor_by_hand.py"
    assert locate(read, 3) == (None, 3)
    assert display_place("xor_by_hand.py", 3) == (None, 3)


def test_the_source_is_not_executed(tmp_path):
    mark = tmp_path / "ran"
    read_submission(write(tmp_path / "a.py", f"open({str(mark)!r}, 'w')\n"))
    assert not mark.exists()


def test_windows_text_reads_as_any_other(tmp_path):
    data = codecs.BOM_UTF8 + GOOD.replace("\n", "\r\n").encode()
    assert read_submission(write(tmp_path / "a.py", data)).source == GOOD


@pytest.mark.parametrize("cookie", ["latin-1", "cp1252", "iso-8859-15"])
def test_a_coding_line_is_honoured(tmp_path, cookie):
    data = f"#!/usr/bin/python\n# -*- coding: {cookie} -*-\nname = 'é'\n".encode(cookie)
    assert "name = 'é'" in read_submission(write(tmp_path / "a.py", data)).source


@pytest.mark.parametrize("cookie", ["punycode", "rot13", "zlib", "utf-7", "klingon", "idna"])
def test_a_coding_line_that_names_no_table_is_refused(tmp_path, cookie):
    text = refusal(write(tmp_path / "a.py", f"# coding: {cookie}\nx = 1\n"))
    assert f"says that its encoding is {cookie}, which is unknown" in text


def test_a_coding_line_below_code_is_only_a_comment(tmp_path):
    data = b"x = 1\n# coding: latin-1\ny = '\xe9'\n"
    assert "a.py is not UTF-8: line 3 has the byte 0xe9" in refusal(write(tmp_path / "a.py", data))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.py", b"x = 1\ny = '\xe9'\n", "a.py is not UTF-8: line 2 has the byte 0xe9 (byte 11"),
        ("a.py", "x = 1\n".encode("utf-16"), "a.py is not UTF-8 but UTF-16"),
        ("a.py", b"x = 1\r\ny = 2\r\n\0z", "a.py is no text: line 3 has a NUL byte"),
        ("a.py", b"", "a.py is empty"),
        ("a.py", b" \n\t\r\n\n", "a.py is empty"),
        ("a.py", codecs.BOM_UTF8 + b"\n", "a.py is empty"),
        ("a.py", "x = 1\ndef relu(x)\n    pass\n", "a.py, line 2 is no valid Python (expected ':'"),
        ("a.py", "def f():\nreturn 1\n", "a.py, line 2 is no valid Python (expected an indented"),
        ("a.py", "Dear teacher, I did not do it.", "a.py, line 1 is no valid Python"),
        ("a.py", b"PK\x03\x04junk", "a.py is a zip archive. Let its name end in .zip"),
        ("a.txt", "x = 1", "a.txt is neither .py, .ipynb, .zip nor a folder"),
        ("a.rar", "x = 1", "a.rar is neither"),
        ("a.ipynb", GOOD, "a.ipynb is no notebook: it is not JSON. If it is plain Python"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(tmp_path, name, content, said):
    assert said in refusal(write(tmp_path / name, content))


def test_a_syntax_error_shows_the_text_of_its_line(tmp_path):
    text = refusal(write(tmp_path / "a.py", "x = 1\n\n    y = = 2   \n"))
    assert "line 3" in text
    assert "y = = 2)" in text


def test_there_is_no_such_file(tmp_path):
    assert "there is no file" in refusal(tmp_path / "nowhere.py")
    assert "there is no file" in refusal(tmp_path / "nowhere")


def test_odd_paths_are_refused_in_words(tmp_path):
    assert "cannot be opened" in refusal(Path("a\0b.py")) + refusal(tmp_path / ("x" * 300 + ".py"))


def test_terminal_signs_in_a_name_are_not_passed_on(tmp_path):
    text = refusal(write(tmp_path / "a\x1b[31m\u202e.py", ""))
    assert "a\\x1b[31m\\x202e.py is empty" in text


@pytest.mark.skipif(os.name == "nt", reason="no such names there")
def test_a_name_that_is_no_text_gives_an_id_that_is(tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.py"
    with open(path, "wb") as file:
        file.write(b"x = 1\n")
    read = read_submission(os.fsdecode(path))
    (read.id + read.name + read.files[0].name).encode()


def test_fifty_megabytes_of_source_are_refused_unread(tmp_path):
    path = tmp_path / "big.py"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    start = time.perf_counter()
    assert "big.py is too large: 48 MiB, and 1 MiB are allowed" in refusal(path)
    assert time.perf_counter() - start < 0.1


def test_a_file_just_at_the_limit_is_read(tmp_path):
    limit = ReadLimits(source_bytes=20)
    assert read_submission(write(tmp_path / "a.py", "x=1#" + "x" * 16), limits=limit).name == "a.py"
    assert "too large" in refusal(write(tmp_path / "b.py", "x=1#" + "x" * 17), limits=limit)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_pipes_sockets_and_devices_never_block(tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    assert "pipe.py is no ordinary file" in refusal(tmp_path / "pipe.py")
    assert "pipe.py is no ordinary file" in refusal(tmp_path)
    (tmp_path / "null.py").symlink_to("/dev/zero")
    assert "null.py is no ordinary file" in refusal(tmp_path / "null.py")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(tmp_path)
        try:
            server.bind("s.py")
        finally:
            os.chdir(here)
        assert "s.py is no ordinary file" in refusal(tmp_path / "s.py")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path):
    path = write(tmp_path / "a.py")
    path.chmod(0)
    assert "a.py cannot be opened: permission denied" in refusal(path)


def test_await_outside_a_function_is_noted_and_inside_it_is_not(tmp_path):
    text = "async def f():\n    await g()\n\nif True:\n    await f()\n"
    (note,) = read_submission(write(tmp_path / "a.py", text)).notes
    assert (note.kind, note.line, note.cell) == ("top-level-await", 5, None)


# Folders


def test_a_folder_is_named_as_it_is_and_its_litter_ignored(tmp_path):
    folder = tmp_path / "alice.v2"
    for litter in (
        ".hidden.py", "._work.py", ".grade.toml", "Thumbs.db", "__pycache__/a.py", "data.csv",
        ".ipynb_checkpoints/work-checkpoint.ipynb", "__MACOSX/work.py", "checks/test_relu.py",
        "library_pieces.py", "misconceptions.py", ".venv/lib/a.py", "notes.txt",
        "env/pyvenv.cfg", "env/lib/python/a.py",
    ):  # fmt: skip
        write(folder / litter, "junk = = 1")
    write(folder / "work.py")
    read = read_submission(folder)
    assert (read.id, read.name, read.notes) == ("alice.v2", "work.py", ())
    (folder / "work.py").unlink()
    assert "alice.v2 holds no .py and no .ipynb file" in refusal(folder)


def test_the_topmost_level_counts(tmp_path):
    write(tmp_path / "a" / "b" / "deep.py")
    assert read_submission(tmp_path).files[0].name == "a/b/deep.py"
    write(tmp_path / "a" / "higher.py")
    assert read_submission(tmp_path).name == "higher.py"


def test_two_candidates_are_both_named(tmp_path):
    write(tmp_path / "two.py")
    write(tmp_path / "one.ipynb")
    text = refusal(tmp_path)
    assert "holds 2 files that could be the work: one.ipynb and two.py" in text
    for number in range(20):
        write(tmp_path / f"more{number:02}.py")
    assert "more00.py, more01.py, more02.py, more03.py, more04.py and 17 more" in refusal(tmp_path)


@pytest.mark.parametrize("stub_name", ["xor", "xor.py"])
def test_the_stub_s_name_decides_between_several_modules(tmp_path, stub_name):
    write(tmp_path / "helper.py")
    write(tmp_path / "xor.py")
    read = read_submission(tmp_path, stub_name=stub_name)
    assert read.name == "xor.py"
    assert [note.kind for note in read.notes] == ["file-chosen"]


STUB = "def relu(x):\n    raise NotImplementedError\n"
NOTEBOOK_STUB = (
    '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", '
    '"source": ["def relu(x):\\n", "    raise NotImplementedError"], "outputs": OUT}]}'
)
DIGESTS = frozenset(
    {stub_digest("xor.py", STUB.encode()), stub_digest("xor.ipynb", NOTEBOOK_STUB.encode())}
)


@pytest.mark.parametrize(
    ("module", "notebook", "taken"),
    [
        (STUB, NOTEBOOK_STUB, "xor.py"),
        (GOOD, NOTEBOOK_STUB, "xor.py"),
        (STUB, NOTEBOOK_STUB.replace("raise NotImplementedError", "return x"), "xor.ipynb"),
        (GOOD, NOTEBOOK_STUB.replace("raise NotImplementedError", "return x"), "xor.py"),
        (STUB.replace("\n", "  \r\n") + "\r\n", NOTEBOOK_STUB.replace("relu", "r"), "xor.ipynb"),
        (GOOD, NOTEBOOK_STUB.replace("OUT", '["ran"]'), "xor.py"),
    ],
)
def test_of_the_stub_s_two_forms_the_changed_one_is_taken(tmp_path, module, notebook, taken):
    write(tmp_path / "xor.py", module)
    write(tmp_path / "xor.ipynb", notebook.replace("OUT", "[]"))
    read = read_submission(tmp_path, stub_name="xor", stub_digests=DIGESTS)
    assert read.name == taken


def test_a_renamed_answer_wins_over_the_untouched_stub(tmp_path):
    write(tmp_path / "xor.py", STUB)
    write(tmp_path / "xor_final.py")
    read = read_submission(tmp_path, stub_name="xor", stub_digests=DIGESTS)
    assert read.name == "xor_final.py"


def test_a_stub_digest_sees_source_and_nothing_else():
    crlf = codecs.BOM_UTF8 + STUB.replace("\n", " \r\n").encode()
    ran = NOTEBOOK_STUB.replace("OUT", '[{"output_type": "stream"}]').encode()
    plain = NOTEBOOK_STUB.replace("OUT", "[]").encode()
    assert stub_digest("a.py", crlf) == stub_digest("b.py", STUB.encode())
    assert stub_digest("a.ipynb", ran) == stub_digest("a.ipynb", plain)
    assert stub_digest("a.py", STUB.encode()) != stub_digest("a.py", b" " + GOOD.encode())
    assert stub_digest("a.py", b"\xff\0") != stub_digest("a.ipynb", b"[")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links")
def test_links_are_followed_inside_the_folder_only(tmp_path):
    outside = write(tmp_path / "secret.py")
    folder = tmp_path / "alice"
    folder.mkdir()
    (folder / "work.py").symlink_to(outside)
    assert "work.py is a link that leads out of its folder" in refusal(folder)
    (folder / "work.py").unlink()
    write(folder / ".real.py")
    (folder / "work.py").symlink_to(".real.py")
    assert read_submission(folder).name == "work.py"
    (folder / "work.py").unlink()
    (folder / "work.py").symlink_to("work.py")
    assert "work.py cannot be opened" in refusal(folder)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links")
def test_a_batch_can_refuse_to_follow_the_path_itself(tmp_path):
    write(tmp_path / "secret.py")
    (tmp_path / "alice.py").symlink_to("secret.py")
    assert read_submission(tmp_path / "alice.py").name == "alice.py"
    strict = ReadLimits(follow_link=False)
    assert "alice.py is a link" in refusal(tmp_path / "alice.py", limits=strict)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links")
def test_links_to_folders_are_not_entered(tmp_path):
    folder = tmp_path / "alice"
    folder.mkdir()
    (folder / "round").symlink_to(folder)
    assert "holds no .py" in refusal(folder)


def test_a_folder_of_thousands_of_files_is_refused(tmp_path):
    for number in range(30):
        write(tmp_path / f"{number}.txt", "")
    assert "holds more than 20 files" in refusal(tmp_path, limits=ReadLimits(entries=20))


def test_locate_reads_the_joined_source_back():
    read = Submission("a", (), "a.ipynb", (Cell(2, "a\nb"), Cell(5, "c\n"), Cell(6, "d")))
    assert read.source == "a\nb\nc\n\nd"
    assert [locate(read, line) for line in range(1, 6)] == [(2, 1), (2, 2), (5, 1), (5, 2), (6, 1)]
    assert display_place(read.filename(read.cells[1]), 2) == (5, 2)
