"""No queue at all: sqlite3, our pragmas, one table with our index, three statements."""

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY, number INTEGER NOT NULL, status TEXT NOT NULL DEFAULT 'pending', claimed_at REAL, completed_at REAL
) STRICT;
CREATE INDEX IF NOT EXISTS jobs_to_claim ON jobs (id) WHERE status = 'pending';
"""


class Bare:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "bare.db"
        self._db = sqlite3.connect(self.path, isolation_level=None, timeout=5, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = WAL").fetchall()
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.executescript(SCHEMA)
        self._one, self._put = threading.Lock(), threading.Event()

    def put(self, number: int) -> None:
        with self._one:
            self._db.execute("INSERT INTO jobs (number) VALUES (?)", (number,))
        self._put.set()

    def take(self) -> tuple[int, int] | None:
        with self._one:
            rows = self._db.execute(
                """
                UPDATE jobs
                   SET status = 'running', claimed_at = ?
                 WHERE id = (SELECT id FROM jobs WHERE status = 'pending' ORDER BY id LIMIT 1)
                RETURNING id, number
                """,
                (time.time(),),
            ).fetchall()
        return rows[0] if rows else None

    def done(self, job: tuple[int, int]) -> None:
        with self._one:
            self._db.execute(
                "UPDATE jobs SET status = 'completed', completed_at = ? WHERE id = ? AND status = 'running'",
                (time.time(), job[0]),
            )

    def number_of(self, job: tuple[int, int]) -> int:
        return job[1]

    def work(self, on_start: Callable[[int], None]) -> None:
        def loop() -> None:
            while True:
                self._put.clear()
                while (job := self.take()) is not None:
                    on_start(self.number_of(job))
                    self.done(job)
                self._put.wait()

        threading.Thread(target=loop, daemon=True).start()

    def recover(self) -> None:
        """A bare loop does nothing about it."""

    def fill(self, finished: int) -> None:
        self._db.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :finished)
            INSERT INTO jobs (number, status) SELECT i, 'completed' FROM n WHERE :finished > 0
            """,
            {"finished": finished},
        )

    def synchronous(self) -> int:
        return int(self._db.execute("PRAGMA synchronous").fetchone()[0])


def open_in(folder: Path) -> Bare:
    return Bare(folder)
