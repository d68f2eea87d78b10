"""Making a backup: one snapshot, checked, and under its final name only when it is whole."""

import datetime
import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bedtime import library
from bedtime.db import Connection, Database, copies
from bedtime.db.lock import WriteLock
from bedtime.errors import DatabaseBusy, DatabaseUnusable
from bedtime.keeping.rotation import WHEN, Copy, copies_of, folder_of, throw_away_old

log = logging.getLogger("bedtime.keeping")

SPARE_BYTES = 64 * 1024 * 1024  # a backup leaves at least this much room for stories
LOCK_SECONDS = 5.0

Observer = Callable[[str], None]


def back_up(database: Database, *, now: float, observe: Observer | None = None) -> Copy:
    """Make one now, and throw away what is kept no longer. Raises DatabaseUnusable, DatabaseBusy; then no half one is there.

    A copy whose stories are not as they were written is kept all the same, and then nothing older is thrown away.
    """
    folder = folder_of(database.path.parent)
    with alone(folder):
        made = _back_up(database, folder, now=now, observe=observe)
    log.info("backup=%s bytes=%d", made.name, made.size)
    return made


def _back_up(database: Database, folder: Path, *, now: float, observe: Observer | None) -> Copy:
    clear_halves(folder)
    number = max((copy.number for copy in copies_of(folder.parent)), default=0) + 1
    when = datetime.datetime.fromtimestamp(now, datetime.UTC).strftime(WHEN)
    target = folder / f"bedtime-{number:04}-{when}.db"
    broken = back_up_to(database, target, observe=observe)
    made = Copy(target, number, now, target.stat().st_size)
    if not broken:
        throw_away_old(copies_of(folder.parent))
    return made


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """One backup at a time, in whichever process. Raises DatabaseBusy, DatabaseUnusable."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        lock = WriteLock(folder / "lock", timeout_seconds=LOCK_SECONDS, what="another backup is being made")
        try:
            with lock:
                yield
        finally:
            lock.close()
    except OSError as error:
        raise DatabaseUnusable(
            f"{error.filename} cannot be used ({error.strerror}): check who owns it, and its disk"
        ) from error


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


def clear_halves(folder: Path) -> None:
    """What a process left that died over it."""
    for path in folder.iterdir():
        alone = path.name.endswith(copies.HASH) and not path.with_suffix("").exists()
        if path.name.endswith(copies.PART) or alone:
            path.unlink(missing_ok=True)
