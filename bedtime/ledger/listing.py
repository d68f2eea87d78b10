"""The ledger as a household reads it: a month's sums, what each day cost, every call, the newest first."""

import calendar
import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from bedtime import almanac
from bedtime.db import Connection


@dataclass(frozen=True, slots=True)
class Spent:
    """What one call of a month counts for, in micros. `is_unknown`: nobody knows whether it was billed."""

    sent_at: float
    micros: int
    is_unknown: bool


@dataclass(frozen=True, slots=True)
class DaySpent:
    """One day of a month: how many calls counted, what is known of them and what is not, in micros."""

    date: datetime.date
    calls: int
    known: int
    unknown: int


@dataclass(frozen=True, slots=True)
class MonthSums:
    """A month's money in micros: settled, set aside for what runs now, and at its worst case what nobody knows."""

    settled: int
    open: int
    unknown: int
    unknown_calls: int

    @property
    def committed(self) -> int:
        return self.settled + self.open + self.unknown


@dataclass(frozen=True, slots=True)
class CallLine:
    """A row of the ledger without its texts."""

    id: int
    job_id: int
    model: str
    host: str
    status: str
    period: str
    reserved_micros: int
    spent_micros: int | None
    tokens_in: int | None
    tokens_out: int | None
    words: int
    finish_reason: str | None
    outcome: str | None
    sent_at: float
    received_at: float | None
    settled_at: float | None

    @property
    def micros(self) -> int:
        """What it counts for: its cost, or its worst case while that is not known; nothing if it was refused."""
        if self.status == "refused":
            return 0
        return self.reserved_micros if self.spent_micros is None else self.spent_micros


def sums_of(db: Connection, period: str) -> MonthSums:
    row = db.execute(
        """
        SELECT coalesce(sum(CASE WHEN status = 'settled' THEN spent_micros END), 0)                       AS settled,
               coalesce(sum(CASE WHEN status IN ('sending', 'received') THEN reserved_micros END), 0)     AS open,
               coalesce(sum(CASE WHEN status = 'unknown' THEN reserved_micros END), 0)                    AS unknown,
               coalesce(sum(CASE WHEN status = 'unknown' THEN 1 END), 0)                                  AS unknown_calls
          FROM calls
         WHERE period = :period
        """,
        {"period": period},
    ).fetchone()
    return MonthSums(**dict(row))


def spent_in(db: Connection, period: str) -> list[Spent]:
    """Every call of a month that counts, in the order in which they were sent."""
    rows = db.execute(
        """
        SELECT sent_at, coalesce(spent_micros, reserved_micros) AS micros, status = 'unknown' AS is_unknown
          FROM calls
         WHERE period = :period AND status <> 'refused'
         ORDER BY id
        """,
        {"period": period},
    ).fetchall()
    return [Spent(row["sent_at"], row["micros"], bool(row["is_unknown"])) for row in rows]


def by_day(spent: Sequence[Spent], period: str, zone: str) -> list[DaySpent]:
    """Every day of a month (`YYYY-MM`) by the clocks of a time zone.

    A call that counts in this month and was sent on a day that is none of it, because the zone was changed since, stands
    at the edge.
    """
    year, month = map(int, period.split("-"))
    dates = [datetime.date(year, month, day + 1) for day in range(calendar.monthrange(year, month)[1])]
    wall = almanac.wall(zone)
    placed: dict[datetime.date, list[Spent]] = {date: [] for date in dates}
    for one in spent:
        date = datetime.datetime.fromtimestamp(one.sent_at, wall).date()
        placed[min(max(date, dates[0]), dates[-1])].append(one)
    return [_day(date, calls) for date, calls in placed.items()]


def _day(date: datetime.date, calls: list[Spent]) -> DaySpent:
    unknown = sum(one.micros for one in calls if one.is_unknown)
    return DaySpent(date, len(calls), sum(one.micros for one in calls) - unknown, unknown)


def months(db: Connection) -> list[str]:
    """The months in which calls were made, the newest first."""
    rows = db.execute("SELECT DISTINCT period FROM calls ORDER BY period DESC").fetchall()
    return [row["period"] for row in rows]


def calls_before(db: Connection, *, period: str | None, before: int | None, most: int) -> list[CallLine]:
    """The newest calls first, of one month or of all, from those with an id below `before` on."""
    rows = db.execute(
        """
        SELECT id, job_id, model, host, status, period, reserved_micros, spent_micros, tokens_in, tokens_out, words,
               finish_reason, outcome, sent_at, received_at, settled_at
          FROM calls
         WHERE (:period IS NULL OR period = :period) AND (:before IS NULL OR id < :before)
         ORDER BY id DESC
         LIMIT :most
        """,
        {"period": period, "before": before, "most": most},
    ).fetchall()
    return [CallLine(**dict(row)) for row in rows]
