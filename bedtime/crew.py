"""The one working process of a house: who holds `worker.lock` recovers what a dead process left, then runs the loops."""

import fcntl
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bedtime.errors import BedtimeError
from bedtime.loop import Loop, log_bug

log = logging.getLogger("bedtime.crew")

WAKING = frozenset(f"{name}.after_commit" for name in ("enqueue", "ask_again", "ask_for", "tale", "resume", "plan"))
SECONDS_BETWEEN_RECOVERIES = 1.0


def somebody_works(lock_path: Path) -> bool:
    """Whether a process holds the worker's lock now. A shared lock is tried for a moment: two who ask don't meet."""
    try:
        fd = os.open(lock_path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


@contextmanager
def nobody_works(lock_path: Path) -> Iterator[None]:
    """Hold the worker's lock, so that no server works or begins to. Raises BedtimeError if one does."""
    lock_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        raise BedtimeError("Bedtime runs: stop it first (Ctrl-C, or systemctl stop bedtime), then try again") from None
    try:
        yield
    finally:
        os.close(fd)


class Crew:
    """Threads that wait for the lock, then work. `start` may be called often, and again after a fork."""

    def __init__(self, lock_path: Path, loops: Sequence[Loop], recover: Callable[[], None]) -> None:
        self._lock_path = lock_path
        self._loops = loops
        self._recover = recover
        self._started_in: int | None = None
        self._starting = threading.Lock()
        self._stopping = threading.Event()
        self.working = False
        self._locked_out = False
        self._lock: int | None = None

    def start(self) -> None:
        """Begin to wait for the lock, once a process."""
        with self._starting:
            if self._started_in == os.getpid() or self._stopping.is_set():
                return
            self._started_in = os.getpid()
            threading.Thread(target=self._wait_and_work, name="crew", daemon=True).start()

    def hear(self, point: str) -> None:
        """Something was enqueued in this process: those who claim look at once."""
        if point in WAKING:
            for loop in self._loops:
                if loop.claims:
                    loop.wake.set()

    def stop(self) -> None:
        """Claim nothing more, and wait until the steps that run have ended."""
        self._stopping.set()
        for loop in self._loops:
            loop.stop()
        for loop in self._loops:
            if loop.is_alive():
                loop.join()

    @property
    def started(self) -> bool:
        return self._started_in == os.getpid()

    def oldest_beat(self) -> float | None:
        """The monotonic time of the loop that was silent longest; None while another process has the lock."""
        return min(loop.beat_at for loop in self._loops) if self.working else None

    def dead(self) -> list[str]:
        """The names of loops that ended though nobody stopped them."""
        if self._locked_out:
            return ["crew"]
        if not self.working or self._stopping.is_set():
            return []
        return [loop.name for loop in self._loops if not loop.is_alive()]

    def _wait_and_work(self) -> None:
        while not self._has_lock():
            if self._stopping.wait(SECONDS_BETWEEN_RECOVERIES):
                return
        log.info("worker=here pid=%d", os.getpid())
        while not self._recovered() and not self._stopping.wait(SECONDS_BETWEEN_RECOVERIES):
            pass
        if self._stopping.is_set():
            return
        for loop in self._loops:
            loop.start()
        self.working = True

    def _has_lock(self) -> bool:
        """Waits for it; False where the file cannot be locked at all. The kernel releases it when this process dies."""
        try:
            if self._lock is None:
                self._lock = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        except OSError as error:
            log.error('worker=locked_out reason="%s"', error.strerror)
            self._locked_out = True
            return False
        self._locked_out = False
        return True

    def _recovered(self) -> bool:
        try:
            self._recover()
        except BedtimeError as error:
            log.warning('recovery=later error=%s reason="%s"', type(error).__name__, error)
            return False
        except Exception as error:
            log_bug(log, "recovery=failed", error)
            return False
        return True
