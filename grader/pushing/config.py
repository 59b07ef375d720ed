"""CONFIG: which platform, which column of the people table, how patiently. It holds no secret."""

from __future__ import annotations

import ipaddress
import os
import re
import tomllib
from pathlib import Path
from typing import Annotated, Literal, TypeVar
from urllib.parse import urlsplit

import msgspec

from grader.errors import UsageError
from grader.pushing.hidden import checked_token, read_secret
from grader.pushing.retrying import Patience

_MOST_BYTES = 64 << 10
_Text = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
_Number = Annotated[int, msgspec.Meta(ge=1)]
_SECRETS = ("token", "access_token", "api_key", "key", "private_key", "secret", "client_secret",
            "password")  # fmt: skip


class People(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a person of ours is found on the platform.

    `by` is what of ours tells them apart. Without a roster that is what the platform goes by too;
    with one, its column `roster_by` holds ours and `roster_user` the platform's.
    """

    by: Literal["id", "email", "submission"]
    roster: str = ""
    roster_by: str = ""
    roster_user: str = ""


class CanvasPeople(People, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`canvas` is Canvas' own name for what we know of a student."""

    canvas: Literal["id", "sis_user_id", "login_id", "integration_id"]


class Sending(Patience, frozen=True, forbid_unknown_fields=True):
    """What goes along with the points, and how patiently; seconds."""

    comment: bool = True
    page: bool = True


class LtiPlatform(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A platform's registration of this tool, and the column that the scores belong to."""

    issuer: _Text
    client_id: _Text | int
    token_url: _Text
    line_item: _Text
    key_file: _Text
    key_id: str = ""
    audience: str = ""
    kind: Literal["", "canvas"] = ""
    read_results: bool = True
    allow_http: bool = False


class CanvasPlatform(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A Canvas, and one assignment in it."""

    url: _Text
    course: _Number
    assignment: _Number
    token_file: str = ""
    token_env: str = ""
    allow_http: bool = False


class LtiConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    platform: LtiPlatform
    people: People
    sending: Sending = Sending()


class CanvasConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    platform: CanvasPlatform
    people: CanvasPeople
    sending: Sending = Sending()


_Config = TypeVar("_Config", LtiConfig, CanvasConfig)


def read_lti(path: Path) -> LtiConfig:
    """Raises UsageError that names the key and says what is wrong with it."""
    config = _read(path, LtiConfig)
    platform = config.platform
    for key in ("token_url", "line_item"):
        _check_address(path, f"platform.{key}", getattr(platform, key), platform.allow_http)
    if platform.line_item.count("?") > 1 or "#" in platform.line_item:
        raise _wrong(path, "platform.line_item", "is no address of a line item")
    return config


def read_canvas(path: Path) -> CanvasConfig:
    """Raises UsageError that names the key and says what is wrong with it."""
    config = _read(path, CanvasConfig)
    platform = config.platform
    _check_address(path, "platform.url", platform.url, platform.allow_http)
    if urlsplit(platform.url).path.strip("/") or "?" in platform.url:
        raise _wrong(path, "platform.url", "is more than Canvas' address",
                     'It reads url = "https://canvas.example.edu".')  # fmt: skip
    if bool(platform.token_file) == bool(platform.token_env):
        raise _wrong(path, "platform", "needs token_file or token_env, one of the two",
                     "They name a file, or a variable, that holds the token.")  # fmt: skip
    return config


def canvas_token(path: Path, platform: CanvasPlatform) -> str:
    """The token that the configuration at `path` points to. Raises UsageError."""
    if platform.token_env:
        token = os.environ.get(platform.token_env, "").strip()
        return checked_token(token, f"the variable {platform.token_env}")
    file = beside(path, platform.token_file)
    return checked_token(read_secret(file, "Canvas' token"), str(file))


def beside(path: Path, name: str) -> Path:
    """A file that a configuration names: relative to where the configuration lies."""
    return path.parent / Path(name).expanduser()


def is_allowed(url: str, allow_http: bool) -> str:
    """Empty where a secret may travel to this address, else why it may not."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return "is no address"
    if parts.scheme not in ("http", "https") or not host:
        return "is no address: it begins with https://"
    if parts.username is not None or parts.password is not None:
        return "has a user or a password in it"
    if parts.scheme == "http" and not allow_http and not _is_loopback(host):
        return "is plain http, which others can read along"
    return ""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check_address(path: Path, key: str, url: str, allow_http: bool) -> None:
    why = is_allowed(url, allow_http)
    if why:
        hint = "allow_http = true allows it." if "plain http" in why else ""
        raise _wrong(path, key, why, hint)


def _read(path: Path, kind: type[_Config]) -> _Config:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"{path} is too large for a configuration")
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    try:
        config = msgspec.convert(tomllib.loads(data.decode("utf-8-sig")), kind)
    except msgspec.ValidationError as error:
        raise _said(path, str(error)) from None
    except ValueError as error:  # no TOML, or no UTF-8: neither quotes what it stumbled over
        why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise UsageError(f"{path} is no TOML: {why}") from None
    people = config.people
    named = (people.roster, people.roster_by, people.roster_user)
    if any(named) and not all(named):
        raise _wrong(path, "people", "names a roster in part",
                     "roster, roster_by and roster_user go together.")  # fmt: skip
    return config


def _said(path: Path, text: str) -> UsageError:
    """msgspec's word about a key, in ours."""
    place = re.search(r" - at `\$\.?([^`]*)`", text)
    key = place[1] if place else ""
    text = text[: place.start()] if place else text
    missing = re.fullmatch(r"Object missing required field `(\w+)`", text)
    unknown = re.fullmatch(r"Object contains unknown field `(.+)`", text)
    if missing:
        return _wrong(path, f"{key}.{missing[1]}".strip("."), "is missing")
    if unknown:
        hint = ""
        if unknown[1].casefold() in _SECRETS:
            hint = "No secret stands here: write it to a file of its own, and name that file."
        return _wrong(path, f"{key}.{unknown[1]}".strip("."), "is no key that is known here", hint)
    return _wrong(path, key or "it", f"{text[:1].lower()}{text[1:]}")


def _wrong(path: Path, key: str, why: str, hint: str = "") -> UsageError:
    return UsageError(f"{path}: {key} {why}", hint)
