"""The schema's steps: `schema/NNN_what.sql`, in order, each in its own transaction, under `PRAGMA user_version`."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from bedtime import lettering
from bedtime.db import copies
from bedtime.db.connection import Connection
from bedtime.errors import DatabaseUnusable

SCHEMA = Path(__file__).parent.parent / "schema"
BACKUPS = "backups"  # the folder beside the database


def steps() -> list[tuple[int, Path]]:
    """Every step with its number, in order."""
    return [(int(path.name[:3]), path) for path in sorted(SCHEMA.glob("[0-9][0-9][0-9]_*.sql"))]


def migrate(db: Connection, path: Path, observe: Callable[[str], None]) -> None:
    """Bring the file to the newest step; a copy of it as it was is kept among the backups first.

    The caller holds the write lock. Raises DatabaseUnusable, with nothing written, if the file is newer than the program.
    """
    version, newest = copies.version(db), steps()[-1][0]
    if version > newest:
        raise DatabaseUnusable(
            f"{path} has schema {version}, this program knows {newest}: update the program, or start it with another folder"
        )
    if version == 0 and db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone():
        raise DatabaseUnusable(f"{path} belongs to another program: start this one with another folder")
    db.execute("PRAGMA journal_mode = WAL").fetchall()  # stays in the file; nothing was written before this line
    if 0 < version < newest:
        copies.copy(db, _backups(path) / f"before-schema-{version + 1}.db")
    db.create_function("findable", 1, lettering.findable, deterministic=True)
    for number, step in steps():
        if number > version:
            _apply(db, number, step.read_text(encoding="utf-8"), observe)


def _backups(path: Path) -> Path:
    folder = path.with_name(BACKUPS)
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


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
