"""The connection of one call: it is cut when its time is up, whatever drips through it."""

import http.client
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection

MOST_INTERIM = 100


class Line:
    """Watches one connection from a thread of its own and shuts it down at its deadline.

    A time-out of a socket starts again at every byte, so that one byte now and then keeps a call alive for ever, in the
    headers as in the body. What cuts here is one deadline for the whole call, and within it one for the next thing that
    is awaited. `connected` tells whether a byte of the request may have left; `expired`, whether the deadline cut it.
    """

    def __init__(self, *, first_byte: float, total: float, monotonic: Callable[[], float]) -> None:
        self.connected = False
        self.expired = False
        self._first_byte = first_byte
        self._monotonic = monotonic
        self._ends = self._next = monotonic() + total
        self._socket: socket.socket | None = None
        self._over = False
        self._turn = threading.Condition()
        self._thread = threading.Thread(target=self._watch, name="llm-line", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._turn:
            self._over = True
            self._turn.notify()
        self._thread.join()
        if self._socket is not None:
            self._socket.close()

    def hold(self, plain: socket.socket) -> None:
        """Watch this connection, by a duplicate: TLS takes the socket itself away. Raises TimeoutError if too late."""
        with self._turn:
            self._socket = plain.dup()
            if self.expired:
                raise TimeoutError

    def open(self) -> None:
        """Connected, TLS included: from here on bytes of the request leave the house."""
        self.connected = True
        self.allow(self._first_byte)

    def allow(self, seconds: float) -> None:
        """The next thing must come within `seconds`, and before the end of the whole call."""
        with self._turn:
            self._next = min(self._ends, self._monotonic() + seconds)
            self._turn.notify()

    def _watch(self) -> None:
        with self._turn:
            while not self._over:
                left = self._next - self._monotonic()
                if left <= 0:
                    self._cut()
                    return
                self._turn.wait(left)

    def _cut(self) -> None:
        self.expired = True
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:  # the other side was quicker
                return


class Adapter(HTTPAdapter):
    """The transport of `requests` over one line. Without a Session there is no .netrc, proxy, cookie, redirect."""

    def __init__(self, line: Line) -> None:
        super().__init__(max_retries=0)
        self._line = line

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> Any:
        pool: Any = super().get_connection_with_tls_context(*args, **kwargs)
        pool.ConnectionCls = _on(self._line, pool.ConnectionCls)
        return pool


class _Final(http.client.HTTPResponse):
    """The answer itself, past all that a server says before it: a 1xx other than 101 is no answer (RFC 9110, 15.2).

    http.client reads on past 100 only. Too many end the call, as its deadlines do.
    """

    def begin(self) -> None:
        super().begin()
        for _ in range(MOST_INTERIM):
            if not 100 <= self.status < 200 or self.status == 101:
                return
            self.headers = None  # type: ignore[assignment]  # or begin() takes the answer for read
            super().begin()
        raise http.client.HTTPException("only interim responses")


def _on(line: Line, kind: Any) -> type[HTTPConnection] | type[HTTPSConnection]:
    class OnLine(kind):  # type: ignore[misc]
        response_class = _Final

        def _new_conn(self) -> socket.socket:
            plain: socket.socket = super()._new_conn()
            try:
                line.hold(plain)
            except BaseException:
                plain.close()
                raise
            return plain

        def connect(self) -> None:
            super().connect()
            line.open()

    return OnLine
