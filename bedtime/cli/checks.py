"""What `flask doctor` looks at on this machine: files, disk, SQLite, clock."""

import datetime
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bedtime import keeping
from bedtime.cli.tables import moment
from bedtime.db.connection import OLDEST_SQLITE
from bedtime.db.place import is_network, mounted, sqlite_version

MEGABYTE = 1_000_000
TOO_LITTLE, LITTLE = 50 * MEGABYTE, 500 * MEGABYTE  # a call sets 9 MiB aside before it is sent
FIRST_YEAR, LAST_YEAR = 2026, 2100
AHEAD_SECONDS = 120
OLD_SECONDS = 3 * 86_400  # a server that is switched off over a weekend is no fault


@dataclass(frozen=True, slots=True)
class Finding:
    """`ok`, `note` (worth a look) or `wrong` (mend it), and a sentence about it."""

    level: str
    subject: str
    text: str


def files(instance: Path) -> Iterator[Finding]:
    """Nobody else on this machine should read what is kept here."""
    if not instance.is_dir():
        yield Finding("note", "files", f"{instance} is not there yet: the server makes it when it starts first")
        return
    found = [instance, *sorted(instance.rglob("*"))]
    open_to_others = [path for path in found if not path.is_symlink() and _is_open(path)]
    for path in open_to_others[:10]:
        wanted = "700" if path.is_dir() else "600"
        yield Finding("wrong", "files", f"others can read {path}: chmod {wanted} {path}")
    if not open_to_others:
        yield Finding("ok", "files", f"{len(found) - 1} in {instance}, closed to others")


def disk(instance: Path) -> Iterator[Finding]:
    place = _nearest(instance)
    free = shutil.disk_usage(place).free
    level = "wrong" if free < TOO_LITTLE else "note" if free < LITTLE else "ok"
    advice = "" if level == "ok" else ": free some space, or a story cannot be kept"
    yield Finding(level, "disk", f"{free // MEGABYTE} MB are free{advice}")
    kind = mounted(place)
    if kind is None:
        yield Finding("note", "disk", "this machine does not say what kind of file system it is")
    elif is_network(kind):
        text = f"{instance} is on a network file system ({kind}), where SQLite can lose data: use a local disk"
        yield Finding("wrong", "disk", text)
    else:
        yield Finding("ok", "disk", f"a local file system ({kind})")


def sqlite() -> Iterator[Finding]:
    oldest, version = ".".join(map(str, OLDEST_SQLITE)), sqlite_version()
    new_enough = tuple(map(int, version.split("."))) >= OLDEST_SQLITE
    advice = "" if new_enough else f": {oldest} or newer is needed, with Python's own build"
    yield Finding("ok" if new_enough else "wrong", "sqlite", f"version {version}{advice}")


def clock(instance: Path, *, now: float) -> Iterator[Finding]:
    """A clock that is behind its own files, or in a year that cannot be, makes plans and expiries come at odd times."""
    year = datetime.datetime.fromtimestamp(now, datetime.UTC).year
    newest = max((path.stat().st_mtime for path in instance.glob("bedtime.db*")), default=now)
    if not FIRST_YEAR <= year < LAST_YEAR:
        yield Finding("wrong", "clock", f"it says {moment(now)}, which cannot be: set the clock of this machine")
    elif newest > now + AHEAD_SECONDS:
        text = f"it says {moment(now)}, but the database was written at {moment(newest)}: set the clock of this machine"
        yield Finding("wrong", "clock", text)
    else:
        yield Finding("ok", "clock", moment(now))


def backups(instance: Path, *, now: float) -> Finding:
    """The server makes one a day as soon as there is something to keep."""
    newest = next((copy for copy in keeping.copies_of(instance) if copy.number), None)
    if newest is None:
        return Finding("ok", "backup", "none yet: the server makes one a day once there is something to keep")
    if abs(now - newest.made_at) > OLD_SECONDS:
        return Finding("wrong", "backup", f"the newest is of {moment(newest.made_at)}: see in the server's log why")
    return Finding("ok", "backup", f"{newest.path.name}, {newest.size // 1000} kB, on the same disk as the house")


def _is_open(path: Path) -> bool:
    try:
        return bool(stat.S_IMODE(os.lstat(path).st_mode) & 0o077)
    except FileNotFoundError:  # it was there a moment ago
        return False


def _nearest(path: Path) -> Path:
    """The folder itself, or the one that it would be made in."""
    return next(place for place in (path, *path.resolve().parents) if place.is_dir())
