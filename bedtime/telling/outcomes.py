"""What an outcome without a whole answer does to its call and its job: the table of outcomes, a row a function."""

import logging

from bedtime import backoff, jobs, ledger
from bedtime.db import Connection
from bedtime.errors import ClaimLost, Closed, Limited, NotBilled, Refused
from bedtime.model import Job
from bedtime.telling.noting import Noting
from bedtime.telling.parts import Parts

log = logging.getLogger("bedtime.telling")


def after_sending(parts: Parts, job: Job, call_id: int, error: Exception, noting: Noting, *, free: bool) -> None:
    """A call that was marked and brought no whole answer."""
    if isinstance(error, NotBilled) or (isinstance(error, Refused) and not error.billed):
        _certainly_not_billed(parts, job, call_id, error)
    elif isinstance(error, Refused):
        _refused_and_billed(parts, job, call_id, error)
    elif free:
        _unknown_but_free(parts, job, call_id, error)
    else:
        _maybe_billed(parts, job, call_id, error, noting)


def closed_before_sending(parts: Parts, job: Job, error: Closed) -> None:
    """Nothing can be sent until a grown-up mends it: the queue pauses, the job waits."""
    now = parts.clock()
    with parts.database.transaction("put_back") as tx:
        _pause(tx, job, reason=error.reason, detail=str(error), now=now)
        jobs.put_back(tx, job, run_after=now, code=error.reason, text=str(error))
    _told(job, f"pending paused={error.reason}")


def put_back(parts: Parts, job: Job, *, seconds: float, code: str, text: str) -> None:
    """Nothing was sent, and nothing of the job's own went wrong: it waits a while."""
    with parts.database.transaction("put_back") as tx:
        jobs.put_back(tx, job, run_after=parts.clock() + seconds, code=code, text=text)
    _told(job, f"pending reason={code}")


def fail(parts: Parts, job: Job, *, code: str, text: str) -> None:
    """Nothing was sent, and nothing will be: a dead letter."""
    with parts.database.transaction("fail") as tx:
        jobs.fail(tx, job, code=code, text=text, now=parts.clock())
    _told(job, f"failed:{code}")


def _certainly_not_billed(parts: Parts, job: Job, call_id: int, error: Exception) -> None:
    now = parts.clock()
    with parts.database.transaction("refuse") as tx:
        ledger.refuse(tx, call_id, outcome=_outcome(error), now=now)
        try:
            jobs.take_back(tx, job)
        except ClaimLost:
            return jobs.give_up_late(tx, job, text=str(error))
        _after_refusal(tx, parts, job, error, now=now)
    _told(job, f"refused:{_outcome(error)}")


def _after_refusal(tx: Connection, parts: Parts, job: Job, error: Exception, *, now: float) -> None:
    if isinstance(error, Refused):
        jobs.fail(tx, job, code="refused", text=str(error), now=now)
    elif isinstance(error, Closed):
        _pause(tx, job, reason=error.reason, detail=str(error), now=now)
        jobs.put_back(tx, job, run_after=now, code=error.reason, text=str(error))
    elif isinstance(error, Limited):
        _after_limit(tx, parts, job, error, now=now)
    else:
        delay = backoff.not_sent_delay(job.attempts, parts.dice())
        jobs.put_back(tx, job, run_after=now + delay, code="not_reached", text=str(error))


def _after_limit(tx: Connection, parts: Parts, job: Job, error: Limited, *, now: float) -> None:
    delay = backoff.limited_delay(job.failures + 1, error.retry_after, parts.dice(), quota=error.quota)
    if delay is None:
        _pause(tx, job, reason="quota", detail=str(error), now=now)
        return jobs.put_back(tx, job, run_after=now, code="quota", text=str(error))
    jobs.retry(
        tx, job, run_after=now + delay, max_failures=parts.max_failures, code="limited", text=str(error), now=now
    )


def _refused_and_billed(parts: Parts, job: Job, call_id: int, error: Exception) -> None:
    """A content filter's refusal is paid for: it counts at its worst case, since nobody says what it cost."""
    now = parts.clock()
    with parts.database.transaction("refuse") as tx:
        ledger.settle(
            tx,
            call_id,
            spent_micros=None,
            tokens_in=None,
            tokens_out=None,
            finish_reason=None,
            outcome="filtered",
            now=now,
        )
        jobs.fail(tx, job, code="refused", text=str(error), now=now)
    _told(job, "failed:refused")


def _unknown_but_free(parts: Parts, job: Job, call_id: int, error: Exception) -> None:
    """At a provider that costs nothing there is nothing to doubt: try again, one failure more."""
    now = parts.clock()
    with parts.database.transaction("refuse") as tx:
        ledger.refuse(tx, call_id, outcome=_outcome(error), now=now)
        jobs.take_back(tx, job)
        delay = backoff.not_sent_delay(job.failures + 1, parts.dice())
        jobs.retry(
            tx, job, run_after=now + delay, max_failures=parts.max_failures, code="cut_off", text=str(error), now=now
        )
    _told(job, f"pending reason={_outcome(error)}")


def _maybe_billed(parts: Parts, job: Job, call_id: int, error: Exception, noting: Noting) -> None:
    """Nobody can know: the call counts at its worst case, the text is kept, a person decides."""
    now = parts.clock()
    with parts.database.transaction("doubt") as tx:
        ledger.doubt(tx, call_id, draft=noting.draft, words=noting.words, outcome=_outcome(error))
        try:
            jobs.fail(tx, job, code="maybe_billed", text=str(error), now=now)
        except ClaimLost:
            log.info("job=%d call=%d status=unknown claim=lost", job.id, call_id)
        pause_after_two_unknown(tx, job.queue, now=now)
    _told(job, "failed:maybe_billed")


def pause_after_two_unknown(tx: Connection, queue: str, *, now: float) -> None:
    """Two in a row that may have been billed for nothing are no accident."""
    if ledger.last_two_unknown(tx):
        detail = "two answers in a row were lost on the way, and may have been billed"
        jobs.pause(tx, queue, reason="unknown_twice", detail=detail, now=now)


def _pause(tx: Connection, job: Job, *, reason: str, detail: str, now: float) -> None:
    jobs.pause(tx, job.queue, reason=reason, detail=detail, now=now)
    log.warning("queue=%s status=paused reason=%s", job.queue, reason)


def _outcome(error: Exception) -> str:
    return type(error).__name__


def _told(job: Job, status: str) -> None:
    log.info("job=%d status=%s", job.id, status)
