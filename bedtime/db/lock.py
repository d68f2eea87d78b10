"""The write lock: a mutex in the process, then `flock` between processes; one writer or one checkpoint at a time.

SQLite 3.7.0 to 3.51.2 can corrupt a WAL file when one connection checkpoints while another commits
(https://sqlite.org/wal.html#walresetbug); besides, writers that wait on SQLite's busy handler are served unfairly.
"""

import fcntl
import os
import threading
import time
from pathlib import Path

from bedtime.errors import DatabaseBusy

_FIRST_REST_SECONDS = 0.0005
_LONGEST_REST_SECONDS = 0.01


class WriteLock:
    """`with lock: ...` holds it. Never nested: a thread that holds it and asks again waits for itself until the time is up."""

    def __init__(self, path: Path, *, timeout_seconds: float, what: str = "the database is busy") -> None:
        self._path = path
        self._what = what
        self._timeout_seconds = timeout_seconds
        self._open()

    def start_afresh(self) -> None:
        """Open the lock file anew: after a fork the inherited one would not keep parent and child apart.

        It is closed here, or the lock that the parent held at the fork would outlive a parent that was killed.
        """
        os.close(self._fd)
        self._open()

    def close(self) -> None:
        """Let go of the lock file; for a lock that was made for one use."""
        os.close(self._fd)

    def _open(self) -> None:
        self._mutex = threading.Lock()
        self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def __enter__(self) -> None:
        """Raises DatabaseBusy when both locks together took longer than the time-out."""
        deadline = time.monotonic() + self._timeout_seconds
        if not self._mutex.acquire(timeout=self._timeout_seconds):
            raise DatabaseBusy(f"{self._what}: another request is writing; try again in a moment")
        try:
            self._lock_file(deadline)
        except BaseException:
            self._mutex.release()
            raise

    def __exit__(self, *_: object) -> None:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_UN)
        finally:
            self._mutex.release()

    def _lock_file(self, deadline: float) -> None:
        rest = _FIRST_REST_SECONDS
        while True:
            try:
                return fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise DatabaseBusy(f"{self._what}: another process is writing; try again in a moment") from None
            time.sleep(rest)
            rest = min(rest * 2, _LONGEST_REST_SECONDS)
