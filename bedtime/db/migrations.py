"""The schema's steps: `schema/NNN_what.sql`, in order, each in its own transaction, under `PRAGMA user_version`."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from bedtime.db.connection import Connection
from bedtime.errors import DatabaseUnusable

SCHEMA = Path(__file__).parent.parent / "schema"


def steps() -> list[tuple[int, Path]]:
    """Every step with its number, in order."""
    return [(int(path.name[:3]), path) for path in sorted(SCHEMA.glob("[0-9][0-9][0-9]_*.sql"))]


def migrate(db: Connection, path: Path, observe: Callable[[str], None]) -> None:
    """Bring the file to the newest step; a copy of it as it was is kept beside it first.

    The caller holds the write lock. Raises DatabaseUnusable, with nothing written, if the file is newer than the program.
    """
    version, newest = _version(db), steps()[-1][0]
    if version > newest:
        raise DatabaseUnusable(
            f"{path} has schema {version}, this program knows {newest}: update the program, or start it with another folder"
        )
    if version == 0 and db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone():
        raise DatabaseUnusable(f"{path} belongs to another program: start this one with another folder")
    db.execute("PRAGMA journal_mode = WAL").fetchall()  # stays in the file; nothing was written before this line
    if 0 < version < newest:
        copy(db, path.with_name(f"before-schema-{version + 1}.db"))
    for number, step in steps():
        if number > version:
            _apply(db, number, step.read_text(encoding="utf-8"), observe)


def copy(db: Connection, target: Path) -> None:
    """A checked copy of the whole database at `target`; under its final name only once it is whole."""
    half = target.with_name(target.name + ".part")
    half.unlink(missing_ok=True)
    with sqlite3.connect(half) as other:
        db.backup(other)
        found = other.execute("PRAGMA integrity_check").fetchone()[0]
    other.close()
    if found != "ok":
        raise DatabaseUnusable(f"the copy {half} is damaged: {found}")
    half.chmod(0o600)
    half.replace(target)


def _version(db: Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _apply(db: Connection, number: int, script: str, observe: Callable[[str], None]) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        for statement in _statements(script):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {number:d}")
        observe(f"migrate.step_{number}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """executescript() would commit first, so the script is cut at each complete statement."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
