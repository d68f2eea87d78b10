"""Backups: one a day, checked, and the newest of seven days and of the four weeks before them kept.

They are told apart and ordered by their number, which only rises: a clock that jumps puts none of them out of turn.
"""

import datetime
import logging
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bedtime import library
from bedtime.db import Connection, Database, copies
from bedtime.db.lock import WriteLock
from bedtime.db.migrations import BACKUPS
from bedtime.errors import DatabaseBusy, DatabaseUnusable

log = logging.getLogger("bedtime.keeping")

DAY_SECONDS = 86400.0
DAYS, WEEKS = 7, 4
SPARE_BYTES = 64 * 1024 * 1024  # a backup leaves at least this much room for stories
LOCK_SECONDS = 5.0
_NAME = re.compile(r"bedtime-([0-9]{4,9})-([0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{4})\.db", re.ASCII)
_EARLIER = re.compile(r"before-schema-[0-9]{1,4}\.db", re.ASCII)
_WHEN = "%Y-%m-%d-%H%M"

Observer = Callable[[str], None]


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


def back_up(database: Database, *, now: float, observe: Observer | None = None) -> Copy:
    """Make one now, and throw away what is kept no longer. Raises DatabaseUnusable, DatabaseBusy; then no half one is there.

    A copy whose stories are not as they were written is kept all the same, and then nothing older is thrown away.
    """
    folder = folder_of(database.path.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    with alone(folder):
        _clear_halves(folder)
        number = max((copy.number for copy in copies_of(folder.parent)), default=0) + 1
        when = datetime.datetime.fromtimestamp(now, datetime.UTC).strftime(_WHEN)
        target = folder / f"bedtime-{number:04}-{when}.db"
        broken = back_up_to(database, target, observe=observe)
        if not broken:
            _throw_away_old(copies_of(folder.parent))
    made = _copy_of(target)
    assert made is not None  # nobody else takes one away while the lock is held
    log.info("backup=%s bytes=%d", made.name, made.size)
    return made


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """One backup at a time, in whichever process. Raises DatabaseBusy."""
    lock = WriteLock(folder / "lock", timeout_seconds=LOCK_SECONDS, what="another backup is being made")
    try:
        with lock.held():
            yield
    finally:
        lock.close()


def back_up_to(database: Database, target: Path, *, observe: Observer | None = None) -> list[int]:
    """A checked copy anywhere; the ids of stories in it that are not as they were written. Raises as `back_up`."""
    broken: list[int] = []
    _check_room(database, target)

    def check(copied: Connection) -> None:
        broken.extend(library.not_as_written(copied))

    with database.reading() as db:
        db.execute("SELECT count(*) FROM sqlite_schema").fetchall()  # the snapshot begins: no write makes it start anew
        copies.copy(db, target, check=check, observe=observe)
    for story_id in broken:
        log.error(
            'backup=%s story=%d reason="its text is not what was written: an older backup has it"', target, story_id
        )
    return broken


def throw_away(copy: Copy) -> None:
    """The backup and its hash; nothing if it is gone."""
    copy.path.unlink(missing_ok=True)
    copy.path.with_name(copy.name + copies.HASH).unlink(missing_ok=True)
    log.info("backup=%s status=thrown_away", copy.name)


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
    return datetime.datetime.strptime(text, _WHEN).replace(tzinfo=datetime.UTC).timestamp()


def _check_room(database: Database, target: Path) -> None:
    """A disk that is nearly full keeps its room for the stories."""
    needed = database.path.stat().st_size + database.wal_bytes()
    try:
        free = shutil.disk_usage(target.parent).free
    except OSError as error:
        raise DatabaseUnusable(f"{target.parent} is no folder to put a backup in ({error.strerror})") from None
    if free < needed + SPARE_BYTES:
        raise DatabaseBusy(
            f"the disk is nearly full: {free // 1_000_000} MB are free, and a backup needs {needed // 1_000_000} MB and "
            f"leaves {SPARE_BYTES // 1_000_000} MB: free some space"
        )


def _clear_halves(folder: Path) -> None:
    """What a process left that died over it."""
    for path in folder.iterdir():
        alone = path.name.endswith(copies.HASH) and not path.with_suffix("").exists()
        if path.name.endswith(copies.PART) or alone:
            path.unlink(missing_ok=True)


def _throw_away_old(copies_there: Sequence[Copy]) -> None:
    numbered = [copy for copy in copies_there if copy.number]
    kept = _kept(numbered)
    for copy in numbered:
        if copy not in kept:
            throw_away(copy)
    for copy in copies_there:
        if not copy.number and len(kept) == DAYS + WEEKS and all(_is_older(copy, one) for one in kept):
            throw_away(copy)


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
