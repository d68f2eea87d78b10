"""Questions that the queue answers by SELECT."""

import json
from collections.abc import Sequence

from bedtime.db import Connection, listed
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


def of_payload(db: Connection, name: str, values: Sequence[int]) -> list[int]:
    """The ids of all jobs, ended ones too, whose payload holds one of these values under a name. Looks through history."""
    rows = db.execute(
        """
        SELECT id
          FROM jobs
         WHERE json_extract(payload, '$.' || :name) IN (SELECT value FROM json_each(:values))
         ORDER BY id
        """,
        {"name": name, "values": json.dumps(list(values))},
    ).fetchall()
    return [row["id"] for row in rows]


def running_payloads(db: Connection, name: str) -> set[int]:
    """What the payloads of the running jobs hold under a name."""
    rows = db.execute(
        """
        SELECT json_extract(payload, '$.' || :name) AS value
          FROM jobs
         WHERE status = 'running' AND json_extract(payload, '$.' || :name) IS NOT NULL
        """,
        {"name": name},
    ).fetchall()
    return {row["value"] for row in rows}


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


def places(db: Connection, job_ids: Sequence[int]) -> dict[int, int]:
    """For each of them that is pending, how many jobs of its queue are served up to and with it."""
    rows = db.execute(
        """
        SELECT own.id, count(*) AS place
          FROM jobs own
               JOIN jobs other ON other.queue = own.queue AND other.status = 'pending'
                    AND (other.priority > own.priority OR (other.priority = own.priority AND other.id <= own.id))
         WHERE own.id IN (SELECT value FROM json_each(:ids)) AND own.status = 'pending'
         GROUP BY own.id
        """,
        {"ids": listed(job_ids)},
    ).fetchall()
    return {row["id"]: row["place"] for row in rows}


def successors(db: Connection, job_ids: Sequence[int]) -> dict[int, int]:
    """For each of them that was asked again, the job that it was asked as."""
    if not job_ids:
        return {}
    rows = db.execute(
        "SELECT id, retry_of FROM jobs WHERE retry_of IN (SELECT value FROM json_each(:ids))",
        {"ids": listed(job_ids)},
    ).fetchall()
    return {row["retry_of"]: row["id"] for row in rows}


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


def all_planned(db: Connection, kind: str, dedupe_keys: Sequence[str]) -> dict[str, int]:
    """For each of the dedupe keys that was enqueued under, the job."""
    rows = db.execute(
        "SELECT id, dedupe_key FROM jobs WHERE kind = :kind AND dedupe_key IN (SELECT value FROM json_each(:keys))",
        {"kind": kind, "keys": json.dumps(list(dedupe_keys))},
    ).fetchall()
    return {row["dedupe_key"]: row["id"] for row in rows}


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
