"""What a restored database takes over from the one that it replaces (attached as `replaced`), and what it leaves undone."""

from bedtime.db import Connection


def carry_over(tx: Connection) -> None:
    """Every job of the replaced database, as it stands there: it was there later."""
    tx.execute(
        """
        INSERT INTO jobs (id, queue, kind, payload, status, priority, run_after, expires_at, attempts, claimed_at,
                          lease_expires_at, claimed_by, sent_at, failures, error_code, error_text, retry_of, dedupe_key,
                          created_at, completed_at)
        SELECT id, queue, kind, payload, status, priority, run_after, expires_at, attempts, claimed_at,
               lease_expires_at, claimed_by, sent_at, failures, error_code, error_text, retry_of, dedupe_key,
               created_at, completed_at
          FROM replaced.jobs
         WHERE true
            ON CONFLICT (id)
            DO UPDATE SET status = excluded.status, priority = excluded.priority, run_after = excluded.run_after,
                          expires_at = excluded.expires_at, attempts = excluded.attempts,
                          claimed_at = excluded.claimed_at, lease_expires_at = excluded.lease_expires_at,
                          claimed_by = excluded.claimed_by, sent_at = excluded.sent_at, failures = excluded.failures,
                          error_code = excluded.error_code, error_text = excluded.error_text,
                          completed_at = excluded.completed_at
        """
    )


def strangers(tx: Connection) -> int:
    """How many jobs the replaced database does not have: none, if it went on from this one."""
    row = tx.execute(
        """
        SELECT count(*) AS jobs
          FROM jobs j LEFT JOIN replaced.jobs r ON r.id = j.id AND r.created_at = j.created_at AND r.kind = j.kind
         WHERE r.id IS NULL
        """
    ).fetchone()
    return int(row["jobs"])


def fail_restored(tx: Connection, *, now: float) -> list[int]:
    """What was not sent is not bought by a database that came back: `failed: restored`; the ids.

    What was sent stays as it is: it is never handed out again, and a start finds out what became of it.
    """
    rows = tx.execute(
        """
        UPDATE jobs
           SET status = 'failed', completed_at = :now, lease_expires_at = NULL, error_code = 'restored',
               error_text = 'a backup was restored while it waited'
         WHERE status IN ('pending', 'running') AND sent_at IS NULL
        RETURNING id
        """,
        {"now": now},
    ).fetchall()
    return [row["id"] for row in rows]


def add_dead(tx: Connection, queue: str, kind: str, request_id: int, *, now: float) -> int:
    """A job that is over as it comes: what a call of another database belongs to; its id."""
    rows = tx.execute(
        """
        INSERT INTO jobs (queue, kind, payload, status, run_after, error_code, error_text, created_at, completed_at)
        VALUES (:queue, :kind, json_object('request_id', :request_id), 'failed', :now, 'restored',
                'its call was made before a backup was restored', :now, :now)
        RETURNING id
        """,
        {"queue": queue, "kind": kind, "request_id": request_id, "now": now},
    ).fetchall()
    return int(rows[0]["id"])


def forget_all(tx: Connection) -> None:
    """Every job goes, and no queue is paused."""
    tx.execute("DELETE FROM jobs")
    tx.execute("UPDATE queues SET paused_at = NULL, paused_reason = NULL, paused_detail = NULL")


def count_sent(db: Connection) -> int:
    """How many are being paid for now."""
    row = db.execute("SELECT count(*) AS sent FROM jobs WHERE status = 'running' AND sent_at IS NOT NULL").fetchone()
    return int(row["sent"])
