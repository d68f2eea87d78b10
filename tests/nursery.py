"""Starts houses quickly: each is forked from a process that has imported the product once and done nothing with it.

A start costs a third of a second of a core otherwise, most of it for the import, and the tests start hundreds. What is
born is a process like any other, with its own environment, folder and streams; `app.main` runs in it from the beginning.
"""

import contextlib
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import IO, Self

ROOT = Path(__file__).parent.parent
_MOST_BYTES = 1 << 18  # of one order; an environment is some kilobytes


class Nursery:
    """`with Nursery() as nursery: nursery.start(environment, log=file)`. It ends with us, and those it started stay."""

    def __init__(self) -> None:
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._orders.close()
        self._process.wait()

    def start(self, environment: dict[str, str], *, log: IO[str]) -> "Born":
        """A house with exactly this environment, its standard output a pipe to us, its standard error the log."""
        (out, their_out), (status, their_status) = os.pipe(), os.pipe()
        socket.send_fds(self._orders, [json.dumps(environment).encode()], [their_out, log.fileno(), their_status])
        os.close(their_out)
        os.close(their_status)
        return Born(os.fdopen(out), os.fdopen(status))


class Born:
    """A process that was forked for us, as `subprocess.Popen` would show it: a minder of its own waits for it and tells."""

    def __init__(self, stdout: IO[str], status: IO[str]) -> None:
        self.stdout = stdout
        self.returncode: int | None = None
        self._status = status
        self.pid = int(status.readline())

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        if self.returncode is None and select.select([self._status], [], [], 0)[0]:
            self._ends()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(f"house {self.pid}", timeout or 0.0)
            self._ends()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # its minder has heard of its end, and we have not yet
                os.kill(self.pid, number)

    def _ends(self) -> None:
        with self._status:
            self.returncode = int(self._status.readline())


def _serve(orders: socket.socket) -> None:
    """Returns only in a process that is to be a house: its environment and streams are those of the order."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a minder
    while True:
        order, fds, *_ = socket.recv_fds(orders, _MOST_BYTES, 3)
        if not order:
            os._exit(0)
        out, log, status = fds
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            orders.close()
            if _is_born(status, others=(out, log)):
                break
        for fd in fds:
            os.close(fd)
    for stream, ours in ((out, 1), (log, 2)):
        os.dup2(stream, ours)
        os.close(stream)
    os.environ.clear()
    os.environ.update(json.loads(order))


def _is_born(status: int, *, others: tuple[int, ...]) -> bool:
    """True in the child; its minder tells its number, then how it ended, and never returns."""
    child = os.fork()
    if child == 0:
        os.close(status)
        return True
    for fd in others:
        os.close(fd)
    os.write(status, b"%d\n" % child)
    _, ended = os.waitpid(child, 0)
    os.write(status, b"%d\n" % os.waitstatus_to_exitcode(ended))
    os._exit(0)


if __name__ == "__main__":
    import launch

    gc.freeze()  # what all share stays as it is
    _serve(socket.socket(fileno=int(sys.argv[1])))
    launch.main()
