"""The queue in figures: how long a job takes, how many ended how, which wait for a person."""

import math
from dataclasses import dataclass

from bedtime.db import Connection
from bedtime.jobs.rows import job_of
from bedtime.model import Job

LAST_JOBS = 200
SLOW = 0.95


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds from the claim to the end, of the last completed jobs: the mean, and what 95 of 100 need at most."""

    mean: float
    slow: float
    jobs: int


def times(db: Connection, queue: str) -> Times | None:
    """None before the first completed job."""
    rows = db.execute(
        """
        SELECT completed_at - claimed_at AS seconds
          FROM jobs
         WHERE queue = :queue AND status = 'completed' AND completed_at >= claimed_at
         ORDER BY id DESC
         LIMIT :most
        """,
        {"queue": queue, "most": LAST_JOBS},
    ).fetchall()
    taken = sorted(float(row["seconds"]) for row in rows)
    if not taken:
        return None
    return Times(sum(taken) / len(taken), taken[math.ceil(SLOW * len(taken)) - 1], len(taken))


def done_since(db: Connection, *, since: float) -> list[float]:
    """When each job was completed, from `since` on."""
    rows = db.execute(
        "SELECT completed_at FROM jobs WHERE status = 'completed' AND completed_at >= :since ORDER BY completed_at",
        {"since": since},
    ).fetchall()
    return [float(row["completed_at"]) for row in rows]


def counts(db: Connection) -> list[tuple[str, str, int]]:
    """How many jobs there are of each queue and status."""
    rows = db.execute(
        "SELECT queue, status, count(*) AS jobs FROM jobs GROUP BY queue, status ORDER BY queue, status"
    ).fetchall()
    return [(row["queue"], row["status"], row["jobs"]) for row in rows]


def failed_by_code(db: Connection) -> list[tuple[str, str, int]]:
    """How many dead letters there are of each queue and reason."""
    rows = db.execute(
        """
        SELECT queue, error_code, count(*) AS jobs
          FROM jobs
         WHERE status = 'failed'
         GROUP BY queue, error_code
         ORDER BY queue, error_code
        """
    ).fetchall()
    return [(row["queue"], row["error_code"], row["jobs"]) for row in rows]


def dead_letters(db: Connection, *, before: int | None, most: int) -> list[Job]:
    """Failed jobs, the newest first, from those with an id below `before` on."""
    rows = db.execute(
        """
        SELECT *
          FROM jobs
         WHERE status = 'failed' AND (:before IS NULL OR id < :before)
         ORDER BY id DESC
         LIMIT :most
        """,
        {"before": before, "most": most},
    ).fetchall()
    return [job_of(row) for row in rows]
