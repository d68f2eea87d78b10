"""huey's SqliteHuey: a claim deletes the row; its consumer polls, from a tenth of a second up to ten when nothing comes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from huey import SqliteHuey  # type: ignore[import-not-found]


class Peer:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "huey.db"
        self._huey = SqliteHuey(filename=str(self.path))
        self._on_start: Callable[[int], None] = lambda number: None
        self._job = self._huey.task(name="job")(lambda number: self._on_start(number))

    def put(self, number: int) -> None:
        self._job(number)

    def take(self) -> Any:
        return self._huey.dequeue()

    def done(self, job: Any) -> None:
        self._huey.execute(job)

    def number_of(self, job: Any) -> int:
        return int(job.args[0])

    def work(self, on_start: Callable[[int], None]) -> None:
        self._on_start = on_start
        self._huey.create_consumer(workers=1).start()

    def recover(self) -> None:
        """Nothing: what was taken is gone."""

    def fill(self, finished: int) -> None:
        """It keeps no finished job."""

    def synchronous(self) -> int:
        return int(self._huey.storage.conn.execute("PRAGMA synchronous").fetchone()[0])


def open_in(folder: Path) -> Peer:
    return Peer(folder)
