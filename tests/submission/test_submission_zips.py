"""Reading zips: nothing leaves memory, nothing larger than it says, nothing outside."""

import io
import struct
import zipfile
from pathlib import Path

import pytest

from grader.errors import UnreadableSubmission
from grader.submission import ReadLimits, read_submission
from grader.submission.archive import candidates_in_zip

GOOD = b"def relu(x):\n    return x\n"


def pack(
    *members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def write(folder: Path, data: bytes) -> Path:
    path = folder / "alice.zip"
    path.write_bytes(data)
    return path


def refusal(path: Path, **more: ReadLimits) -> str:
    before = sorted(path.parent.rglob("*"))
    with pytest.raises(UnreadableSubmission) as caught:
        read_submission(path, **more)
    assert sorted(path.parent.rglob("*")) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_member_is_read_and_nothing_lands_on_disk(tmp_path):
    path = write(tmp_path, pack(("hand in/xor.py", GOOD), ("readme.txt", b"hello")))
    read = read_submission(path)
    assert (read.id, read.name, read.files[0].name) == ("alice", "xor.py", "hand in/xor.py")
    assert read.source == GOOD.decode()
    assert list(tmp_path.iterdir()) == [path]


def test_litter_of_both_systems_is_ignored(tmp_path):
    data = pack(
        ("xor/xor.py", GOOD),
        ("__MACOSX/xor/._xor.py", b"\0\5\x16\7"),
        ("xor/.DS_Store", b"x"),
        ("xor/Thumbs.db", b"x"),
        ("xor/.ipynb_checkpoints/xor-checkpoint.ipynb", b"{}"),
        ("xor/__pycache__/xor.py", b"x"),
        ("xor/.vscode/a.py", b"x"),
    )
    assert read_submission(write(tmp_path, data)).name == "xor.py"


def test_backslashes_separate_folders(tmp_path):
    assert read_submission(write(tmp_path, pack(("xor\\xor.py", GOOD)))).name == "xor.py"


def test_the_stub_s_name_and_two_candidates_count_as_in_a_folder(tmp_path):
    path = write(tmp_path, pack(("a.py", GOOD), ("xor.py", GOOD)))
    assert "alice.zip holds 2 files that could be the work: a.py and xor.py" in refusal(path)
    assert read_submission(path, stub_name="xor").name == "xor.py"


@pytest.mark.parametrize(
    "name",
    [
        "../xor.py",
        "a/../../xor.py",
        "/xor.py",
        "C:/xor.py",
        "c:xor.py",
        "..\\xor.py",
        "\\\\host\\x.py",
    ],
)
def test_a_path_outside_is_refused(tmp_path, name):
    text = refusal(write(tmp_path, pack((name, GOOD), ("fine.py", GOOD))))
    assert "which would land outside of it" in text


@pytest.mark.parametrize("kind", [0o120777, 0o010644, 0o020644, 0o060644])
def test_links_and_other_special_entries_are_refused(tmp_path, kind):
    member = zipfile.ZipInfo("xor.py")
    member.external_attr = kind << 16
    assert "which is a link and no file" in refusal(write(tmp_path, pack((member, b"/etc/passwd"))))


def patched(data: bytes, offset: int, form: str, value: int) -> bytes:
    """`data` with a field of its only local and its only central header changed."""
    out = bytearray(data)
    struct.pack_into(form, out, data.index(b"PK\x01\x02") + offset + 2, value)
    struct.pack_into(form, out, data.index(b"PK\x03\x04") + offset, value)
    return bytes(out)


def test_an_encrypted_archive_is_refused(tmp_path):
    assert "alice.zip is encrypted" in refusal(
        write(tmp_path, patched(pack(("a.py", GOOD)), 6, "<H", 1))
    )


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_choose_their_own_memory_are_refused(tmp_path, method):
    text = refusal(write(tmp_path, pack(("a.py", GOOD), method=method)))
    assert "a.py is packed by an uncommon method" in text


def test_a_header_that_lies_about_its_size_gains_nothing(tmp_path):
    bomb = pack(("a.py", b"#" * (30 << 20)))
    text = refusal(write(tmp_path, patched(bomb, 22, "<I", 100)))
    assert "damaged" in text


def test_a_header_that_claims_more_than_there_is(tmp_path):
    data = pack(("a.py", GOOD), method=zipfile.ZIP_STORED)
    assert read_submission(write(tmp_path, data)).source == GOOD.decode()
    for field in (18, 22):
        data = patched(data, field, "<I", 5000)
    assert "damaged" in refusal(write(tmp_path, data))


def test_bombs_are_refused_by_ratio_total_and_number(tmp_path):
    bomb = pack(("a.py", b"#" * (1 << 20)))
    assert "a.py, which unpacks to 1 MiB from 1 KiB" in refusal(write(tmp_path, bomb))
    member = patched(pack(("a.py", GOOD)), 22, "<I", 0xFFFFFFF0)
    assert "which unpacks to 4096 MiB from" in refusal(write(tmp_path, member))
    several = pack(*((f"{number}.bin", bytes(1000)) for number in range(3)))
    few = ReadLimits(unpacked_bytes=2500)
    assert "unpacks to 3 KiB, and 2 KiB are allowed" in refusal(
        write(tmp_path, several), limits=few
    )
    many = pack(*((f"{number}.txt", b"") for number in range(2001)))
    assert "holds more than 2000 files" in refusal(write(tmp_path, many))
    assert "holds more than 2 files" in refusal(
        write(tmp_path, several), limits=ReadLimits(entries=2)
    )


def test_a_member_beyond_the_limit_of_source(tmp_path):
    random_like = b"".join(b"# %d\n" % (number * 7919) for number in range(150_000))
    text = refusal(write(tmp_path, pack(("a.py", random_like))))
    assert "a.py is too large" in text


def test_an_archive_beyond_its_limit_is_not_read(tmp_path):
    path = tmp_path / "alice.zip"
    with path.open("wb") as file:
        file.truncate(65 << 20)
    assert "alice.zip is too large: 65 MiB" in refusal(path)


def test_a_zip_in_a_zip_is_opened_once(tmp_path):
    inner = pack(("xor.py", GOOD))
    once = pack(("work.zip", inner))
    assert read_submission(write(tmp_path, once)).name == "xor.py"
    assert "is a zip in a zip in a zip" in refusal(write(tmp_path, pack(("w.zip", once))))
    beside = pack(("work.zip", inner), ("own.py", GOOD))
    assert read_submission(write(tmp_path, beside)).name == "own.py"
    two = pack(("a.zip", inner), ("b.zip", inner))
    assert "holds 2 files that could be the work: a.zip and b.zip" in refusal(write(tmp_path, two))


def test_a_folder_with_only_a_zip(tmp_path):
    write(tmp_path, pack(("xor.py", GOOD)))
    read = read_submission(tmp_path)
    assert (read.id, read.name) == (tmp_path.name, "xor.py")


def test_an_archive_without_python_and_an_empty_one(tmp_path):
    assert "alice.zip holds no .py" in refusal(write(tmp_path, pack(("a.txt", b"x"))))
    assert "alice.zip holds no .py" in refusal(write(tmp_path, pack()))


@pytest.mark.parametrize("data", [b"", b"Rar!\x1a\x07", b"PK\x03\x04", pack(("a.py", GOOD))[:-30]])
def test_what_is_no_zip(tmp_path, data):
    assert "alice.zip is no zip archive or is damaged" in refusal(write(tmp_path, data))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_one_name_twice_is_refused(tmp_path):
    text = refusal(write(tmp_path, pack(("a.py", GOOD), ("a.py", b"other = 1"))))
    assert "holds two entries called a.py" in text


@pytest.mark.parametrize(
    ("raw", "name"), [("caf\x82.py".encode("latin-1"), "café.py"), ("café.py".encode(), "café.py")]
)
def test_names_that_do_not_say_their_encoding(tmp_path, raw, name):
    stand_in = "x" * (len(raw) - 3) + ".py"
    data = pack((stand_in, GOOD)).replace(stand_in.encode(), raw)
    assert read_submission(write(tmp_path, data)).name == name


def test_a_directory_of_very_many_entries_is_refused_before_it_is_parsed(monkeypatch):
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(UnreadableSubmission, match="more than 2000 files"):
        candidates_in_zip(b"PK\x01\x02" * 5000, "a.zip", ReadLimits())
