"""Downloads that mean harm, or are damaged."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lms_class import CLASS
from lms_marks import FEW

from grader.classroom.intake import opened_class
from grader.errors import GraderError, UsageError
from grader.people import Roster

PIECES = st.sampled_from(
    ["_assignsubmission_file", "_attempt_2026-10-01-23-58-07", "_LATE", "_12_34_", "anon_a1_2_",
     " - Oct 1, 2026 1158 PM", "1-2 - ", "submission_1", "..", "hw1.py", "_", "-1", "\u202e", "é",
     "x" * 120, "=", " ", "a", "9" * 40, "submission_metadata.yml", "-submissions", "\n"]
)  # fmt: skip
PATHS = st.lists(st.lists(PIECES, min_size=1, max_size=5).map("".join), min_size=1, max_size=3)


@FEW
@given(st.lists(PATHS.map("/".join), min_size=1, max_size=8, unique=True))
def test_a_hostile_zip_is_read_or_refused_and_loses_nothing(tmp_path_factory, paths):
    source = tmp_path_factory.mktemp("zip") / "class.zip"
    with zipfile.ZipFile(source, "w") as archive:
        for path in paths:
            archive.writestr(path, "x: 1")
    _taken(source, len(paths))


@FEW
@given(st.binary(max_size=400), st.integers(0, 600), st.integers(0, 255))
def test_a_damaged_zip_is_read_or_refused(tmp_path_factory, tail, place, byte):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for student in CLASS[:3]:
            archive.writestr(f"{student.login}.py", b"x = 1\n" * 50)
    data = bytearray(packed.getvalue())
    data[place % len(data)] = byte
    source = tmp_path_factory.mktemp("zip") / "class.zip"
    source.write_bytes(bytes(data) + tail)
    _taken(source, 0)


@FEW
@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode()))
def test_hostile_metadata_is_read_or_refused(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("export")
    (folder / "submission_1").mkdir()
    (folder / "submission_1" / "hw1.py").write_text("x = 1")
    (folder / "submission_metadata.yml").write_bytes(data)
    _taken(folder, 1)


def _taken(source, least):
    private = None
    try:
        with opened_class(source, "auto", Roster()) as intake:
            assert intake.entries
            ids = [entry.id for entry in intake.entries]
            assert len(set(ids)) == len(ids)
            for entry in intake.entries:
                assert "/" not in entry.id
                assert entry.path.exists()
                private = entry.path
    except GraderError as error:
        assert str(error)
    if private is not None and source.is_file():
        assert not private.exists()


@pytest.mark.parametrize("flag", [0x1])
def test_an_encrypted_zip_is_refused(tmp_path, flag):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.py", b"x = 1")
    data = bytearray(packed.getvalue())
    data[6] |= flag
    data[data.index(b"PK\x01\x02") + 8] |= flag
    source = tmp_path / "class.zip"
    source.write_bytes(data)
    with pytest.raises(UsageError, match="encrypted"), opened_class(source):
        pass


def test_names_in_another_encoding_and_litter(tmp_path):
    source = tmp_path / "class.zip"
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("__MACOSX/._a.py", b"x")
        archive.writestr(".DS_Store", b"x")
        archive.writestr("Thumbs.db", b"x")
        archive.writestr("Zoe_1_assignsubmission_file_hw1.py", b"x = 1")
    data = source.read_bytes().replace(b"Zoe_", b"Zo\x89_")  # cp437 for an e with diaeresis
    source.write_bytes(data)
    with opened_class(source) as intake:
        assert [entry.id for entry in intake.entries] == ["Zoë_1"]
        assert intake.left_over == ()


def test_a_link_in_a_folder_is_listed_and_not_followed(tmp_path):
    folder = tmp_path / "download"
    folder.mkdir()
    (tmp_path / "secret.py").write_text("secret")
    (folder / "ada_1_2_hw1.py").write_text("x = 1")
    (folder / "bob_3_4_hw1.py").symlink_to(tmp_path / "secret.py")
    with opened_class(folder, "canvas") as intake:
        assert any("link" in why for _, why in intake.left_over)
        contents = [f.read_text() for e in intake.entries for f in e.path.iterdir()]
        assert contents == ["x = 1"]
