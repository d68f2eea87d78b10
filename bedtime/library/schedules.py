"""Plans for evenings, and what was planned by them."""

import json
from dataclasses import dataclass

from bedtime.db import Connection, Row

AHEAD_SECONDS = 3600.0  # so long before its time a planned story is made due


@dataclass(frozen=True, slots=True)
class Schedule:
    """A story on some days at a time on the wall of `zone`; `days` are 0 for Monday to 6; `themes` take turns."""

    id: int
    children: tuple[int, ...]
    days: frozenset[int]
    at: str
    zone: str
    minutes: int
    mood: str
    themes: tuple[str, ...]
    language: str
    paused: bool
    since: float


def add_schedule(
    tx: Connection,
    *,
    children: tuple[int, ...],
    days: frozenset[int],
    at: str,
    zone: str,
    minutes: int,
    mood: str,
    themes: tuple[str, ...],
    language: str,
    now: float,
) -> int:
    rows = tx.execute(
        """
        INSERT INTO schedules (children, days, at, zone, minutes, mood, themes, language, since)
        VALUES (:children, :days, :at, :zone, :minutes, :mood, :themes, :language, :now)
        RETURNING id
        """,
        {
            "children": json.dumps(children),
            "days": json.dumps(sorted(days)),
            "at": at,
            "zone": zone,
            "minutes": minutes,
            "mood": mood,
            "themes": "\n".join(themes),
            "language": language,
            "now": now,
        },
    ).fetchall()
    return int(rows[0]["id"])


def pause_schedule(tx: Connection, schedule_id: int, *, paused: bool, now: float) -> None:
    """What was due while it was paused is not caught up on."""
    tx.execute(
        "UPDATE schedules SET paused = :paused, since = :now WHERE id = :id",
        {"id": schedule_id, "paused": int(paused), "now": now},
    )


def not_before(tx: Connection, *, since: float) -> None:
    """No plan makes anything due that was due before then."""
    tx.execute("UPDATE schedules SET since = max(since, :since)", {"since": since})


def delete_schedule(tx: Connection, schedule_id: int) -> None:
    tx.execute("DELETE FROM schedules WHERE id = :id", {"id": schedule_id})


def schedules(db: Connection) -> list[Schedule]:
    return [_schedule(row) for row in db.execute("SELECT * FROM schedules ORDER BY id").fetchall()]


def planned_on(db: Connection, schedule_id: int, date: str) -> int | None:
    """The job that was planned for a date, whatever became of it."""
    row = db.execute(
        "SELECT job_id FROM planned_evenings WHERE schedule_id = :id AND date = :date",
        {"id": schedule_id, "date": date},
    ).fetchone()
    return None if row is None else int(row["job_id"])


def count_planned(db: Connection, schedule_id: int) -> int:
    """How many evenings were planned so far: whose theme's turn it is."""
    row = db.execute(
        "SELECT count(*) AS planned FROM planned_evenings WHERE schedule_id = :id", {"id": schedule_id}
    ).fetchone()
    return int(row["planned"])


def add_planned(tx: Connection, schedule_id: int, date: str, job_id: int) -> None:
    """The primary key refuses a second one for the same date."""
    tx.execute(
        "INSERT INTO planned_evenings (schedule_id, date, job_id) VALUES (:id, :date, :job_id)",
        {"id": schedule_id, "date": date, "job_id": job_id},
    )


def last_planned(db: Connection, schedule_id: int) -> tuple[str, int] | None:
    """The evening that was planned last, whatever its date, as (date, job id)."""
    row = db.execute(
        "SELECT date, job_id FROM planned_evenings WHERE schedule_id = :id ORDER BY job_id DESC LIMIT 1",
        {"id": schedule_id},
    ).fetchone()
    return None if row is None else (row["date"], int(row["job_id"]))


def _schedule(row: Row) -> Schedule:
    return Schedule(
        id=row["id"],
        children=tuple(json.loads(row["children"])),
        days=frozenset(json.loads(row["days"])),
        at=row["at"],
        zone=row["zone"],
        minutes=row["minutes"],
        mood=row["mood"],
        themes=tuple(line for line in row["themes"].splitlines() if line),
        language=row["language"],
        paused=bool(row["paused"]),
        since=row["since"],
    )
