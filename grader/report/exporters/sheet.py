"""A table that an LMS gave, kept as it was in encoding, separator and line ends."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

import msgspec

from grader.errors import UsageError
from grader.people import folded

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_MOST_BYTES = 64 << 20


class Sheet(msgspec.Struct, frozen=True):
    """Header, rows, and how they were written."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    encoding: str = "utf-8"
    delimiter: str = ","
    ends: str = "\n"

    def column(self, *names: str) -> int | None:
        """The place of the first column called so, no matter which capitals."""
        places = {folded(cell): place for place, cell in reversed(list(enumerate(self.header)))}
        return next((places[folded(name)] for name in names if folded(name) in places), None)

    def cell(self, row: int, column: int | None) -> str:
        """A cell without surrounding blanks; nothing where the row is short."""
        cells = self.rows[row]
        if column is None or column >= len(cells):
            return ""
        return cells[column].strip()

    def written(self, rows: Iterable[Sequence[str]], *, quote_all: bool = False) -> bytes:
        """`rows` as this sheet was written."""
        out = io.StringIO(newline="")
        for row in rows:
            # A lone carriage return is not quoted by the writer, and ends a line for the reader.
            every = quote_all or any("\r" in cell for cell in row)
            writer = csv.writer(
                out,
                delimiter=self.delimiter,
                lineterminator=self.ends,
                quoting=csv.QUOTE_ALL if every else csv.QUOTE_MINIMAL,
            )
            writer.writerow(row)
        return out.getvalue().encode(self.encoding, "replace")


def read_sheet(data: bytes, what: str) -> Sheet:
    """A CSV or tab-separated file as LMSs write them. Raises UsageError for anything else."""
    if len(data) > _MOST_BYTES:
        raise UsageError(f"the {what} is too large")
    encoding = "utf-8"
    if data.startswith(b"\xef\xbb\xbf"):
        encoding = "utf-8-sig"
    elif data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise UsageError(
            f"the {what} is not UTF-8", "Give the file as the LMS exported it, not as saved again."
        ) from None
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise UsageError(f"the {what} is no CSV: {error}") from None
    rows = [row for row in rows if row]
    if not rows:
        raise UsageError(f"the {what} is empty")
    ends = "\r\n" if "\r\n" in text else "\n"
    return Sheet(tuple(rows[0]), tuple(map(tuple, rows[1:])), encoding, delimiter, ends)


def new_sheet(rows: Iterable[Sequence[str]]) -> bytes:
    """A CSV of our own."""
    return Sheet((), ()).written(rows)


def safe(text: str) -> str:
    """Text that a spreadsheet does not take for a formula. Numbers stay as they are."""
    if text.lstrip(" ").startswith(_FORMULA) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def bare(text: str) -> str:
    """Text without the sign that `safe` puts before a formula, or Brightspace before an id."""
    text = text.lstrip()
    if text.startswith("'") and text[1:].lstrip(" ").startswith(_FORMULA):
        text = text[1:]
    return text.strip().removeprefix("#").strip()
