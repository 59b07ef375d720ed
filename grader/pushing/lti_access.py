"""Our standing with an LTI platform: the tool's key, and the tokens that it is exchanged for.

`pylti1p3next` signs and asks. What it leaves out is done here: keeping tokens, forgetting one that
the platform no longer takes, and saying what went wrong without the answer's whole body.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)
from pylti1p3.exception import LtiException
from pylti1p3.registration import Registration
from pylti1p3.service_connector import ServiceConnector

from grader.errors import UsageError
from grader.pushing.config import LtiConfig, beside
from grader.pushing.faults import Hopeless, NotTaken, Refused, Unclear, sensible
from grader.pushing.hidden import Hidden, checked_token, read_secret
from grader.pushing.retrying import Clock
from grader.pushing.session import GuardedSession

_MARGIN = 30.0  # seconds before its end at which a token is no longer used
_LEAST_BITS = 2048


class Connector(ServiceConnector):
    """The library's connector with a place to keep tokens, and faults of ours."""

    def __init__(
        self, registration: Registration, session: GuardedSession, clock: Clock, hidden: Hidden
    ) -> None:
        super().__init__(registration, session)
        self._clock = clock
        self._hidden = hidden
        self._tokens: dict[str, tuple[str, float]] = {}

    def forget_tokens(self) -> None:
        self._tokens.clear()

    def get_access_token(self, scopes: Any) -> str:
        """Raises NotTaken where none is given now, Hopeless where none ever will be."""
        try:
            with sensible("the token", LtiException):
                return super().get_access_token(scopes)
        except Refused as fault:
            raise Hopeless(
                f"the platform gives no token: {fault}",
                "Are client_id, key_file and token_url those of this tool's registration?",
            ) from None
        except Unclear as fault:  # no token, so nothing was sent
            raise NotTaken(f"no token: {fault}", fault.status, fault.asked) from None

    def _get_cached_access_token(self, scope_key: str) -> str | None:
        token, until = self._tokens.get(scope_key, ("", 0.0))
        return token if token and self._clock.time() < until else None

    def _cache_access_token(self, scope_key: str, access_token: str, expires_in: float) -> None:
        if not isinstance(access_token, str):
            raise Hopeless("the platform's token is no text")
        checked_token(access_token, "the platform's answer")
        self._hidden.add(access_token)
        try:
            lasts = float(expires_in or math.inf)
        except (TypeError, ValueError):
            lasts = math.inf
        self._tokens[scope_key] = (
            access_token,
            self._clock.time() + max(lasts - _MARGIN, lasts / 2),
        )


class Key(msgspec.Struct, frozen=True):
    """The tool's key pair: the private half as an object, which prints as none of its numbers."""

    private: RSAPrivateKey
    public_pem: str


class _Registration(Registration):
    """With the key itself, read once, and with its name where the platform gave it another."""

    def __init__(self, key: Key, key_id: str) -> None:
        self._private = key.private
        self._key_id = key_id
        self.set_tool_public_key(key.public_pem)

    def get_tool_private_key(self) -> Any:
        return self._private

    def get_kid(self) -> str | None:
        return self._key_id or super().get_kid()


def read_key(path: Path, config: LtiConfig) -> Key:
    """The key that the configuration at `path` names. Raises UsageError, which never quotes it."""
    file = beside(path, config.platform.key_file)
    text = read_secret(file, "the private key")
    try:
        # It is our own: whether its primes are prime takes longer to find out than all the rest.
        key = load_pem_private_key(
            text.encode(), password=None, unsafe_skip_rsa_key_validation=True
        )
    except TypeError:
        raise UsageError(f"{file} is locked with a password", "Give a key without one.") from None
    except (ValueError, UnsupportedAlgorithm):
        raise UsageError(
            f"{file} holds no private key", "It is PEM: -----BEGIN PRIVATE KEY-----."
        ) from None
    if not isinstance(key, RSAPrivateKey) or key.key_size < _LEAST_BITS:
        raise UsageError(f"{file}: LTI 1.3 signs with RSA keys of {_LEAST_BITS} bits or more")
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return Key(key, public.decode())


def registration(config: LtiConfig, key: Key) -> Registration:
    """What the platform knows of this tool."""
    platform = config.platform
    made = _Registration(key, platform.key_id)
    made.set_issuer(platform.issuer).set_client_id(str(platform.client_id))
    made.set_auth_token_url(platform.token_url)
    if platform.audience:
        made.set_auth_audience(platform.audience)
    return made
