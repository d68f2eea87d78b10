"""Jobs come in: enqueue, ask again, and how many of people's wait."""

import json
from collections.abc import Mapping

from bedtime.db import Connection


def enqueue(
    tx: Connection,
    queue: str,
    kind: str,
    payload: Mapping[str, int],
    *,
    now: float,
    run_after: float | None = None,
    expires_at: float | None = None,
    priority: int = 0,
    dedupe_key: str | None = None,
) -> int | None:
    """The new job's id; None if `(kind, dedupe_key)` was planned before, whatever became of it."""
    rows = tx.execute(
        """
        INSERT INTO jobs (queue, kind, payload, priority, run_after, expires_at, dedupe_key, created_at)
        VALUES (:queue, :kind, :payload, :priority, :run_after, :expires_at, :dedupe_key, :now)
            ON CONFLICT (kind, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING
        RETURNING id
        """,
        {
            "queue": queue,
            "kind": kind,
            "payload": json.dumps(payload),
            "priority": priority,
            "run_after": now if run_after is None else run_after,
            "expires_at": expires_at,
            "dedupe_key": dedupe_key,
            "now": now,
        },
    ).fetchall()
    return rows[0]["id"] if rows else None


def enqueue_retry(tx: Connection, job_id: int, *, now: float, expires_at: float | None) -> int | None:
    """A new job for the work of a failed or cancelled one; None if it was asked again before, or has not ended so."""
    rows = tx.execute(
        """
        INSERT INTO jobs (queue, kind, payload, priority, run_after, expires_at, retry_of, created_at)
        SELECT queue, kind, payload, priority, :now, :expires_at, id, :now
          FROM jobs
         WHERE id = :id AND status IN ('failed', 'cancelled')
            ON CONFLICT (retry_of) WHERE retry_of IS NOT NULL DO NOTHING
        RETURNING id
        """,
        {"id": job_id, "now": now, "expires_at": expires_at},
    ).fetchall()
    return rows[0]["id"] if rows else None


def count_waiting(db: Connection, queue: str, *, most: int) -> int:
    """How many jobs of people wait (planned and running ones don't count), counted no further than `most`."""
    rows = db.execute(
        """
        SELECT count(*) AS waiting
          FROM (SELECT 1
                  FROM jobs
                 WHERE queue = :queue AND status = 'pending' AND dedupe_key IS NULL
                 LIMIT :most) AS some
        """,
        {"queue": queue, "most": most},
    ).fetchall()
    return int(rows[0]["waiting"])
