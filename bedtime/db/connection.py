"""One connection, set up the way that the promises need, and what its errors mean."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from bedtime.errors import BedtimeError, DatabaseBusy, DatabaseUnusable

Connection = sqlite3.Connection
Cursor = sqlite3.Cursor
Row = sqlite3.Row
Error = sqlite3.Error

OLDEST_SQLITE = (3, 37, 0)  # STRICT tables; RETURNING came with 3.35

_PRAGMAS = (
    "PRAGMA synchronous = FULL",  # NORMAL loses acknowledged commits at a power cut
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA wal_autocheckpoint = 0",  # checkpoints hold the write lock: see Database.checkpoint
)


def connect(path: Path, *, busy_seconds: float) -> Connection:
    """A connection in manual transaction mode, which writes nothing by itself; migrate turns the WAL on.

    Raises DatabaseUnusable or DatabaseBusy, each saying what to do.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise DatabaseUnusable(
            f"SQLite {sqlite3.sqlite_version} is too old: 3.37 or newer is needed, with Python's own build"
        )
    try:
        db = sqlite3.connect(path, isolation_level=None, timeout=busy_seconds, cached_statements=256)
        db.row_factory = sqlite3.Row
        for pragma in _PRAGMAS:
            db.execute(pragma).fetchall()
    except sqlite3.Error as error:
        raise meaning(error, path) from error
    return db


def meaning(error: sqlite3.Error, path: Path) -> BedtimeError:
    """What a SQLite error asks a person to do; the message never holds a value from a row."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return DatabaseBusy("the database is busy: another program holds it; try again in a moment")
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM):
        return DatabaseBusy(
            f"the disk is full or failing ({code}): free some space where {path.name} is kept, then try again"
        )
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return DatabaseUnusable(f"{path} is damaged or not a database: put a backup in its place (instance/backups)")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        return DatabaseUnusable(
            f"{path} cannot be opened for writing: check who owns it and its folder, and their modes"
        )
    return DatabaseUnusable(f"{path}: {type(error).__name__}: {error}")


def listed(ids: Iterable[int]) -> str:
    """Ids as one value of a statement, which takes them apart with `json_each`."""
    return f"[{','.join(map(str, ids))}]"


class FaultsTold:
    """`with faults_told: ...`: what the machine did to the file is raised as `meaning` says, for a person."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> None:
        if isinstance(error, sqlite3.Error) and is_fault_of_the_file(error):
            raise meaning(error, self._path) from error


def is_fault_of_the_file(error: sqlite3.Error) -> bool:
    """True for what the machine did; False for what our own statement did (a broken constraint, a bad statement)."""
    return not isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError) and (
        getattr(error, "sqlite_errorcode", 0) & 0xFF
    ) not in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISUSE)
