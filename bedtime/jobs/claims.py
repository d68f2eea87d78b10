"""A claim from its start to its point of no return."""

from bedtime.db import Connection
from bedtime.jobs.rows import check_still_ours, job_of
from bedtime.model import Job


def claim(tx: Connection, queue: str, *, worker: str, lease_seconds: float, now: float) -> Job | None:
    """Take the first due job: by priority, then in the order of asking. None: nothing due, or the queue is paused."""
    rows = tx.execute(
        """
        UPDATE jobs
           SET status = 'running', attempts = attempts + 1, claimed_at = :now, claimed_by = :worker,
               lease_expires_at = :lease_expires_at, error_code = NULL, error_text = NULL
         WHERE status = 'pending'
           AND id = (SELECT id
                       FROM jobs
                      WHERE queue = :queue AND status = 'pending' AND run_after <= :now
                        AND (expires_at IS NULL OR expires_at > :now)
                        AND NOT EXISTS (SELECT 1 FROM queues WHERE name = :queue AND paused_at IS NOT NULL)
                      ORDER BY priority DESC, id
                      LIMIT 1)
        RETURNING *
        """,
        {"queue": queue, "worker": worker, "lease_expires_at": now + lease_seconds, "now": now},
    ).fetchall()
    return job_of(rows[0]) if rows else None


def extend(tx: Connection, job: Job, *, lease_expires_at: float) -> None:
    """Push the lease forward. Raises ClaimLost."""
    moved = tx.execute(
        """
        UPDATE jobs
           SET lease_expires_at = :lease_expires_at
         WHERE id = :id AND attempts = :attempts AND status = 'running'
        """,
        {"id": job.id, "attempts": job.attempts, "lease_expires_at": lease_expires_at},
    )
    check_still_ours(job, moved)


def mark(tx: Connection, job: Job, *, lease_expires_at: float, now: float) -> None:
    """The point of no return: from here on the work may have been bought. Raises ClaimLost, also if it was marked before."""
    moved = tx.execute(
        """
        UPDATE jobs
           SET sent_at = :now, lease_expires_at = :lease_expires_at
         WHERE id = :id AND attempts = :attempts AND status = 'running' AND sent_at IS NULL
        """,
        {"id": job.id, "attempts": job.attempts, "lease_expires_at": lease_expires_at, "now": now},
    )
    check_still_ours(job, moved)


def take_back(tx: Connection, job: Job) -> None:
    """The other side certainly refused what was marked: the job may be handed out again. Raises ClaimLost."""
    moved = tx.execute(
        """
        UPDATE jobs
           SET sent_at = NULL
         WHERE id = :id AND attempts = :attempts AND status = 'running' AND sent_at IS NOT NULL
        """,
        {"id": job.id, "attempts": job.attempts},
    )
    check_still_ours(job, moved)
