"""What an outcome without a whole answer does to its call and its job: the table of outcomes, a row a function."""

import logging
from dataclasses import dataclass

from bedtime import backoff, jobs, ledger
from bedtime.db import Connection
from bedtime.errors import ClaimLost, Closed, Limited, NotBilled, Refused
from bedtime.model import Job
from bedtime.telling import ending
from bedtime.telling.parts import Parts

log = logging.getLogger("bedtime.telling")


@dataclass(frozen=True, slots=True)
class _Became:
    """What a transaction made of a job, for the line that is written after its commit."""

    status: str
    reason: str
    paused: bool = False


def after_sending(parts: Parts, job: Job, call_id: int, error: Exception, *, free: bool) -> None:
    """A call that was marked and brought no whole answer."""
    if isinstance(error, NotBilled) or (isinstance(error, Refused) and not error.billed):
        _certainly_not_billed(parts, job, call_id, error)
    elif isinstance(error, Refused):
        _refused_and_billed(parts, job, call_id, error)
    elif free:
        _unknown_but_free(parts, job, call_id, error)
    else:
        _maybe_billed(parts, job, call_id, error)


def closed_before_sending(parts: Parts, job: Job, error: Closed) -> None:
    """Nothing can be sent until a grown-up mends it: the queue pauses, the job waits."""
    now = parts.clock()
    with parts.database.transaction("put_back") as tx:
        became = _pause(tx, job, reason=error.reason, detail=str(error), now=now)
    _say_became(job, became)


def put_back(parts: Parts, job: Job, *, seconds: float, code: str, text: str) -> None:
    """Nothing was sent, and nothing of the job's own went wrong: it waits a while."""
    with parts.database.transaction("put_back") as tx:
        jobs.put_back(tx, job, run_after=parts.clock() + seconds, code=code, text=text)
    _say(job, "pending", code)


def fail(parts: Parts, job: Job, *, code: str, text: str) -> None:
    """Nothing was sent, and nothing will be: a dead letter."""
    with parts.database.transaction("fail") as tx:
        jobs.fail(tx, job, code=code, text=text, now=parts.clock())
    _say(job, "failed", code)


def _certainly_not_billed(parts: Parts, job: Job, call_id: int, error: Exception) -> None:
    now = parts.clock()
    with parts.database.transaction("refuse") as tx:
        ledger.refuse(tx, call_id, outcome=_outcome(error), now=now)
        try:
            jobs.take_back(tx, job)
        except ClaimLost:
            became = _Became("failed", "gave_up") if jobs.give_up_late(tx, job, text=str(error)) else None
        else:
            became = _after_refusal(tx, parts, job, error, now=now)
    log.info("call=%d job=%d status=refused outcome=%s", call_id, job.id, _outcome(error))
    if became:
        _say_became(job, became)


def _after_refusal(tx: Connection, parts: Parts, job: Job, error: Exception, *, now: float) -> _Became:
    if isinstance(error, Refused):
        jobs.fail(tx, job, code="refused", text=str(error), now=now)
        return _Became("failed", "refused")
    if isinstance(error, Closed):
        return _pause(tx, job, reason=error.reason, detail=str(error), now=now)
    if isinstance(error, Limited):
        return _after_limit(tx, parts, job, error, now=now)
    delay = backoff.not_sent_delay(job.attempts, parts.dice())
    jobs.put_back(tx, job, run_after=now + delay, code="not_reached", text=str(error))
    return _Became("pending", "not_reached")


def _after_limit(tx: Connection, parts: Parts, job: Job, error: Limited, *, now: float) -> _Became:
    delay = backoff.limited_delay(job.failures + 1, error.retry_after, parts.dice(), quota=error.quota)
    if delay is None:
        return _pause(tx, job, reason="quota", detail=str(error), now=now)
    return _retry(tx, parts, job, code="limited", text=str(error), run_after=now + delay, now=now)


def _retry(tx: Connection, parts: Parts, job: Job, *, code: str, text: str, run_after: float, now: float) -> _Became:
    again = jobs.retry(tx, job, run_after=run_after, max_failures=parts.max_failures, code=code, text=text, now=now)
    return _Became("pending", code) if again else _Became("failed", "gave_up")


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
    _say(job, "failed", "refused")


def _unknown_but_free(parts: Parts, job: Job, call_id: int, error: Exception) -> None:
    """At a provider that costs nothing there is nothing to doubt: try again, one failure more."""
    now = parts.clock()
    with parts.database.transaction("refuse") as tx:
        ledger.refuse(tx, call_id, outcome=_outcome(error), now=now)
        jobs.take_back(tx, job)
        delay = backoff.not_sent_delay(job.failures + 1, parts.dice())
        became = _retry(tx, parts, job, code="cut_off", text=str(error), run_after=now + delay, now=now)
    _say_became(job, became)


def _maybe_billed(parts: Parts, job: Job, call_id: int, error: Exception) -> None:
    """Nobody can know: the call counts at its worst case, the text is kept, a person decides."""
    draft, words = ending.arrived(parts, job)
    now = parts.clock()
    with parts.database.transaction("doubt") as tx:
        ledger.doubt(tx, call_id, draft=draft, words=words, outcome=_outcome(error))
        failed = _fail_if_ours(tx, job, text=str(error), now=now)
        paused = pause_after_two_unknown(tx, job.queue, now=now)
    log.info("call=%d job=%d status=unknown outcome=%s", call_id, job.id, _outcome(error))
    if failed:
        _say(job, "failed", "maybe_billed")
    _say_paused(job, paused)


def _fail_if_ours(tx: Connection, job: Job, *, text: str, now: float) -> bool:
    """False if the claim was lost meanwhile: whoever took it back has said what became of the job."""
    try:
        jobs.fail(tx, job, code="maybe_billed", text=text, now=now)
    except ClaimLost:
        return False
    return True


def pause_after_two_unknown(tx: Connection, queue: str, *, now: float) -> str | None:
    """Two in a row that may have been billed for nothing are no accident. The reason, if this paused the queue."""
    if not ledger.last_two_unknown(tx):
        return None
    detail = "two answers in a row were lost on the way, and may have been billed"
    return "unknown_twice" if jobs.pause(tx, queue, reason="unknown_twice", detail=detail, now=now) else None


def _pause(tx: Connection, job: Job, *, reason: str, detail: str, now: float) -> _Became:
    """Nobody is asked until a grown-up mends it; the job waits with the same reason."""
    paused = jobs.pause(tx, job.queue, reason=reason, detail=detail, now=now)
    jobs.put_back(tx, job, run_after=now, code=reason, text=detail)
    return _Became("pending", reason, paused)


def _outcome(error: Exception) -> str:
    return type(error).__name__


def _say_became(job: Job, became: _Became) -> None:
    _say(job, became.status, became.reason)
    _say_paused(job, became.reason if became.paused else None)


def _say(job: Job, status: str, reason: str) -> None:
    jobs.say(job.id, status, reason=reason, attempt=job.attempts)


def _say_paused(job: Job, reason: str | None) -> None:
    if reason is not None:
        jobs.say_queue(job.queue, "paused", reason=reason)
