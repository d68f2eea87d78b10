"""Copies of a database, made and read by SQLite itself: the file of a running house is never opened as a file.

A copy is one plain file, without a log beside it, and has its SHA-256 in `NAME.sha256`, as `sha256sum -c` reads it.
"""

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bedtime.db.connection import Connection, is_fault_of_the_file, meaning
from bedtime.errors import DatabaseUnusable

PART, HASH = ".part", ".sha256"
_PAGES_A_STEP = 256  # a megabyte: the observer hears of each
_CHUNK_BYTES = 1024 * 1024

Check = Callable[[Connection], None]


def copy(
    db: Connection, target: Path, *, check: Check | None = None, observe: Callable[[str], None] | None = None
) -> None:
    """The whole database at `target`, with its hash; under its final name only once it is whole, checked and on the disk.

    In a transaction it is the snapshot of that transaction, and nobody who writes waits for it. `check` is handed the
    copy, and raises if it is not good. Raises DatabaseUnusable (damaged), DatabaseBusy (the disk is full).
    """
    tell = observe or _nobody
    try:
        with half_of(target) as half:
            with _faults_told(target):
                _fill(db, half, check, tell)
            _write(hash_of(target), f"{digest(half)}  {target.name}\n")
            tell("backup.before_rename")
            half.replace(target)
            sync_folder(target.parent)
    except OSError as error:
        raise DatabaseUnusable(
            f"{target} cannot be written ({error.strerror}): check the folder and its disk"
        ) from error


@contextmanager
def half_of(target: Path) -> Iterator[Path]:
    """An empty file beside `target`, mode 0600, of a name that nobody had; gone at the end, unless it was renamed.

    Raises OSError if it cannot be made. What else lies there, whatever its name, is not touched.
    """
    descriptor, name = tempfile.mkstemp(prefix=f"{target.name}.", suffix=PART, dir=target.parent)
    os.close(descriptor)
    half = Path(name)
    try:
        yield half
    finally:
        with suppress(OSError):  # what went wrong before it is what has to be told
            half.unlink(missing_ok=True)


def hash_of(copy: Path) -> Path:
    """Where its SHA-256 is written down."""
    return copy.with_name(copy.name + HASH)


@contextmanager
def opened(path: Path) -> Iterator[Connection]:
    """A copy, for reading. Raises DatabaseUnusable if it is none that can be used."""
    with _faults_told(path):
        db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
        db.row_factory = sqlite3.Row
        try:
            db.execute("PRAGMA trusted_schema = OFF").fetchall()
            yield db
        finally:
            db.close()


def version(db: Connection) -> int:
    """Which schema it has; 0 for a file that is not of ours."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def fault_in(db: Connection) -> str | None:
    """What SQLite finds wrong, if anything: a broken page or index, a row that points nowhere."""
    found = db.execute("PRAGMA main.integrity_check(1)").fetchone()[0]
    if found != "ok":
        return " ".join(str(found).split())
    loose = db.execute("PRAGMA main.foreign_key_check").fetchone()
    return None if loose is None else f"a row of {loose[0]} belongs to one of {loose[2]} that is not there"


def attach(tx: Connection, path: Path) -> None:
    """Another database, under the name `replaced`, until this connection is closed."""
    tx.execute("ATTACH DATABASE :path AS replaced", {"path": str(path)})


def digest(path: Path) -> str:
    """SHA-256 (hex) of a copy."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def kept_digest(path: Path) -> str | None:
    """The hash that was written down when the copy was made; None if there is none beside it."""
    with suppress(FileNotFoundError, IndexError):
        return hash_of(path).read_text(encoding="ascii", errors="replace").split()[0]
    return None


def sync_folder(folder: Path) -> None:
    """What was renamed in it stays renamed after a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _fill(db: Connection, half: Path, check: Check | None, tell: Callable[[str], None]) -> None:
    other = sqlite3.connect(half, isolation_level=None)
    try:
        other.row_factory = sqlite3.Row
        db.backup(other, pages=_PAGES_A_STEP, progress=lambda *_: tell("backup.mid"))
        other.execute("PRAGMA journal_mode = DELETE").fetchall()  # one file: no log will ever lie beside it
        fault = fault_in(other)
        if fault is not None:
            raise DatabaseUnusable(f"the copy is damaged, as is what it was made of: {fault}")
        if check is not None:
            check(other)
    finally:
        other.close()
    _sync(half)


def _write(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _nobody(point: str) -> None:
    """Nobody listens."""


@contextmanager
def _faults_told(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise DatabaseUnusable(f"{path} is damaged, or not a database: take another copy") from error
        if is_fault_of_the_file(error):
            raise meaning(error, path) from error
        raise
