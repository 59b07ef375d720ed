"""OUT/reports/<id>.html: each student's page, made from the store alone.

The lines of a submission and the data of its pictures are kept in the store, so that a page can
be made anew when its files lie elsewhere by then. Pages that are as they would be made now are
left alone.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import grader
from grader.assignment import Assignment
from grader.classroom.store import Store
from grader.errors import GraderFailed
from grader.misconceptions.catalogue import Misconception, general, load_catalogue, merged
from grader.report.files import write_atomically
from grader.report.pictures.records import Picture
from grader.submission import Cell

if TYPE_CHECKING:
    from grader.report.page import PageKit

PARTS = "page"  # beside "grade" in what a child answers; it goes no further than the store
WORDS = "misconceptions"
_MARK = b"<!-- made of "
_MARK_BYTES = len(_MARK) + 64 + len(b" -->\n")
_MOST_BYTES = 64 << 20


class Parts(msgspec.Struct, frozen=True):
    """What a page is made from, besides the document."""

    cells: tuple[Cell, ...] = ()
    pictures: dict[str, tuple[Picture, ...]] = {}


def with_parts(
    document: dict[str, Any], cells: Sequence[Cell], pictures: Mapping[str, tuple[Picture, ...]]
) -> dict[str, Any]:
    """The document and its page's parts, packed, for the way from a child to the store."""
    parts = Parts(tuple(cells), dict(pictures))
    return {**document, PARTS: zlib.compress(msgspec.msgpack.encode(parts), 1)}


def take_parts(document: dict[str, Any]) -> bytes:
    """Take the parts out of what a child answered."""
    packed: bytes = document.pop(PARTS, b"")
    return packed


def note_words(store: Store, assignment: Assignment) -> None:
    """Keep what the assignment says of its own mistakes."""
    own = assignment.path / "misconceptions.toml"
    words = load_catalogue(own) if own.is_file() else {}
    store.note(WORDS, msgspec.json.encode(words).decode())


class Pages:
    """Writes pages. What serves all of them is made with the first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._failures: list[str] = []

    def write(self, name: str, document: dict[str, Any], data: bytes) -> None:
        """OUT/reports/<id>.html of a document; `data` is the document's bytes."""
        file = page_file(self._store, name)
        packed = self._store.page_parts(name)
        made_of = hashlib.sha256(self._state + data + packed).hexdigest()
        mark = _MARK + made_of.encode() + b" -->\n"
        if _ends_with(file, mark):
            return
        try:
            page = self._page(document, packed)
        except Exception as error:
            # The class goes on: what is graded is worth more than a page.
            self._failures.append(f"{name} ({type(error).__name__}: {error})")
            file.unlink(missing_ok=True)
            return
        write_atomically(file, page.encode() + mark)

    def done(self) -> None:
        """After the last page. Raises GraderFailed where some could not be made."""
        if self._failures:
            more = f", and {len(self._failures) - 1} more" if len(self._failures) > 1 else ""
            raise GraderFailed(
                f"a page could not be made: {self._failures[0]}{more}",
                "All results are stored, and the JSON reports are written.",
            )

    def _page(self, document: dict[str, Any], packed: bytes) -> str:
        from grader.report.page import seen_document, student_page

        parts = Parts()
        if packed:
            unpacked = zlib.decompressobj().decompress(packed, _MOST_BYTES)
            parts = msgspec.msgpack.decode(unpacked, type=Parts)
        seen = seen_document(document, self._words)
        return student_page(seen, parts.cells, pictures=parts.pictures, kit=self._kit)

    @functools.cached_property
    def _kit(self) -> PageKit:
        from grader.report.page import PageKit

        return PageKit()

    @functools.cached_property
    def _words(self) -> dict[str, Misconception]:
        noted = self._store.noted(WORDS)
        own = msgspec.json.decode(noted, type=dict[str, Misconception]) if noted else {}
        return merged(general(), own)

    @functools.cached_property
    def _state(self) -> bytes:
        """Of what makes a page, besides its document: code, templates, words, matplotlib or not."""
        digest = hashlib.sha256(f"{grader.__version__}\0{self._store.noted(WORDS)}".encode())
        report = Path(grader.__file__).parent / "report"
        for folder in ("page", "pictures", "style"):
            for file in sorted((report / folder).rglob("*.*")):
                if file.suffix in (".py", ".html", ".css"):
                    digest.update(file.read_bytes())
        digest.update(b"drawn" if _can_draw() else b"")
        return digest.digest()


def page_file(store: Store, name: str) -> Path:
    return store.path / "reports" / f"{name}.html"


def _can_draw() -> bool:
    return importlib.util.find_spec("matplotlib") is not None


def _ends_with(file: Path, mark: bytes) -> bool:
    try:
        with file.open("rb") as opened:
            opened.seek(-_MARK_BYTES, 2)
            return opened.read() == mark
    except OSError:
        return False
