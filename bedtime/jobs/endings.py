"""How a job ends: completed, failed, cancelled, expired; and what a late answer may still change."""

from bedtime.db import Connection
from bedtime.jobs.rows import check_still_ours
from bedtime.model import Job


def complete(tx: Connection, job: Job, *, now: float) -> None:
    """Done, under the fence. Raises ClaimLost."""
    moved = tx.execute(
        """
        UPDATE jobs
           SET status = 'completed', completed_at = :now, lease_expires_at = NULL, error_code = NULL, error_text = NULL
         WHERE id = :id AND attempts = :attempts AND status = 'running'
        """,
        {"id": job.id, "attempts": job.attempts, "now": now},
    )
    check_still_ours(job, moved)


def complete_late(tx: Connection, job: Job, *, now: float) -> None:
    """Done by a late answer: also a job that was given up as `maybe_billed` completes. Raises ClaimLost."""
    moved = tx.execute(
        """
        UPDATE jobs
           SET status = 'completed', completed_at = :now, lease_expires_at = NULL, error_code = NULL, error_text = NULL
         WHERE id = :id AND attempts = :attempts
           AND (status = 'running' OR (status = 'failed' AND error_code = 'maybe_billed'))
        """,
        {"id": job.id, "attempts": job.attempts, "now": now},
    )
    check_still_ours(job, moved)


def fail(tx: Connection, job: Job, *, code: str, text: str, now: float) -> None:
    """A dead letter, for a person. An answer that came late may replace `maybe_billed` by what it says. Raises ClaimLost."""
    moved = tx.execute(
        """
        UPDATE jobs
           SET status = 'failed', completed_at = :now, lease_expires_at = NULL, error_code = :code, error_text = :text
         WHERE id = :id AND attempts = :attempts
           AND (status = 'running' OR (status = 'failed' AND error_code = 'maybe_billed' AND :code <> 'maybe_billed'))
        """,
        {"id": job.id, "attempts": job.attempts, "code": code, "text": text, "now": now},
    )
    check_still_ours(job, moved)


def give_up_late(tx: Connection, job: Job, *, text: str) -> bool:
    """A certain refusal after the claim was lost: True if `maybe_billed` became `gave_up`, which nobody pays for."""
    moved = tx.execute(
        """
        UPDATE jobs
           SET error_code = 'gave_up', error_text = :text, sent_at = NULL
         WHERE id = :id AND attempts = :attempts AND status = 'failed' AND error_code = 'maybe_billed'
        """,
        {"id": job.id, "attempts": job.attempts, "text": text},
    )
    return moved.rowcount == 1


def cancel(tx: Connection, job_id: int, *, now: float) -> bool:
    """True if it ended here; False if it had ended, or is being paid for already."""
    return _cancel(tx, job_id, now=now)


def cancel_successor(tx: Connection, job: Job, *, now: float) -> int | None:
    """The late answer came after all: what was asked again for it, at last, and not sent yet, is not needed; its id, if so."""
    row = tx.execute(
        """
        WITH RECURSIVE again (id) AS (
            SELECT id FROM jobs WHERE retry_of = :id
             UNION ALL
            SELECT jobs.id FROM jobs JOIN again ON jobs.retry_of = again.id
        )
        SELECT max(id) AS id FROM again
        """,
        {"id": job.id},
    ).fetchone()
    return int(row["id"]) if row["id"] is not None and _cancel(tx, row["id"], now=now) else None


def expire(tx: Connection, *, now: float) -> list[int]:
    """What nobody waits for any more is not bought; the ids of the jobs that expired."""
    rows = tx.execute(
        """
        UPDATE jobs
           SET status = 'failed', completed_at = :now, error_code = 'expired', error_text = 'waited until its expiry'
         WHERE status = 'pending' AND expires_at <= :now
        RETURNING id
        """,
        {"now": now},
    ).fetchall()
    return [row["id"] for row in rows]


def _cancel(tx: Connection, job_id: int, *, now: float) -> bool:
    rows = tx.execute(
        """
        UPDATE jobs
           SET status = 'cancelled', completed_at = :now, lease_expires_at = NULL
         WHERE id = :id AND status IN ('pending', 'running') AND sent_at IS NULL
        RETURNING id
        """,
        {"id": job_id, "now": now},
    ).fetchall()
    return bool(rows)
