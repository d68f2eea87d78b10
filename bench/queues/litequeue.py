"""litequeue: pop locks the row, done marks it. It brings no worker: a loop looks four times a second, as ours does abroad."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from litequeue import LiteQueue  # type: ignore[import-not-found]

SECONDS_BETWEEN_LOOKS = 0.25


class Peer:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "lite.db"
        self._queue = LiteQueue(str(self.path))

    def put(self, number: int) -> None:
        self._queue.put(str(number))

    def take(self) -> Any:
        return self._queue.pop()

    def done(self, job: Any) -> None:
        self._queue.done(job.message_id)

    def number_of(self, job: Any) -> int:
        return int(job.data)

    def work(self, on_start: Callable[[int], None]) -> None:
        """On a connection of its own: one connection can't be in two transactions."""
        queue = LiteQueue(str(self.path))

        def loop() -> None:
            while True:
                while (job := queue.pop()) is not None:
                    on_start(int(job.data))
                    queue.done(job.message_id)
                threading.Event().wait(SECONDS_BETWEEN_LOOKS)

        threading.Thread(target=loop, daemon=True).start()

    def recover(self) -> None:
        """Nothing happens by itself: `list_locked` and `retry` are for whoever calls them."""

    def fill(self, finished: int) -> None:
        self._queue.conn.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :finished)
            INSERT INTO Queue (data, message_id, status, in_time, lock_time, done_time)
            SELECT i, printf('00000000-%012d', i), 2, 1, 1, 1 FROM n WHERE :finished > 0
            """,
            {"finished": finished},
        )

    def synchronous(self) -> int:
        return int(self._queue.conn.execute("PRAGMA synchronous").fetchone()[0])


def open_in(folder: Path) -> Peer:
    return Peer(folder)
