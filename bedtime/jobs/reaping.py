"""Claims whose lease ran out, or whose process is dead; and what a late answer may still change."""

import math

from bedtime.db import Connection
from bedtime.jobs.rows import job_of
from bedtime.model import Job


def overdue(db: Connection, *, now: float | None) -> list[Job]:
    """Running jobs whose lease ran out by `now`; all running ones if `now` is None (their process is known to be dead).

    In the order in which they ran out: any other would have to sort, or to walk through all that ever was.
    """
    rows = db.execute(
        """
        SELECT *
          FROM jobs
         WHERE status = 'running' AND lease_expires_at <= :now
         ORDER BY lease_expires_at, id
        """,
        {"now": math.inf if now is None else now},
    ).fetchall()
    return [job_of(row) for row in rows]


def given_up(db: Connection, queue: str) -> list[int]:
    """The jobs of a queue that a late answer would still complete: sent, and nobody knows what became of them."""
    rows = db.execute(
        "SELECT id FROM jobs WHERE queue = :queue AND status = 'failed' AND error_code = 'maybe_billed' ORDER BY id",
        {"queue": queue},
    ).fetchall()
    return [row["id"] for row in rows]


def reap(tx: Connection, job: Job, *, overdue_at: float | None, max_failures: int, now: float) -> bool:
    """Take back a claim that was not sent: pending again with one more failure, or `failed: gave_up`.

    The whole condition stands here again: True only if the claim is still this one, unsent, and still overdue.
    """
    rows = tx.execute(
        """
        UPDATE jobs
           SET failures = failures + 1, lease_expires_at = NULL,
               status = CASE WHEN failures + 1 < :max_failures THEN 'pending' ELSE 'failed' END,
               completed_at = CASE WHEN failures + 1 < :max_failures THEN NULL ELSE :now END,
               error_code = CASE WHEN failures + 1 < :max_failures THEN NULL ELSE 'gave_up' END,
               error_text = 'the process that held it stopped'
         WHERE id = :id AND attempts = :attempts AND status = 'running' AND sent_at IS NULL
           AND (:overdue_at IS NULL OR lease_expires_at <= :overdue_at)
        RETURNING id
        """,
        {"id": job.id, "attempts": job.attempts, "overdue_at": overdue_at, "max_failures": max_failures, "now": now},
    ).fetchall()
    return bool(rows)


def fail_dead(tx: Connection, job: Job, *, overdue_at: float | None, now: float) -> bool:
    """A claim that was sent and whose outcome nobody knows: `failed: maybe_billed`, under the same condition as reap."""
    rows = tx.execute(
        """
        UPDATE jobs
           SET status = 'failed', completed_at = :now, lease_expires_at = NULL, error_code = 'maybe_billed',
               error_text = 'the process that waited for the answer stopped'
         WHERE id = :id AND attempts = :attempts AND status = 'running' AND sent_at IS NOT NULL
           AND (:overdue_at IS NULL OR lease_expires_at <= :overdue_at)
        RETURNING id
        """,
        {"id": job.id, "attempts": job.attempts, "overdue_at": overdue_at, "now": now},
    ).fetchall()
    return bool(rows)
