"""From what the command line says, `local:N` or a scheduler's address, to a connected client."""

# mypy: allow-untyped-calls
# (half of distributed is without types)

from __future__ import annotations

import contextlib
import logging
import re
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

from grader.errors import UsageError

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local:"
CONNECT_SECONDS = 5.0
_MOST_LOCAL = 256
_SECRETS = "https://distributed.dask.org/en/stable/tls.html"


@contextlib.contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of the scheduler at `address`, or of N workers started here for `local:N`.

    Raises UsageError where distributed is not installed, or nothing answers within seconds.
    """
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise UsageError(
            "--cluster needs the package distributed, which is not installed",
            "pip install 'autograd-grader[cluster]'",
        ) from None
    # What becomes of workers is said by the roll, once and in words.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    opened = _local(_count(address)) if address.startswith(LOCAL) else _remote(address)
    with opened as client:
        yield client


@contextlib.contextmanager
def _local(count: int) -> Iterator[Client]:
    """Scheduler and workers on this machine; the secret of their connections lies in memory only.

    Without one, whoever else is logged in here could have them run anything, as this user.
    """
    from distributed import Client, LocalCluster, Security

    try:
        security = Security.temporary()
    except ImportError:
        raise UsageError(
            "--cluster local:N needs the package cryptography, which is not installed",
            "pip install cryptography",
        ) from None
    with (
        tempfile.TemporaryDirectory(prefix="grader-cluster-") as scratch,
        LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            local_directory=scratch,
            security=security,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@contextlib.contextmanager
def _remote(address: str) -> Iterator[Client]:
    import dask
    from distributed import Client, Security

    security = None
    if address.startswith("tls://"):
        security = Security()  # dask's own configuration, files or environment
        if not dask.config.get("distributed.comm.tls.ca-file", None):
            raise UsageError(
                f"{address} asks for TLS, and dask's configuration names no certificates",
                f"Set distributed.comm.tls.ca-file, .client.cert and .client.key ({_SECRETS}).",
            )
    try:
        client = Client(address, security=security, timeout=CONNECT_SECONDS, set_as_default=False)
    except OSError as error:
        raise UsageError(
            f"no scheduler answers at {address} within {CONNECT_SECONDS:g} s ({_reason(error)})",
            "Is it running there, and is it dask's scheduler of the same version?",
        ) from None
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"{address} is no address of a scheduler ({error})",
            "It looks like tcp://HOST:8786 or tls://HOST:8786; local:N starts N workers here.",
        ) from None
    with client:
        yield client


def _count(address: str) -> int:
    found = re.fullmatch(r"local:([0-9]{1,3})", address)
    count = int(found[1]) if found else 0
    if not 1 <= count <= _MOST_LOCAL:
        raise UsageError(
            f"{address} is no number of workers", f"Say local:2, or up to local:{_MOST_LOCAL}."
        )
    return count


def _reason(error: BaseException) -> str:
    """The innermost cause, in a line."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = str(error).strip().splitlines()
    return text[0] if text else type(error).__name__
