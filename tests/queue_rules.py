"""Jobs brought into a state by verbs, and what the tests of the queue ask of them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from bedtime import jobs
from bedtime.db import Connection, Database
from bedtime.errors import ClaimLost
from bedtime.model import STORIES, Job

NOW = 1_000_000.0
LEASE = 60.0
MOST_FAILURES = 6


class Queue:
    """The queue of one file, a transaction for each verb."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(self, payload: Mapping[str, int] | None = None, *, now: float = NOW, **more: Any) -> int:
        queue, kind = more.pop("queue", STORIES), more.pop("kind", "write_story")
        job_id = self.do(lambda tx: jobs.enqueue(tx, queue, kind, payload or {}, now=now, **more))
        assert job_id is not None
        return int(job_id)

    def claim(self, *, now: float = NOW, queue: str = STORIES) -> Job | None:
        job: Job | None = self.do(lambda tx: jobs.claim(tx, queue, worker="w", lease_seconds=LEASE, now=now))
        return job

    def held(self, *, marked: bool = False, **more: Any) -> Job:
        """A job that is claimed, and marked as sent if it should be."""
        job_id = self.add(**more)
        job = self.claim()
        assert job is not None and job.id == job_id
        if marked:
            self.mark(job)
        return job

    def mark(self, job: Job, *, now: float = NOW) -> None:
        self.do(lambda tx: jobs.mark(tx, job, lease_expires_at=now + LEASE, now=now))

    def reap(self, job: Job, *, overdue_at: float | None = None, now: float = NOW) -> bool:
        verb = jobs.reap
        return bool(self.do(lambda tx: verb(tx, job, overdue_at=overdue_at, max_failures=MOST_FAILURES, now=now)))

    def fail_dead(self, job: Job, *, overdue_at: float | None = None, now: float = NOW) -> bool:
        return bool(self.do(lambda tx: jobs.fail_dead(tx, job, overdue_at=overdue_at, now=now)))

    def get(self, job_id: int) -> Job:
        job = self.read(lambda db: jobs.get(db, job_id))
        assert isinstance(job, Job)
        return job

    def do(self, act: Callable[[Connection], Any]) -> Any:
        with self.database.transaction("test") as tx:
            return act(tx)

    def read(self, look: Callable[[Connection], Any]) -> Any:
        with self.database.reading() as db:
            return look(db)

    @contextmanager
    def untouched(self, job_id: int) -> Iterator[None]:
        """What is done inside changes nothing about the job."""
        before = self.get(job_id)
        yield
        assert self.get(job_id) == before


# Every verb that moves a held job under its fence, with arguments that would move it.
MOVES: dict[str, Callable[[Connection, Job], object]] = {
    "extend": lambda tx, job: jobs.extend(tx, job, lease_expires_at=NOW + 2 * LEASE),
    "mark": lambda tx, job: jobs.mark(tx, job, lease_expires_at=NOW + 2 * LEASE, now=NOW + 1),
    "take_back": jobs.take_back,
    "complete": lambda tx, job: jobs.complete(tx, job, now=NOW + 1),
    "complete_late": lambda tx, job: jobs.complete_late(tx, job, now=NOW + 1),
    "fail": lambda tx, job: jobs.fail(tx, job, code="refused", text="no", now=NOW + 1),
    "retry": lambda tx, job: jobs.retry(
        tx, job, run_after=NOW, max_failures=MOST_FAILURES, code="limited", text="429", now=NOW + 1
    ),
    "put_back": lambda tx, job: jobs.put_back(tx, job, run_after=NOW, code="not_reached", text="nobody there"),
}
# And those that say whether they moved it, instead of raising.
QUIET_MOVES: dict[str, Callable[[Connection, Job], object]] = {
    "reap": lambda tx, job: jobs.reap(tx, job, overdue_at=None, max_failures=MOST_FAILURES, now=NOW + 1),
    "fail_dead": lambda tx, job: jobs.fail_dead(tx, job, overdue_at=None, now=NOW + 1),
    "give_up_late": lambda tx, job: jobs.give_up_late(tx, job, text="no"),
}


def attempt(queue: Queue, move: Callable[[Connection, Job], object], job: Job) -> None:
    """A move that must not succeed: it says so, or raises."""
    with suppress(ClaimLost):
        assert not queue.do(lambda tx: move(tx, job))
