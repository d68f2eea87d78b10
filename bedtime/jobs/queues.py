"""Queues: paused or not, and what they look like now."""

from dataclasses import dataclass

from bedtime.db import Connection


@dataclass(frozen=True, slots=True)
class QueueNow:
    """A row of the view `queue_now`."""

    name: str
    paused_at: float | None
    paused_reason: str | None
    paused_detail: str | None
    pending: int
    oldest_pending_at: float | None
    oldest_due_at: float | None
    running: int
    failed: int


def pause(tx: Connection, queue: str, *, reason: str, detail: str, now: float) -> bool:
    """Nothing is claimed from it until a grown-up resumes it. False if it was paused before: the first reason stays."""
    rows = tx.execute(
        """
        UPDATE queues
           SET paused_at = :now, paused_reason = :reason, paused_detail = :detail
         WHERE name = :queue AND paused_at IS NULL
        RETURNING name
        """,
        {"queue": queue, "reason": reason, "detail": detail, "now": now},
    ).fetchall()
    return bool(rows)


def resume(tx: Connection, queue: str) -> bool:
    """True if it was paused."""
    rows = tx.execute(
        """
        UPDATE queues
           SET paused_at = NULL, paused_reason = NULL, paused_detail = NULL
         WHERE name = :queue AND paused_at IS NOT NULL
        RETURNING name
        """,
        {"queue": queue},
    ).fetchall()
    return bool(rows)


def paused(db: Connection, queue: str) -> tuple[str, str] | None:
    """Why a queue is paused, as (reason, detail); None if it isn't."""
    row = db.execute(
        "SELECT paused_reason, paused_detail FROM queues WHERE name = :queue AND paused_at IS NOT NULL",
        {"queue": queue},
    ).fetchone()
    return None if row is None else (row["paused_reason"], row["paused_detail"] or "")


def queues_now(db: Connection) -> list[QueueNow]:
    """Every queue as it looks now."""
    return [QueueNow(**dict(row)) for row in db.execute("SELECT * FROM queue_now ORDER BY name").fetchall()]
