"""At every tick: expire what nobody waits for any more, take back claims whose lease ran out, keep the WAL short."""

import logging
import threading
from collections.abc import Callable

from bedtime import jobs
from bedtime.backoff import LONGEST_RETRY_AFTER_SECONDS
from bedtime.db import Database

log = logging.getLogger("bedtime.reaper")

WAL_WARNING_BYTES = 64 * 1024 * 1024


class Reaper:
    """Takes `take_back` from the floor that knows what a sent job needs."""

    def __init__(
        self, database: Database, take_back: Callable[[], None], *, seconds: float, clock: Callable[[], float]
    ) -> None:
        self._database = database
        self._take_back = take_back
        self._seconds = seconds
        self._clock = clock

    def step(self) -> bool:
        self._expire()
        self._take_back()
        self._database.observe("reap.after")
        if self._database.wal_bytes() > WAL_WARNING_BYTES:
            log.warning('wal_bytes=%d reason="something keeps it from being copied"', self._database.wal_bytes())
        self._database.checkpoint()
        return False

    def rest(self, wake: threading.Event) -> None:
        wake.wait(self._seconds)

    def _expire(self) -> None:
        now = self._clock()
        with self._database.transaction("expire") as tx:
            expired = jobs.expire(tx, now=now)
            jobs.bring_forward(tx, longest_wait_seconds=LONGEST_RETRY_AFTER_SECONDS, now=now)
        for job_id in expired:
            jobs.say(job_id, "failed", reason="expired")
