"""Questions that the queue answers by SELECT."""

from bedtime.db import Connection
from bedtime.jobs.rows import job_of
from bedtime.model import Job


def get(db: Connection, job_id: int) -> Job | None:
    row = db.execute("SELECT * FROM jobs WHERE id = :id", {"id": job_id}).fetchone()
    return None if row is None else job_of(row)


def listing(db: Connection, *, status: str | None = None, most: int = 50) -> list[Job]:
    """The newest jobs first, all or those of one status."""
    rows = db.execute(
        "SELECT * FROM jobs WHERE :status IS NULL OR status = :status ORDER BY id DESC LIMIT :most",
        {"status": status, "most": most},
    ).fetchall()
    return [job_of(row) for row in rows]


def unfinished(db: Connection, *, most: int) -> list[Job]:
    """Running and pending jobs, in the order in which they will be told."""
    rows = db.execute(
        """
        SELECT *
          FROM (SELECT * FROM jobs WHERE status = 'running'
                 UNION ALL
                SELECT * FROM jobs WHERE status = 'pending') AS unfinished
         ORDER BY status DESC, priority DESC, id
         LIMIT :most
        """,
        {"most": most},
    ).fetchall()
    return [job_of(row) for row in rows]


def place(db: Connection, job: Job) -> int:
    """How many jobs of its queue are served up to and with this one; 0 unless it is pending."""
    if job.status != "pending":
        return 0
    rows = db.execute(
        """
        SELECT count(*) AS ahead
          FROM jobs
         WHERE queue = :queue AND status = 'pending' AND (priority > :priority OR (priority = :priority AND id <= :id))
        """,
        {"queue": job.queue, "priority": job.priority, "id": job.id},
    ).fetchall()
    return int(rows[0]["ahead"])


def successor(db: Connection, job_id: int) -> int | None:
    """The job that was asked again for this one."""
    row = db.execute("SELECT id FROM jobs WHERE retry_of = :id", {"id": job_id}).fetchone()
    return None if row is None else int(row["id"])


def planned(db: Connection, kind: str, dedupe_key: str) -> int | None:
    """The job that was enqueued under this dedupe key."""
    row = db.execute(
        "SELECT id FROM jobs WHERE kind = :kind AND dedupe_key = :key", {"kind": kind, "key": dedupe_key}
    ).fetchone()
    return None if row is None else int(row["id"])


def next_due(db: Connection, queue: str, *, now: float) -> float | None:
    """When the next pending job of a queue may run; None if none waits or the queue is paused."""
    row = db.execute(
        """
        SELECT min(run_after) AS due
          FROM jobs
         WHERE queue = :queue AND status = 'pending' AND (expires_at IS NULL OR expires_at > :now)
           AND NOT EXISTS (SELECT 1 FROM queues WHERE name = :queue AND paused_at IS NOT NULL)
        """,
        {"queue": queue, "now": now},
    ).fetchone()
    return None if row["due"] is None else float(row["due"])
