"""The queue of this project: one table, one claim by UPDATE … RETURNING, a worker that is woken."""

import time
from collections.abc import Callable
from pathlib import Path

from bedtime import jobs
from bedtime.crew import Crew
from bedtime.db import Database
from bedtime.loop import Loop
from bedtime.model import BOOK, TELL_TALE, Job
from bedtime.worker import Worker


class Ours:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "bedtime.db"
        self._crew: Crew | None = None
        self._folder = folder
        self.database = Database(self.path, observe=self._hear)
        self.database.open()

    def put(self, number: int) -> None:
        with self.database.transaction("enqueue") as tx:
            jobs.enqueue(tx, BOOK, TELL_TALE, {"number": number}, now=time.time())

    def take(self) -> Job | None:
        with self.database.transaction("claim") as tx:
            return jobs.claim(tx, BOOK, worker="bench", lease_seconds=60.0, now=time.time())

    def done(self, job: Job) -> None:
        with self.database.transaction("finish") as tx:
            jobs.complete(tx, job, now=time.time())

    def number_of(self, job: Job) -> int:
        return job.payload["number"]

    def work(self, on_start: Callable[[int], None]) -> None:
        def handle(job: Job) -> None:
            on_start(self.number_of(job))
            self.done(job)

        worker = Worker(
            self.database,
            BOOK,
            {TELL_TALE: handle},
            name="bench",
            lease_seconds=60.0,
            max_failures=6,
            clock=time.time,
            dice=lambda: 0.5,
        )
        loop = Loop("bench", worker.step, worker.rest, monotonic=time.monotonic, claims=True)
        self._crew = Crew(self._folder / "worker.lock", [loop], self.recover)
        self._crew.start()

    def recover(self) -> None:
        """Whoever has the worker's lock knows that running jobs belong to a dead process."""
        with self.database.reading() as db:
            dead = jobs.overdue(db, now=None)
        for job in dead:
            with self.database.transaction("reap") as tx:
                jobs.reap(tx, job, overdue_at=None, max_failures=6, now=time.time())

    def fill(self, finished: int) -> None:
        """By one statement: a million verbs would take an evening."""
        with self.database.transaction("fill") as tx:
            tx.execute(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :finished)
                INSERT INTO jobs (queue, kind, status, run_after, attempts, created_at, completed_at)
                SELECT 'book', 'tell_tale', 'completed', 1, 1, 1, 1 FROM n WHERE :finished > 0
                """,
                {"finished": finished},
            )
        self.database.checkpoint()

    def synchronous(self) -> int:
        with self.database.reading() as db:
            return int(db.execute("PRAGMA synchronous").fetchone()[0])

    def _hear(self, point: str) -> None:
        if self._crew is not None:
            self._crew.hear(point)


def open_in(folder: Path) -> Ours:
    return Ours(folder)
