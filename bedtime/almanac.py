"""When a planned evening is due: days of the week, a time on the family's clock, and what summer time does to both."""

import datetime
import difflib
import itertools
import zoneinfo
from collections.abc import Iterator
from dataclasses import dataclass

ONE_DAY = datetime.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Schedule:
    """On these days (0 is Monday), at this time, in this zone ("Europe/Berlin"). Raises ValueError that says what is wrong."""

    days: frozenset[int]
    at: datetime.time
    zone: str

    def __post_init__(self) -> None:
        if not self.days or not self.days <= frozenset(range(7)):
            raise ValueError(f"days are {sorted(self.days)}: expected one or more of 0 (Monday) to 6 (Sunday)")
        if self.at.tzinfo is not None:
            raise ValueError(f"time is {self.at}: expected one without a zone of its own")
        zone_of(self.zone)


def next_due(schedule: Schedule, *, after: float) -> float:
    """The first moment later than `after` at which the plan is due (both unix seconds).

    A time that the clocks jump over is due at the first moment after the jump; one that comes twice, at the first of the
    two. A date that a zone leaves out altogether is left out.
    """
    return next(moment for _, moment in _due(schedule, after) if moment > after)


def due_dates(schedule: Schedule, *, since: float, until: float) -> list[tuple[datetime.date, float]]:
    """Every date on which the plan is due later than `since` and not later than `until`, with its moment, in order."""
    later = itertools.dropwhile(lambda due: due[1] <= since, _due(schedule, since))
    return list(itertools.takewhile(lambda due: due[1] <= until, later))


def zone_of(name: str) -> zoneinfo.ZoneInfo:
    """A time zone by its IANA name. Raises ValueError that says what is wrong."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"{name!r} is not a time zone: {_advice(name)}") from None


def wall(name: str) -> datetime.tzinfo:
    """The clocks of a time zone; UTC where this machine does not know it, which is no reason to tell nothing."""
    try:
        return zone_of(name)
    except ValueError:
        return datetime.UTC


def _due(schedule: Schedule, start: float) -> Iterator[tuple[datetime.date, float]]:
    """Dates and moments in order, from the date of `start`: an earlier date has no moment left by then."""
    zone = zone_of(schedule.zone)
    date = datetime.datetime.fromtimestamp(start, zone).date()
    while True:
        if date.weekday() in schedule.days:
            moment = _moment(date, schedule.at, zone)
            if moment is not None:
                yield date, moment
        date += ONE_DAY


def _moment(date: datetime.date, at: datetime.time, zone: zoneinfo.ZoneInfo) -> float | None:
    """When it is this time on this date; None where the zone has no such date."""
    wanted = datetime.datetime.combine(date, at)
    moment = wanted.replace(tzinfo=zone, fold=0).timestamp()
    if _clock(moment, zone) == wanted:
        return moment
    jump = _jump(wanted, zone)
    whole_date_is_missing = _clock(jump - 1, zone).date() < date < _clock(jump, zone).date()
    return None if whole_date_is_missing else jump


def _jump(wanted: datetime.datetime, zone: zoneinfo.ZoneInfo) -> float:
    """The second at which the clocks jumped over `wanted`: between its two readings, by halving."""
    before = int(wanted.replace(tzinfo=zone, fold=1).timestamp()) - 1
    behind = int(wanted.replace(tzinfo=zone, fold=0).timestamp()) + 1
    offset = _offset(behind, zone)
    while behind - before > 1:
        middle = (before + behind) // 2
        before, behind = (before, middle) if _offset(middle, zone) == offset else (middle, behind)
    return float(behind)


def _clock(moment: float, zone: zoneinfo.ZoneInfo) -> datetime.datetime:
    """What the clock on the wall shows."""
    return datetime.datetime.fromtimestamp(moment, zone).replace(tzinfo=None, fold=0)


def _offset(moment: float, zone: zoneinfo.ZoneInfo) -> datetime.timedelta | None:
    return datetime.datetime.fromtimestamp(moment, zone).utcoffset()


def _advice(name: str) -> str:
    known = zoneinfo.available_timezones()
    if not known:
        return "this machine has no time zone data: pip install tzdata"
    near = difflib.get_close_matches(name, sorted(known), n=1)
    return f"did you mean {near[0]}?" if near else "expected a name such as Europe/Berlin or America/New_York"
