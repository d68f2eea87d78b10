"""Questions that the ledger answers."""

import datetime
import statistics
from collections.abc import Sequence

from bedtime import almanac
from bedtime.db import Connection, Row, listed
from bedtime.model import Call

LAST_CALLS = 20


def period_of(now: float, zone: str) -> str:
    """The month that a call counts in, `YYYY-MM`, by the clocks of a time zone."""
    return datetime.datetime.fromtimestamp(now, almanac.wall(zone)).strftime("%Y-%m")


def committed(db: Connection, period: str) -> int:
    """Spent and reserved in a month, in micros: a settled call at its cost, an open or unknown one at its worst case."""
    row = db.execute(
        """
        SELECT coalesce(sum(coalesce(spent_micros, reserved_micros)), 0) AS micros
          FROM calls
         WHERE period = :period AND status IN ('sending', 'received', 'unknown', 'settled')
        """,
        {"period": period},
    ).fetchone()
    return int(row["micros"])


def get(db: Connection, call_id: int) -> Call | None:
    row = db.execute("SELECT * FROM calls WHERE id = :id", {"id": call_id}).fetchone()
    return None if row is None else _call(row)


def call_of(db: Connection, job_id: int) -> Call | None:
    """The one call of a job that was not refused; else the last refused one."""
    row = db.execute(
        "SELECT * FROM calls WHERE job_id = :job_id ORDER BY status = 'refused', id DESC LIMIT 1", {"job_id": job_id}
    ).fetchone()
    return None if row is None else _call(row)


def calls_of(db: Connection, job_ids: Sequence[int]) -> dict[int, Call]:
    """The same for many jobs; one that made no call is left out."""
    if not job_ids:
        return {}
    rows = db.execute(
        """
        SELECT *
          FROM calls
         WHERE job_id IN (SELECT value FROM json_each(:ids))
         ORDER BY status <> 'refused', id
        """,
        {"ids": listed(job_ids)},
    ).fetchall()
    return {row["job_id"]: _call(row) for row in rows}


def may_come_late(call: Call) -> bool:
    """Whether an answer would still be kept: nobody knows the outcome, or a grown-up has settled it by hand."""
    return call.status == "unknown" or (call.status == "settled" and call.outcome == "by_hand" and call.raw is None)


def unfinished(db: Connection, job_ids: Sequence[int]) -> list[Call]:
    """The calls of these jobs whose answer is kept, and not finished; also one that a grown-up has settled by hand."""
    if not job_ids:
        return []
    rows = db.execute(
        """
        SELECT *
          FROM calls
         WHERE job_id IN (SELECT value FROM json_each(:ids)) AND raw IS NOT NULL
           AND (status = 'received' OR (status = 'settled' AND outcome = 'by_hand'))
         ORDER BY id
        """,
        {"ids": listed(job_ids)},
    ).fetchall()
    return [_call(row) for row in rows]


def last_two_unknown(db: Connection) -> bool:
    """True if the two newest calls that came to an end are both unknown."""
    rows = db.execute(
        "SELECT status FROM calls WHERE status IN ('settled', 'unknown') ORDER BY id DESC LIMIT 2"
    ).fetchall()
    return len(rows) == 2 and all(row["status"] == "unknown" for row in rows)


def usual_seconds(db: Connection) -> float | None:
    """How long a telling takes: the median of the last calls, which no clock that was set in one of them moves far; None
    before the first.
    """
    rows = db.execute(
        """
        SELECT received_at - sent_at AS seconds
          FROM calls
         WHERE status = 'settled' AND received_at >= sent_at
         ORDER BY id DESC
         LIMIT :most
        """,
        {"most": LAST_CALLS},
    ).fetchall()
    return statistics.median(row["seconds"] for row in rows) if rows else None


def usual_cost(db: Connection, *, model: str, host: str) -> int | None:
    """What a telling by this model costs, in micros: the mean of the last settled calls that brought an answer, as far as
    they were its own; None if none was.
    """
    row = db.execute(
        """
        SELECT avg(spent_micros) AS micros
          FROM (SELECT spent_micros, model, host
                  FROM calls
                 WHERE status = 'settled' AND outcome <> 'by_hand'
                 ORDER BY id DESC
                 LIMIT :most) AS last
         WHERE model = :model AND host = :host
        """,
        {"most": LAST_CALLS, "model": model, "host": host},
    ).fetchone()
    return None if row["micros"] is None else round(row["micros"])


def _call(row: Row) -> Call:
    return Call(**dict(row))
