"""The bare loop: the very statements that an operation of ours ran, recorded once, then replayed with nothing around them."""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bedtime.db import Database
from bedtime.db.connection import connect
from bedtime.db.database import COMMITS_BETWEEN_CHECKPOINTS

FRESH = ("key",)


@dataclass
class Step:
    """One statement with its values; `takes` are values that an earlier step of the same transaction returned.

    `fresh` are the names of values that may have to be new each time; `returns`: a later step may take its id.
    """

    statement: str
    values: Any
    takes: Mapping[str, int]
    fresh: tuple[str, ...]
    returns: bool


class Recorded:
    """A connection that writes down what is run through it."""

    def __init__(self, tx: sqlite3.Connection, steps: list[Step]) -> None:
        self._tx = tx
        self._steps = steps
        self._returned: dict[int, int] = {}

    def execute(self, statement: str, values: Any = ()) -> "Rows":
        cursor = self._tx.execute(statement, values)
        rows = cursor.fetchall()
        self._note(statement, values)
        if rows and self._steps[-1].returns:
            self._returned[rows[0]["id"]] = len(self._steps) - 1
        return Rows(rows, cursor.rowcount)

    def executemany(self, statement: str, many: Any) -> None:
        for values in many:
            self.execute(statement, values)

    def _note(self, statement: str, values: Any) -> None:
        named = values if isinstance(values, dict) else {}
        takes = {name: self._returned[v] for name, v in named.items() if name.endswith("id") and v in self._returned}
        fresh = tuple(name for name in named if name in FRESH)
        returns = re.search(r"RETURNING (id|\*)", statement) is not None
        self._steps.append(Step(statement, values, takes, fresh, returns))


@dataclass
class Rows:
    rows: list[Any]
    rowcount: int

    def fetchall(self) -> list[Any]:
        return self.rows

    def fetchone(self) -> Any:
        return self.rows[0] if self.rows else None


class RecordingDatabase:
    """Stands in for the Database of one operation."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.transactions: list[list[Step]] = []

    @contextmanager
    def transaction(self, name: str) -> Iterator[Any]:
        self.transactions.append([])
        with self._database.transaction(name) as tx:
            yield Recorded(tx, self.transactions[-1])

    @contextmanager
    def reading(self) -> Iterator[Any]:
        self.transactions.append([])
        with self._database.reading() as db:
            yield Recorded(db, self.transactions[-1])


def replay(
    db: sqlite3.Connection, steps: list[Step], fresh: Mapping[str, Any], *, begin: str = "BEGIN IMMEDIATE"
) -> None:
    """Run the steps as one transaction; `fresh` replaces values by name, such as a key that has to be new."""
    returned: dict[int, Any] = {}
    db.execute(begin)
    for at, step in enumerate(steps):
        values = step.values
        if step.fresh:
            values = {**values, **{name: fresh[name] for name in step.fresh if name in fresh}}
        if step.takes:
            values = {**values, **{name: returned[source] for name, source in step.takes.items()}}
        rows = db.execute(step.statement, values).fetchall()
        if step.returns and rows:
            returned[at] = rows[0]["id"]
    db.execute("COMMIT")


def open_bare(path: Path) -> sqlite3.Connection:
    """A connection with the same pragmas."""
    return connect(path, busy_seconds=5.0)


def checkpoint_now_and_then(db: sqlite3.Connection, commits: int) -> None:
    """At the pace of ours."""
    if commits % COMMITS_BETWEEN_CHECKPOINTS == 0:
        db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
