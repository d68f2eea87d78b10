"""persist-queue's SQLiteAckQueue: get marks the row, ack finishes it; a put wakes a get in the same process."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from persistqueue import Empty, SQLiteAckQueue  # type: ignore[import-not-found]


class Peer:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "data.db"
        self._queue = SQLiteAckQueue(str(folder), multithreading=True)

    def put(self, number: int) -> None:
        self._queue.put(number)

    def take(self) -> Any:
        try:
            return self._queue.get(block=False, raw=True)
        except Empty:
            return None

    def done(self, job: Any) -> None:
        self._queue.ack(job)

    def number_of(self, job: Any) -> int:
        return int(job["data"])

    def work(self, on_start: Callable[[int], None]) -> None:
        def loop() -> None:
            while True:
                job = self._queue.get(raw=True)
                on_start(self.number_of(job))
                self.done(job)

        threading.Thread(target=loop, daemon=True).start()

    def recover(self) -> None:
        """Opening it has done so: `auto_resume` makes ready again whatever somebody holds."""

    def fill(self, finished: int) -> None:
        db = self._queue._putter
        db.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :finished)
            INSERT INTO ack_queue_default (data, timestamp, status) SELECT x'80044b012e', 1, 5 FROM n WHERE :finished > 0
            """,
            {"finished": finished},
        )
        db.commit()

    def synchronous(self) -> int:
        return int(self._queue._putter.execute("PRAGMA synchronous").fetchone()[0])


def open_in(folder: Path) -> Peer:
    return Peer(folder)
