"""Which backups there are, and which of them stay: the newest of each of seven days, and of four weeks before them.

They are told apart and ordered by their number, which only rises: a clock that jumps puts none of them out of turn.
"""

import datetime
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bedtime.db import copies
from bedtime.db.migrations import BACKUPS

log = logging.getLogger("bedtime.keeping")

DAY_SECONDS = 86400.0
DAYS, WEEKS = 7, 4
WHEN = "%Y-%m-%d-%H%M"
_NAME = re.compile(r"bedtime-([0-9]{4,9})-([0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{4})\.db", re.ASCII)
_EARLIER = re.compile(r"before-schema-[0-9]{1,4}\.db", re.ASCII)


@dataclass(frozen=True, slots=True)
class Copy:
    """A backup. `number` is 0 for the one that was made before the schema moved on; `made_at` is what the clock said."""

    path: Path
    number: int
    made_at: float
    size: int

    @property
    def name(self) -> str:
        return self.path.name


def folder_of(instance: Path) -> Path:
    return instance / BACKUPS


def copies_of(instance: Path) -> list[Copy]:
    """Every backup of the house, the newest first; those from before another schema at the end."""
    try:
        found = [copy for path in folder_of(instance).iterdir() if (copy := _copy_of(path)) is not None]
    except FileNotFoundError:
        return []
    return sorted(found, key=lambda copy: (-copy.number, copy.name))


def find_copy(instance: Path, name: str) -> Copy | None:
    """The backup of exactly this name: no path leads out of the folder."""
    return next((copy for copy in copies_of(instance) if copy.name == name), None)


def is_due(newest_first: Sequence[Copy], *, now: float) -> bool:
    """The newest was not made within a day of now, before or after: a clock that was wrong once keeps none from being made."""
    newest = next((copy for copy in newest_first if copy.number), None)
    return newest is None or abs(now - newest.made_at) >= DAY_SECONDS


def throw_away(copy: Copy) -> None:
    """The backup and its hash; nothing if it is gone."""
    copy.path.unlink(missing_ok=True)
    copies.hash_of(copy.path).unlink(missing_ok=True)
    log.info("backup=%s status=thrown_away", copy.name)


def throw_away_old(copies_there: Sequence[Copy]) -> None:
    """All but those of seven days and of four weeks; one from before a schema once eleven are there that are newer."""
    numbered = [copy for copy in copies_there if copy.number]
    kept = _kept(numbered)
    for copy in numbered:
        if copy not in kept:
            throw_away(copy)
    for copy in copies_there:
        if not copy.number and len(kept) == DAYS + WEEKS and all(_is_older(copy, one) for one in kept):
            throw_away(copy)


def _copy_of(path: Path) -> Copy | None:
    """What the name says; None for anything else that lies in the folder, and for one that was just thrown away."""
    named = _NAME.fullmatch(path.name)
    if named is None and not _EARLIER.fullmatch(path.name):
        return None
    try:
        found = path.lstat()
        made_at = _moment(named[2]) if named else found.st_mtime
    except (FileNotFoundError, ValueError):
        return None
    return Copy(path, int(named[1]) if named else 0, made_at, found.st_size)


def _moment(text: str) -> float:
    return datetime.datetime.strptime(text, WHEN).replace(tzinfo=datetime.UTC).timestamp()


def _kept(newest_first: Sequence[Copy]) -> list[Copy]:
    """The newest of each of seven days, then the newest of each of four weeks among the rest."""
    days: dict[datetime.date, Copy] = {}
    weeks: dict[tuple[int, int], Copy] = {}
    for copy in newest_first:
        date = datetime.datetime.fromtimestamp(copy.made_at, datetime.UTC).date()
        if date in days:
            continue
        if len(days) < DAYS:
            days[date] = copy
        elif len(weeks) < WEEKS:
            weeks.setdefault(date.isocalendar()[:2], copy)
    return [*days.values(), *weeks.values()]


def _is_older(copy: Copy, than: Copy) -> bool:
    return copy.path.stat().st_mtime < than.path.stat().st_mtime
