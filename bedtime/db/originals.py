"""Whether the file and its log are still those that a connection has open: what is written to others, nobody would see.

Before every write somebody has to ask, and asking must not cost. A file whose times were just looked at has to note the
next write so finely that syncing it takes half as long again (Linux since 6.13: multigrain timestamps,
https://docs.kernel.org/filesystems/multigrain-ts.html). So the folder is asked, and the files only where it changed.
"""

import time
from collections.abc import Callable
from pathlib import Path

from bedtime.errors import DatabaseUnusable

COARSEST_SECONDS = 2.5  # FAT tells to two seconds when a folder changed; others to milliseconds


class Originals:
    """Of one connection, opened before the first check; the inode of the file is the Database's."""

    def __init__(
        self,
        path: Path,
        *,
        rest_seconds: float = COARSEST_SECONDS,
        state: Callable[[Path], tuple[int, ...]] | None = None,
    ) -> None:
        self._file = path.resolve()  # SQLite keeps its log beside what a link leads to
        self._log = self._file.with_name(self._file.name + "-wal")
        self._rest_seconds = rest_seconds
        self._state = state or _state
        self._log_inode: int | None = None
        self._seen: tuple[int, ...] = ()
        self._since = 0.0
        self._looked_through: tuple[int, ...] | None = None

    def check(self, inode: int | None) -> None:
        """Inside a write transaction, before it writes. Raises DatabaseUnusable, saying what to do."""
        begun = time.monotonic()
        state = self._state(self._file.parent)
        if state == self._looked_through:
            return
        check_file(self._file, inode)
        self._check_log()
        if state != self._seen:
            self._seen, self._since = state, time.monotonic()
        elif begun - self._since > self._rest_seconds:  # a change in the same moment would have been seen by now
            self._looked_through = state

    def _check_log(self) -> None:
        """As long as the connection is open nobody may take away its log."""
        inode = _inode(self._log)
        if self._log_inode not in (None, inode):
            raise DatabaseUnusable(f"{self._log} was deleted while the program runs: stop it and start it again")
        self._log_inode = inode


def check_file(path: Path, inode: int | None) -> None:
    """Raises DatabaseUnusable if another file stands there, or none."""
    if _inode(path) != inode:
        raise DatabaseUnusable(f"{path} was replaced while the program runs: stop it and start it again")


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except (FileNotFoundError, NotADirectoryError):
        return None


def _state(folder: Path) -> tuple[int, ...]:
    """Which folder it is and when it changed; its ctime is set by nobody, as a copy sets back its mtime."""
    try:
        found = folder.stat()
    except (FileNotFoundError, NotADirectoryError):
        return ()
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns
