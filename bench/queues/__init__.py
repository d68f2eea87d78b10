"""One file a queue, each used as its own documents say: `open_in(folder)` gives something with the verbs of `Queue`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol


class Queue(Protocol):
    """A job is a number."""

    path: Path  # the database file

    def put(self, number: int) -> None: ...

    def take(self) -> Any:
        """The next job, claimed; None if there is none."""

    def done(self, job: Any) -> None: ...

    def number_of(self, job: Any) -> int: ...

    def work(self, on_start: Callable[[int], None]) -> None:
        """Start a worker in this process, which calls `on_start` as the first line of each job."""

    def recover(self) -> None:
        """What a new process does at its start about jobs of a dead one."""

    def fill(self, finished: int) -> None:
        """History, as it would be after so many jobs."""

    def synchronous(self) -> int:
        """The pragma, as it stands on the connection that commits."""
