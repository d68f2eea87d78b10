"""The provider of the tests: a real HTTP server, in a process of its own, that plays any provider and keeps a ledger.

    python tests/provider.py --port 0 --ledger FILE [--mode MODE]

It prints its port on the first line. A mode is `name[:argument][@seconds before each piece]`; provider_modes.py has
them all. Every POST becomes a line of the ledger before it is answered. A bill is one that was received whole and whose
answer is not a refusal. `POST /control` changes modes, releases what hangs, and waits for requests.
"""

import argparse
import base64
import contextlib
import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from provider_server import Server, State


class Provider:
    """The server as a test holds it: `with Provider(tmp_path / "ledger") as provider: ...`. It dies with us."""

    def __init__(self, ledger: Path, mode: str = "ok") -> None:
        self.ledger = ledger
        self._mode = mode
        self._port = 0
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        command = [
            sys.executable,
            __file__,
            "--port",
            str(self._port),
            "--ledger",
            str(self.ledger),
            "--mode",
            self._mode,
        ]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen([*command, "--until-eof"], stdin=pipe, stdout=pipe)
        assert self._process.stdout is not None
        self._port = int(self._process.stdout.readline())
        return self

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with process:  # closes the pipes and waits
                pass

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def set_mode(self, mode: str) -> None:
        """How requests are answered from now on."""
        self._control(do="mode", mode=mode)

    def set_story(self, text: str) -> None:
        """From now on it tells this."""
        self.set_mode(f"text:{base64.urlsafe_b64encode(text.encode()).decode()}")

    def queue(self, *modes: str) -> None:
        """How the next requests are answered, one mode each; after them `set_mode` holds again."""
        self._control(do="queue", modes=modes)

    def release(self) -> None:
        """Let go on what hangs now."""
        self._control(do="release")

    def requests(self) -> list[dict[str, Any]]:
        """Every POST so far: id, at, path, headers (lower case), body, json, whole, mode, status, bill."""
        lines = self.ledger.read_bytes().split(b"\n")[:-1] if self.ledger.exists() else []
        return [json.loads(line) for line in lines]

    def bills(self) -> list[dict[str, Any]]:
        return [request for request in self.requests() if request["bill"]]

    def wait_for(self, what: int | Callable[[Self], object] = 1, *, timeout: float = 30.0) -> None:
        """Return once there are `what` bills, or `what(provider)` holds: asked at each request. Or TimeoutError."""
        until = time.monotonic() + timeout
        while True:
            seen = len(self.requests())
            if len(self.bills()) >= what if isinstance(what, int) else what(self):
                return
            if time.monotonic() >= until:
                raise TimeoutError(
                    f"{seen} requests, {len(self.bills())} bills after {timeout:g} s: not what was waited for"
                )
            self._control(do="wait", seen=seen, timeout=max(0.0, until - time.monotonic()))

    def _control(self, **order: object) -> None:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)) as connection:
            connection.request("POST", "/control", json.dumps(order))
            answer = connection.getresponse()
            assert answer.status == 204, answer.read()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--ledger", type=Path, required=True)
    parser.add_argument("--mode", default="ok")
    parser.add_argument("--until-eof", action="store_true", help="end with standard input")
    options = parser.parse_args()
    state = State(options.ledger, options.mode)
    server, elsewhere = Server(options.port, state), Server(0, state)
    state.elsewhere = f"http://127.0.0.1:{elsewhere.server_port}"
    for each in (server, elsewhere):
        threading.Thread(target=each.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    if options.until_eof:
        sys.stdin.buffer.read()
        os._exit(0)
    threading.Event().wait()


if __name__ == "__main__":
    main()
