"""A platform on loopback that fails where it is told to, in the ways in which platforms fail."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Asked:
    """One request, as it arrived."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes

    @property
    def fields(self):
        return parse_qsl(self.body.decode(), keep_blank_values=True)

    @property
    def arguments(self):
        return parse_qsl(self.query, keep_blank_values=True)


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def data(self):
        if self.body is None:
            return b""
        return self.body.encode() if isinstance(self.body, str) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Strike:
    """What happens instead of an honest answer.

    `taken`: the platform does what was asked before it fails. `cut`: the connection ends without
    an answer. `slow`: seconds before one. `kill`: our own process dies (kill -9) at that moment.
    """

    answer: Answer | None = None
    taken: bool = False
    cut: bool = False
    slow: float = 0.0
    kill: bool = False


CUT_BEFORE, CUT_AFTER = Strike(cut=True), Strike(cut=True, taken=True)
DOWN, DOWN_AFTER = Strike(Answer(500, "oops")), Strike(Answer(502, "<p>gateway</p>"), taken=True)
KILL_BEFORE, KILL_AFTER = Strike(cut=True, kill=True), Strike(cut=True, kill=True, taken=True)
LIMITED = Strike(Answer(429, "slow down", {"Retry-After": "2"}))


class Fake:
    """`strikes` by the number of the request (from 0); `script` by a pattern of its path, in order.

    Everything that arrives stands in `asked`.
    """

    def __init__(self):
        self.asked: list[Asked] = []
        self.strikes: dict[int, Strike] = {}
        self.script: list[tuple[str, Strike]] = []
        self.always: dict[str, Strike] = {}
        self.victim = 0
        self.reached = threading.Event()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.fake = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.005,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def answer(self, asked: Asked) -> Answer:
        raise NotImplementedError

    def paths(self, pattern=""):
        return [f"{a.method} {a.path}" for a in self.asked if re.search(pattern, a.path)]

    def _strike(self, asked):
        number = len(self.asked)
        self.asked.append(asked)
        if number in self.strikes:
            return self.strikes[number]
        for place, (pattern, strike) in enumerate(self.script):
            if re.search(pattern, f"{asked.method} {asked.path}"):
                del self.script[place]
                return strike
        for pattern, strike in self.always.items():
            if re.search(pattern, f"{asked.method} {asked.path}"):
                return strike
        return None

    def handle(self, asked):
        """An answer, or None for none at all."""
        with self._lock:
            strike = self._strike(asked)
            answer = self.answer(asked) if strike is None or strike.taken else None
        if strike is None:
            return answer
        if strike.kill:
            if self.victim:
                os.kill(self.victim, signal.SIGKILL)
            self.reached.set()
        if strike.slow:
            time.sleep(strike.slow)
        return None if strike.cut else strike.answer or answer


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass  # who asked is gone


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet an answer

    def _do(self):
        length = int(self.headers.get("Content-Length") or 0)
        parts = urlsplit(self.path)
        asked = Asked(
            self.command, parts.path, parts.query, dict(self.headers), self.rfile.read(length)
        )
        answer = self.server.fake.handle(asked)
        if answer is None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.data)))
        self.end_headers()
        self.wfile.write(answer.data)

    do_GET = do_POST = do_PUT = _do

    def log_message(self, format, *args):  # noqa: A002
        pass
