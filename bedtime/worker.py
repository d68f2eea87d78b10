"""Claims jobs of one queue and hands each to the handler of its kind; it knows no story."""

import logging
import threading
from collections.abc import Callable, Mapping

from bedtime import backoff, jobs
from bedtime.db import Database
from bedtime.errors import BedtimeError, ClaimLost
from bedtime.loop import log_bug
from bedtime.model import Job

log = logging.getLogger("bedtime.worker")

Handler = Callable[[Job], None]

LONGEST_REST_SECONDS = 10.0


class Worker:
    """One thread's worth of work on one queue."""

    def __init__(
        self,
        database: Database,
        queue: str,
        handlers: Mapping[str, Handler],
        *,
        name: str,
        lease_seconds: float,
        max_failures: int,
        clock: Callable[[], float],
        dice: Callable[[], float],
    ) -> None:
        self._database = database
        self._queue = queue
        self._handlers = handlers
        self._name = name
        self._lease_seconds = lease_seconds
        self._max_failures = max_failures
        self._clock = clock
        self._dice = dice

    def step(self) -> bool:
        """Claim one job and run it. False: nothing was due."""
        job = self._claim()
        if job is None:
            return False
        jobs.say(job.id, "running", kind=job.kind, attempt=job.attempts)
        self._run(job)
        return True

    def rest(self, wake: threading.Event) -> None:
        """Until somebody enqueues or resumes (see crew and watcher), or the next job is due; ten seconds at most."""
        with self._database.reading() as db:
            due = jobs.next_due(db, self._queue, now=self._clock())
        left = LONGEST_REST_SECONDS if due is None else min(LONGEST_REST_SECONDS, due - self._clock())
        if left > 0:
            wake.wait(left)

    def _claim(self) -> Job | None:
        now = self._clock()
        with self._database.transaction("claim") as tx:
            return jobs.claim(tx, self._queue, worker=self._name, lease_seconds=self._lease_seconds, now=now)

    def _run(self, job: Job) -> None:
        try:
            self._handlers[job.kind](job)
        except ClaimLost as error:
            log.info('job=%d claim=lost reason="%s"', job.id, error)
        except BedtimeError as error:
            log.warning('job=%d error=%s reason="%s"', job.id, type(error).__name__, error)
            self._put_aside(job, type(error).__name__)
        except Exception as error:
            log_bug(log, f"job={job.id}", error)
            self._put_aside(job, type(error).__name__)

    def _put_aside(self, job: Job, what: str) -> None:
        """One failure more; a job that was sent stays as it is, for the reaper, who looks into the spool."""
        now = self._clock()
        delay = backoff.not_sent_delay(job.failures + 1, self._dice())
        try:
            with self._database.transaction("retry") as tx:
                again = jobs.retry(
                    tx, job, run_after=now + delay, max_failures=self._max_failures, code="error", text=what, now=now
                )
        except ClaimLost:
            return log.info("job=%d left_to=reaper", job.id)
        if again:
            return jobs.say(job.id, "pending", reason="error", attempt=job.attempts)
        jobs.say(job.id, "failed", reason="gave_up", attempt=job.attempts)
