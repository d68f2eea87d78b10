"""After a crash, when a lease ran out, or late: what each running job, each open call and each spool file becomes."""

import logging
from collections.abc import Callable
from functools import partial

from bedtime import jobs, ledger, llm
from bedtime.db import Connection
from bedtime.errors import BedtimeError, ClaimLost
from bedtime.loop import log_bug
from bedtime.model import STORIES, Call, Job
from bedtime.telling import ending, outcomes
from bedtime.telling.parts import Parts

log = logging.getLogger("bedtime.telling")


def recover_dead(parts: Parts) -> None:
    """At the start, with the worker's lock held: every running job belongs to a dead process, every spool file to nobody."""
    _take_back_all(parts, overdue_at=None)
    _finish_late(parts)
    for job_id, attempts in parts.spool.kept():
        _clear_spool(parts, job_id, attempts)
        parts.observe("recover.mid")


def take_back_overdue(parts: Parts) -> None:
    """While running: claims whose lease ran out, and late answers that met a busy file.

    Harmless beside the thread that waits for the very answer: whichever of the two comes second finds it done.
    """
    _take_back_all(parts, overdue_at=parts.clock())
    _finish_late(parts)


def _take_back_all(parts: Parts, *, overdue_at: float | None) -> None:
    with parts.database.reading() as db:
        overdue = [(job, ledger.call_of(db, job.id)) for job in jobs.overdue(db, now=overdue_at)]
    for job, call in overdue:
        _guarded(parts, job, partial(_take_back, parts, job, call, overdue_at))
        parts.observe("reap.mid")


def _take_back(parts: Parts, job: Job, call: Call | None, overdue_at: float | None) -> None:
    if job.sent_at is None or call is None:
        _take_back_unsent(parts, job, overdue_at)
    elif call.status == "received" or _is_whole(parts, job):
        ending.receive_and_finish(parts, job, call.id)
    else:
        _give_up(parts, job, call, overdue_at)


def _is_whole(parts: Parts, job: Job) -> bool:
    raw = parts.spool.read(job.id, job.attempts)
    return raw is not None and llm.read_answer(raw) is not None


def _finish_late(parts: Parts) -> None:
    """Whole answers to jobs that were given up, from the ledger or the spool. Without such jobs, one look at an index."""
    with parts.database.reading() as db:
        given_up = jobs.given_up(db, STORIES)
        left = [(call, jobs.get(db, call.job_id)) for call in ledger.unfinished(db, given_up)]
    for call, job in left:
        if job is not None:
            _guarded(parts, job, partial(ending.finish, parts, job, call.id))
    for job_id, attempts in parts.spool.kept() if given_up else ():
        if job_id in given_up:
            _finish_spooled(parts, job_id, attempts)


def _finish_spooled(parts: Parts, job_id: int, attempts: int) -> None:
    """What is not whole stays: the thread that waits for the rest may still write to it."""
    with parts.database.reading() as db:
        job, call = jobs.get(db, job_id), ledger.call_of(db, job_id)
    if job is not None and call is not None and _may_come_late(job, call, attempts):
        _guarded(parts, job, partial(_receive_if_whole, parts, job, call.id))


def _receive_if_whole(parts: Parts, job: Job, call_id: int) -> None:
    if _is_whole(parts, job):
        ending.receive_and_finish(parts, job, call_id)


def _may_come_late(job: Job, call: Call, attempts: int) -> bool:
    return job.attempts == call.attempt == attempts and ledger.may_come_late(call)


def _take_back_unsent(parts: Parts, job: Job, overdue_at: float | None) -> None:
    with parts.database.transaction("reap") as tx:
        moved = jobs.reap(tx, job, overdue_at=overdue_at, max_failures=parts.max_failures, now=parts.clock())
    if moved:
        _say_reaped(parts, job)


def _give_up(parts: Parts, job: Job, call: Call, overdue_at: float | None) -> None:
    """Sent, and not whole: unknown, with the text that did arrive; at a free provider it is simply tried again."""
    draft, words = ending.arrived(parts, job)
    now, free = parts.clock(), call.reserved_micros == 0
    failed, paused = False, None
    with parts.database.transaction("reap") as tx:
        if free:
            _try_again_for_free(tx, parts, job, call, overdue_at, now=now)
        elif failed := jobs.fail_dead(tx, job, overdue_at=overdue_at, now=now):
            ledger.doubt(tx, call.id, draft=draft, words=words, outcome="ProcessStopped")
            paused = outcomes.pause_after_two_unknown(tx, job.queue, now=now)
    if free:
        return _say_reaped(parts, job)
    if failed:
        jobs.say(job.id, "failed", reason="maybe_billed", attempt=job.attempts)
    if paused is not None:
        jobs.say_queue(job.queue, "paused", reason=paused)


def _say_reaped(parts: Parts, job: Job) -> None:
    if job.failures + 1 < parts.max_failures:
        return jobs.say(job.id, "pending", reason="reaped", attempt=job.attempts)
    jobs.say(job.id, "failed", reason="gave_up", attempt=job.attempts)


def _try_again_for_free(
    tx: Connection, parts: Parts, job: Job, call: Call, overdue_at: float | None, *, now: float
) -> None:
    ledger.refuse(tx, call.id, outcome="ProcessStopped", now=now)
    jobs.take_back(tx, job)
    if not jobs.reap(tx, job, overdue_at=overdue_at, max_failures=parts.max_failures, now=now):
        raise ClaimLost(f"job {job.id} is not overdue any more")


def _clear_spool(parts: Parts, job_id: int, attempts: int) -> None:
    """A spool file that no running job needs goes; a whole answer to an unknown call has become its story before."""
    with parts.database.reading() as db:
        job, call = jobs.get(db, job_id), ledger.call_of(db, job_id)
    if job is not None and job.status == "running":
        return None
    if job is not None and call is not None and _may_come_late(job, call, attempts):
        return _guarded(parts, job, partial(_remove_unless_whole, parts, job))
    parts.spool.remove(job_id, attempts)


def _remove_unless_whole(parts: Parts, job: Job) -> None:
    """A whole one met a busy file a moment ago: the reaper finishes it."""
    if not _is_whole(parts, job):
        parts.spool.remove(job.id, job.attempts)


def _guarded(parts: Parts, job: Job, act: Callable[[], None]) -> None:
    """One job that cannot be recovered does not keep the others from it. It is tried at each step, and told once."""
    try:
        act()
    except ClaimLost as error:
        log.info('job=%d recovery=lost reason="%s"', job.id, error)
    except Exception as error:
        if parts.faults_told.get(job.id) is type(error):
            return
        parts.faults_told[job.id] = type(error)
        if isinstance(error, BedtimeError):
            log.warning('job=%d recovery=later reason="%s"', job.id, error)
        else:
            log_bug(log, f"job={job.id} recovery=failed", error)
    else:
        parts.faults_told.pop(job.id, None)
