"""What may be asked of a job that exists, and of a queue."""

from bedtime import household, jobs, library
from bedtime.asking.asks import AskRules, check_room
from bedtime.db import Database
from bedtime.errors import MayCostTwice, NotFound
from bedtime.model import BOOK, PRIORITY_OF_PEOPLE, TELL_TALE

BY_HAND = "hand"  # why a queue is paused


def ask_again(database: Database, job_id: int, *, rules: AskRules, now: float, understood: bool = False) -> int:
    """A new job for the wish of one that failed or was cancelled; pressed twice it is one.

    Raises NotFound, QueueFull; MayCostTwice where the first may have been billed, unless whoever asks has `understood` that.
    """
    with database.transaction("ask_again") as tx:
        job = jobs.get(tx, job_id)
        if job is None:
            raise NotFound(f"there is no job {job_id}")
        asked_before = jobs.successor(tx, job_id)
        if asked_before is not None:
            return asked_before
        if job.may_cost_twice and not understood:
            raise MayCostTwice(
                f"job {job_id} may have been billed: nobody can know before the provider's bill, and asking again may cost "
                "a second time"
            )
        check_room(tx, job.queue, rules.queue_max)
        expires_at = now + household.expiry_seconds(tx, otherwise=rules.expiry_seconds)
        again = jobs.enqueue_retry(tx, job_id, now=now, expires_at=expires_at)
        if again is None:
            raise NotFound(f"job {job_id} has not failed: there is nothing to ask again")
    jobs.say(again, "pending", queue=job.queue, retry_of=job_id)
    return again


def tale_now(database: Database, job_id: int, *, now: float) -> int:
    """A tale from the built-in book for the same wish, at once and free, while the wish stays; pressed twice it is one."""
    with database.transaction("tale") as tx:
        job = jobs.get(tx, job_id)
        if job is None or "request_id" not in job.payload:
            raise NotFound(f"there is no wish of job {job_id}")
        dedupe_key = library.tale_key(job_id)
        new = jobs.enqueue(
            tx, BOOK, TELL_TALE, job.payload, now=now, priority=PRIORITY_OF_PEOPLE, dedupe_key=dedupe_key
        )
        tale = new if new is not None else jobs.planned(tx, TELL_TALE, dedupe_key)
        assert tale is not None  # either it was inserted, or it stood there before
    if new is not None:
        jobs.say(new, "pending", queue=BOOK, instead_of=job_id)
    return tale


def cancel(database: Database, job_id: int, *, now: float) -> bool:
    """True if the job ended here; False if it has ended already, or is being paid for."""
    with database.transaction("cancel") as tx:
        cancelled = jobs.cancel(tx, job_id, now=now)
    if cancelled:
        jobs.say(job_id, "cancelled")
    return cancelled


def pause(database: Database, queue: str, *, now: float) -> bool:
    """A grown-up wants nothing told for now. False if it was paused before: the first reason stays."""
    with database.transaction("pause") as tx:
        paused = jobs.pause(tx, queue, reason=BY_HAND, detail="", now=now)
    if paused:
        jobs.say_queue(queue, "paused", reason=BY_HAND)
    return paused


def resume(database: Database, queue: str) -> bool:
    """A grown-up has mended what paused a queue. True if it was paused."""
    with database.transaction("resume") as tx:
        resumed = jobs.resume(tx, queue)
    if resumed:
        jobs.say_queue(queue, "resumed")
    return resumed
