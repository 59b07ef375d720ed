"""Ids of submissions: what a file or folder is called, made unique and fit for a file name."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

_SUFFIXES = (".py", ".ipynb", ".zip")
_LONGEST = 100
_UNFIT = re.compile(r"[/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]|\A\.")


def submission_id(path: str | os.PathLike[str]) -> str:
    """A file's name without .py, .ipynb or .zip; a folder's name as it is."""
    place = Path(os.path.abspath(path)) if "\0" not in os.fspath(path) else Path(path)
    if place.suffix.lower() in _SUFFIXES and not _is_folder(place):
        return place.stem
    return place.name or "submission"


def unique_ids(paths: Iterable[str | os.PathLike[str]]) -> dict[Path, str]:
    """An id for every path: no two alike in any case or normal form, each fit for a file name.

    An id that clashes, is longer than 100 bytes or is unfit gets `-` and the first 8 hex digits
    of a sha256: of the file's name, or of its place below the common folder where names are the
    same too. The order of `paths` makes no difference.
    """
    places = list(dict.fromkeys(Path(path) for path in paths))
    plain = {place: submission_id(place) for place in places}
    ids = {place: name for place, name in plain.items() if _fit(name)}
    seeds = _seeds(places)
    marked = {place: 8 for place in places if place not in ids}
    # A name may be chosen to equal the marked id of another, so marked ones are compared again.
    while True:
        for place, digits in marked.items():
            ids[place] = _marked(plain[place], seeds[place], digits)
        counts = Counter(_key(name) for name in ids.values())
        clashing = [place for place in places if counts[_key(ids[place])] > 1]
        if not clashing:
            return {place: ids[place] for place in places}
        for place in clashing:
            marked[place] = marked.get(place, 0) + 8


def _seeds(places: list[Path]) -> dict[Path, bytes]:
    """What is hashed: the file's name as long as that tells the submissions apart."""
    names = Counter(place.name for place in places)
    if all(count == 1 for count in names.values()):
        return {place: _bytes(place.name) for place in places}
    full = {place: os.path.abspath(place) for place in places}
    common = os.path.commonpath([os.path.dirname(text) for text in full.values()])
    below = {place: Path(os.path.relpath(full[place], common)).as_posix() for place in places}
    same = Counter(below.values())
    seeds = {}
    for place in places:
        if names[place.name] == 1:
            seed = place.name
        elif same[below[place]] == 1:
            seed = below[place]
        else:
            seed = str(place)
        seeds[place] = _bytes(seed)
    return seeds


def _bytes(name: str) -> bytes:
    # Names that the system could not decode come as lone surrogates.
    return name.encode(errors="surrogatepass")


def _fit(name: str) -> bool:
    return not _UNFIT.search(name) and len(name.encode()) <= _LONGEST


def _marked(name: str, seed: bytes, digits: int) -> str:
    mark = "-" + hashlib.sha256(seed).hexdigest()[:digits]
    clean = _UNFIT.sub("_", name).encode()[: _LONGEST - len(mark)].decode(errors="ignore")
    return clean + mark


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _is_folder(place: Path) -> bool:
    try:
        return place.is_dir()
    except (OSError, ValueError):
        return False
