"""The server side of the provider of the tests: one thread a request, one line of the ledger each."""

import fcntl
import json
import os
import socket
import struct
import sys
import termios
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from provider_modes import Reply, reads, reply

DRIP_SECONDS = 0.05


class State:
    """What all requests share: the modes, the ledger, and what hangs."""

    def __init__(self, ledger: Path, mode: str) -> None:
        self.turn = threading.Condition()
        self.elsewhere = ""
        self._mode, self._next = mode, deque[str]()
        self._ledger = os.open(ledger, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._seen = ledger.read_bytes().count(b"\n")
        self.releases = 0

    def obey(self, order: dict[str, Any]) -> None:
        for mode in [order["mode"]] if "mode" in order else order.get("modes", ()):
            reply(mode, b"", "")  # an unknown one fails here, and so in the test
        with self.turn:
            if order["do"] == "mode":
                self._mode = order["mode"]
            elif order["do"] == "queue":
                self._next.extend(order["modes"])
            elif order["do"] == "release":
                self.releases += 1
                self.turn.notify_all()
            elif order["do"] == "wait":
                self.turn.wait_for(lambda: self._seen > order["seen"], order["timeout"])

    def next_mode(self) -> str:
        with self.turn:
            return self._next.popleft() if self._next else self._mode

    def write(self, **entry: object) -> int:
        """Add a line; returns how often was released before it, so that a release after it is never missed."""
        with self.turn:
            self._seen += 1
            os.write(self._ledger, json.dumps({"id": self._seen, "at": time.time()} | entry).encode() + b"\n")
            self.turn.notify_all()
            return self.releases


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, state: State) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.state = state

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # clients are killed here all the time
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        models = json.dumps({"object": "list", "data": [{"id": "test", "object": "model"}]}).encode()
        self._play(Reply(200 if self.path == "/v1/models" else 404, (), [models]), released=0)

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length", 0))
        if self.path == "/control":
            self.server.state.obey(json.loads(self.rfile.read(size)))
            return self._play(Reply(204), released=0)
        mode = self.server.state.next_mode()
        body = self.rfile.read(int(size * reads(mode)))
        made = reply(mode, body, self.server.state.elsewhere)
        self._play(made, released=self._note(mode, made, body, whole=len(body) == size))

    def _note(self, mode: str, made: Reply, body: bytes, *, whole: bool) -> int:
        headers = {name.lower(): value for name, value in self.headers.items()}
        text = body.decode("utf-8", "replace")
        return self.server.state.write(
            path=self.path,
            port=self.server.server_port,
            headers=headers,
            body=text,
            json=_parsed(text),
            whole=whole,
            mode=mode,
            status=made.status,
            bill=whole and made.billed,
        )

    def _play(self, made: Reply, *, released: int) -> None:
        time.sleep(made.wait)
        if made.hang_at == -1:
            self._hang(released)
        if made.status is not None:
            self._head(made)
            self._pieces(made, released)
        if made.drips:
            self._drip(made.drips)
        if made.end == "silence":
            self.connection.recv(1)  # until the client goes
        if made.end == "reset":
            self._reset()
        self.close_connection = (
            self.close_connection or made.status is None or made.end != "whole" or made.framing == "close"
        )

    def _head(self, made: Reply) -> None:
        assert made.status is not None
        for status in made.interim:
            self.send_response_only(status)
            self.send_header("Link", "</style.css>; rel=preload")
            self.end_headers()
        self.send_response(made.status)
        for name, value in made.headers:
            self.send_header(name, value)
        if made.framing == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
        elif made.framing == "length" and made.status != 204:
            missing = 1000 if made.end == "cut" else 0
            self.send_header("Content-Length", str(sum(map(len, made.pieces)) + missing))
        self.end_headers()

    def _pieces(self, made: Reply, released: int) -> None:
        for index, piece in enumerate(made.pieces):
            if made.hang_at == index:
                self._hang(released)
            time.sleep(made.pace)
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if made.framing == "chunked" else piece)
        if made.framing == "chunked" and made.end == "whole" and not made.drips:
            self.wfile.write(b"0\r\n\r\n")

    def _hang(self, released: int) -> None:
        with self.server.state.turn:
            self.server.state.turn.wait_for(lambda: self.server.state.releases > released)

    def _drip(self, first: bytes) -> None:
        """A byte now and then until the client goes, which raises."""
        self.wfile.write(first)
        while True:
            time.sleep(DRIP_SECONDS)
            self.wfile.write(b"0")

    def _reset(self) -> None:
        """RST at once, with everything written delivered before it."""
        until = time.monotonic() + 5
        while _unsent(self.connection) and time.monotonic() < until:
            time.sleep(0.001)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())


def _unsent(connection: socket.socket) -> int:
    return int.from_bytes(fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)), sys.byteorder)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
