"""Going back to a backup: everything is made ready beside the house, then put into its place in one step.

The replaced database is set aside and never deleted. At each step the house has its old database or the restored one.
"""

import datetime
import logging
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bedtime import jobs
from bedtime.db import Database, copies
from bedtime.db.database import LOCK_SECONDS
from bedtime.db.lock import WriteLock
from bedtime.errors import BedtimeError
from bedtime.keeping import backups, checking
from bedtime.keeping.carrying import EVERYTHING, Carried, settle
from bedtime.keeping.checking import Checked
from bedtime.keeping.holding import REPLACED
from bedtime.keeping.rotation import folder_of
from bedtime.settings import Settings

log = logging.getLogger("bedtime.keeping")

STAGE, SPOOL, FILE = "restoring", "spool", "bedtime.db"

Observer = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back, what was taken over, and where the replaced database is now (None: there was none)."""

    checked: Checked
    carried: Carried
    aside: Path | None


def restore(settings: Settings, file: Path, *, now: float, observe: Observer = lambda point: None) -> Restored:
    """Whoever calls knows that nobody else works in the house. Raises BedtimeError; then nothing was changed."""
    instance = settings.instance
    present = instance / FILE
    if file.exists() and present.exists() and file.samefile(present):
        raise BedtimeError(
            f"{file} is the database that is in use: choose a backup, such as one of {instance / 'backups'}"
        )
    folder_of(instance).mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with backups.alone(folder_of(instance)):
            restored = _restore(settings, file, now=now, observe=observe)
    except OSError as error:
        raise BedtimeError(
            f"{error.filename or instance} cannot be used ({error.strerror}): see to it, and try again"
        ) from error
    for job_id in restored.carried.failed:
        jobs.say(job_id, "failed", reason="restored")
    log.info("restore=%s stories=%d carried=%s", file.name, restored.checked.stories, restored.carried.what)
    return restored


def _restore(settings: Settings, file: Path, *, now: float, observe: Observer) -> Restored:
    instance = settings.instance
    stage = instance / STAGE
    clear(stage)
    stage.mkdir(mode=0o700)
    try:
        checked = checking.take(file, stage / FILE)
        observe("restore.taken")
        replaced = _brought_up_to_date(instance / FILE)
        with _nobody_writes(instance):  # what is written after it was carried over would be lost
            carried = _settled(stage, replaced, settings, now=now)
            observe("restore.settled")
            spool_too = carried.what != EVERYTHING
            return Restored(
                checked, carried, _put_in_place(instance, stage, spool_too=spool_too, now=now, observe=observe)
            )
    finally:
        clear(stage)


@contextmanager
def _nobody_writes(instance: Path) -> Iterator[None]:
    lock = WriteLock(instance / "write.lock", timeout_seconds=LOCK_SECONDS)
    try:
        with lock:
            yield
    finally:
        lock.close()


def _brought_up_to_date(present: Path) -> Path | None:
    """The database that will be replaced, in this program's schema if it can be; None if there is none."""
    if not present.exists():
        return None
    database = Database(present)
    try:
        database.open()
        database.checkpoint()
    except BedtimeError as error:
        log.info('replaced=as_it_is reason="%s"', error)
    finally:
        database.close()
    return present


def _settled(stage: Path, replaced: Path | None, settings: Settings, *, now: float) -> Carried:
    database = Database(stage / FILE)
    try:
        database.open()
        carried = settle(database, replaced, settings, now=now)
        database.checkpoint()
        return carried
    finally:
        database.close()


def _put_in_place(instance: Path, stage: Path, *, spool_too: bool, now: float, observe: Observer) -> Path | None:
    """The replaced file keeps a second name from before it loses its first, so that the house always has one."""
    present, aside = instance / FILE, _folder_aside(instance, now=now)
    if present.exists():
        _link(present, aside / FILE)
    for path in (instance / f"{FILE}-wal", instance / f"{FILE}-shm"):
        _move(path, aside / path.name)  # a log that stayed would be taken for one of the restored file
    if spool_too:
        _move_spool(instance / SPOOL, aside / SPOOL)
    copies.sync_folder(aside)
    observe("restore.set_aside")
    (stage / FILE).replace(present)
    copies.sync_folder(instance)
    observe("restore.in_place")
    if any(aside.iterdir()):
        return aside
    aside.rmdir()
    return None


def _folder_aside(instance: Path, *, now: float) -> Path:
    when = datetime.datetime.fromtimestamp(now, datetime.UTC).strftime("%Y-%m-%d-%H%M%S")
    (instance / REPLACED).mkdir(mode=0o700, exist_ok=True)
    for number in range(1, 1000):
        folder = instance / REPLACED / (when if number == 1 else f"{when}-{number}")
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            return folder
    raise BedtimeError(f"{instance / REPLACED} is full of databases of the same second: throw some away")


def _link(path: Path, to: Path) -> None:
    try:
        os.link(path, to)
    except OSError:  # a file system without hard links
        path.rename(to)


def _move(path: Path, to: Path) -> None:
    with suppress(FileNotFoundError):
        path.rename(to)


def _move_spool(spool: Path, to: Path) -> None:
    """Answers that were just arriving belong to the replaced database; none: nothing to keep."""
    if spool.is_dir() and any(spool.iterdir()):
        spool.rename(to)
        spool.mkdir(mode=0o700)


def clear(stage: Path) -> None:
    """Away with what was made ready, or was when a process died over it."""
    if stage.exists():
        shutil.rmtree(stage)
