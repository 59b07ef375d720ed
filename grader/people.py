"""Who handed something in, and the teacher's own list of who is who."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from grader.errors import UsageError

_MOST_BYTES = 16 << 20
_IDS = (
    "id", "studentid", "sid", "sisuserid", "orgdefinedid", "idnumber", "identifier", "sisloginid",
    "username", "userid", "login", "studentnumber",
)  # fmt: skip
_NAMES = ("name", "fullname", "studentname", "student")
_EMAILS = ("email", "emailaddress", "mail")
_ALIASES = ("githubusername", "github", "anonymousid", "anonid", "participant")
_GROUPS = ("group", "groupname", "team", "teamname")
_NUMBERED = re.compile(r"\D+ (\d+)")  # Moodle's "Participant 123", in any language


class Person(msgspec.Struct, frozen=True):
    """One student as far as the source knows them. `id` is the source's own for them."""

    id: str = ""
    name: str = ""
    email: str = ""

    @property
    def shown(self) -> str:
        """How a list names them."""
        return self.name or self.email or self.id


class Member(msgspec.Struct, frozen=True):
    """A line of a roster: the person, and everything else that may stand for them."""

    person: Person
    keys: frozenset[str]
    group: str = ""
    late: bool = False


class Roster:
    """Who is who, by any id, user name, address, full name or group."""

    def __init__(self, members: Iterable[Member] = ()) -> None:
        self.members = tuple(members)
        self._by_key: dict[str, set[int]] = {}
        self._groups: dict[str, list[Member]] = {}
        for place, member in enumerate(self.members):
            for key in member.keys:
                self._by_key.setdefault(key, set()).add(place)
            if member.group:
                self._groups.setdefault(squashed(member.group), []).append(member)

    def find(self, *keys: str) -> Member | None:
        """The one line that the first of `keys` with any line points to; None for several."""
        for key in keys:
            places = self._by_key.get(folded(key), set()) if key else set()
            if places:
                return self.members[min(places)] if len(places) == 1 else None
        return None

    def group(self, name: str) -> tuple[Member, ...]:
        """The members of a group. Signs that a download leaves out make no difference."""
        return tuple(self._groups.get(squashed(name), ())) if name else ()


def folded(text: str) -> str:
    """For comparing: no matter which capitals, composed accents or blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def squashed(text: str) -> str:
    """Letters and digits alone, for comparing with names out of which a download took the rest."""
    return re.sub(r"[\W_]", "", folded(text))


def read_roster(path: Path) -> Roster:
    """A CSV with a header: any of id, name, email, github_username, group and their variants.

    Raises UsageError for what cannot be read, or has no column that tells anybody apart.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"{path} is too large for a roster")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8", "Save it as CSV in UTF-8.") from None
    return roster_from(text, str(path))


def roster_from(text: str, where: str = "the roster") -> Roster:
    """As `read_roster`, from the text of the file."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline="")))
    except csv.Error as error:
        raise UsageError(f"{where} is no CSV: {error}") from None
    header = [re.sub(r"[\W_]", "", cell).casefold() for cell in rows[0]] if rows else []
    if not {*_IDS, *_NAMES, *_EMAILS, *_ALIASES} & set(header):
        raise UsageError(
            f"{where} has no column that says who is who",
            "Its first line names the columns: id, name, email, github_username, group.",
        )
    return Roster(_member(header, row) for row in rows[1:] if any(cell.strip() for cell in row))


def _member(header: Sequence[str], row: Sequence[str]) -> Member:
    cells: dict[str, str] = {}
    for name, cell in zip(header, row, strict=False):
        cells.setdefault(name, cell.strip())
    ids = [cells[name] for name in _IDS if cells.get(name)]
    numbered = _NUMBERED.fullmatch(cells.get("identifier", ""))
    if numbered is not None:
        ids.insert(0, numbered[1])
    name = _first(cells, _NAMES)
    if not name and (cells.get("firstname") or cells.get("lastname")):
        name = f"{cells.get('firstname', '')} {cells.get('lastname', '')}".strip()
    email = _first(cells, _EMAILS)
    aliases = [cells[alias] for alias in _ALIASES if cells.get(alias)]
    late = cells.get("late", "").casefold() in ("1", "yes", "true", "late", "x")
    # The Status of a Moodle worksheet says it in words.
    late = late or bool(re.search(r"\blate\b", cells.get("status", "").casefold()))
    keys = frozenset(folded(key) for key in (*ids, *aliases, email, name) if key)
    person = Person(ids[0] if ids else "", name, email)
    return Member(person, keys, _first(cells, _GROUPS), late)


def _first(cells: dict[str, str], names: Sequence[str]) -> str:
    return next((cells[name] for name in names if cells.get(name)), "")
