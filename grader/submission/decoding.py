"""From bytes to text: UTF-8, or what a coding line says, with a place named where it fails."""

from __future__ import annotations

import codecs
import re

from grader.errors import UnreadableSubmission
from grader.submission.records import shown

# PEP 263: the first two lines, the second only after a line that holds nothing but a comment.
_COOKIE = re.compile(
    rb"\A(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)"
)
_TABLES = re.compile(
    r"ascii|utf-8(-sig)?|iso8859-[0-9]+|cp[0-9]{3,4}|koi8-[rtu]|mac-(roman|latin2|cyrillic|greek)"
    r"|gb2312|gbk|gb18030|big5|shift_jis|euc_(jp|kr|jis_2004)|euc_kr"
)
_SAVE_AGAIN = "Save it again as UTF-8."


def decode(data: bytes, name: str, *, python: bool) -> str:
    """The text of a file, with newline line ends and without a byte order mark.

    `python` honours a coding line (PEP 263). Raises UnreadableSubmission with byte and line.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnreadableSubmission(f"{shown(name)} is not UTF-8 but UTF-16", _SAVE_AGAIN)
    if data.startswith(b"PK\x03\x04"):
        raise UnreadableSubmission(f"{shown(name)} is a zip archive", "Let its name end in .zip.")
    encoding = "utf-8"
    marked = data.startswith(codecs.BOM_UTF8)
    data = data.removeprefix(codecs.BOM_UTF8)
    if python and not marked:
        encoding = _declared(data, name)
    if (place := data.find(b"\0")) >= 0:
        raise UnreadableSubmission(
            f"{shown(name)} is no text: line {_line(data, place)} has a NUL byte", _SAVE_AGAIN
        )
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        place = error.start
        raise UnreadableSubmission(
            f"{shown(name)} is not {encoding.upper()}: line {_line(data, place)} has the byte "
            f"0x{data[place]:02x} (byte {place} of the file)",
            _SAVE_AGAIN,
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _declared(data: bytes, name: str) -> str:
    found = _COOKIE.match(data[:4096])
    if not found:
        return "utf-8"
    said = found[1].decode("ascii", "replace")
    try:
        known = codecs.lookup(said).name
    except (LookupError, ValueError):
        known = ""
    # Python knows encodings that are no tables, some of them slow on purpose-made input.
    if not _TABLES.fullmatch(known):
        raise UnreadableSubmission(
            f"{shown(name)} says that its encoding is {shown(said)}, which is unknown", _SAVE_AGAIN
        )
    return known


def _line(data: bytes, place: int) -> int:
    before = data[:place]
    return before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
