"""A held job goes back to wait: with a failure counted, or without one. And no wait outlives a clock that was set back."""

from bedtime.db import Connection
from bedtime.jobs.rows import check_still_ours
from bedtime.model import Job


def retry(tx: Connection, job: Job, *, run_after: float, max_failures: int, code: str, text: str, now: float) -> bool:
    """One more failure: True if it is pending again, False if that was the last: `failed: gave_up`. Raises ClaimLost."""
    moved = tx.execute(
        """
        UPDATE jobs
           SET failures = failures + 1,
               status = CASE WHEN failures + 1 < :max_failures THEN 'pending' ELSE 'failed' END,
               completed_at = CASE WHEN failures + 1 < :max_failures THEN NULL ELSE :now END,
               error_code = CASE WHEN failures + 1 < :max_failures THEN :code ELSE 'gave_up' END,
               error_text = :text, run_after = :run_after, lease_expires_at = NULL
         WHERE id = :id AND attempts = :attempts AND status = 'running' AND sent_at IS NULL
        """,
        {
            "id": job.id,
            "attempts": job.attempts,
            "run_after": run_after,
            "max_failures": max_failures,
            "code": code,
            "text": text,
            "now": now,
        },
    )
    check_still_ours(job, moved)
    return job.failures + 1 < max_failures


def put_back(tx: Connection, job: Job, *, run_after: float, code: str, text: str) -> None:
    """Nothing of the job's own went wrong (nobody could be reached, the queue is paused): it waits. Raises ClaimLost."""
    moved = tx.execute(
        """
        UPDATE jobs
           SET status = 'pending', run_after = :run_after, error_code = :code, error_text = :text,
               lease_expires_at = NULL
         WHERE id = :id AND attempts = :attempts AND status = 'running' AND sent_at IS NULL
        """,
        {"id": job.id, "attempts": job.attempts, "run_after": run_after, "code": code, "text": text},
    )
    check_still_ours(job, moved)


def bring_forward(tx: Connection, *, longest_wait_seconds: float, now: float) -> None:
    """Due at once is what a clock that was set back has put off: never tried and due in its own future, or by too long a wait."""
    tx.execute(
        """
        UPDATE jobs
           SET run_after = :now
         WHERE status = 'pending' AND run_after > :now
           AND (run_after > :now + :longest_wait OR (created_at > :now AND error_code IS NULL))
        """,
        {"now": now, "longest_wait": longest_wait_seconds},
    )
