"""Profiles of children. A nickname stands in this table and nowhere else."""

import json
from collections.abc import Sequence

from bedtime.db import Connection, Row
from bedtime.model import Child

_COLUMNS = ("id", "nickname", "band", "pronouns", "likes", "friends", "leave_out")


def add_child(tx: Connection, *, nickname: str, band: str, pronouns: str, now: float) -> int:
    rows = tx.execute(
        """
        INSERT INTO children (nickname, band, pronouns, created_at)
        VALUES (:nickname, :band, :pronouns, :now)
        RETURNING id
        """,
        {"nickname": nickname, "band": band, "pronouns": pronouns, "now": now},
    ).fetchall()
    return int(rows[0]["id"])


def find_child(db: Connection, *, nickname: str, band: str, pronouns: str) -> int | None:
    """The profile with exactly these three fields, the oldest if there are several."""
    row = db.execute(
        """
        SELECT min(id) AS id
          FROM children
         WHERE nickname = :nickname AND band = :band AND pronouns = :pronouns
        """,
        {"nickname": nickname, "band": band, "pronouns": pronouns},
    ).fetchone()
    return None if row["id"] is None else int(row["id"])


def all_children(db: Connection) -> list[Child]:
    """Every profile, in the order in which they came."""
    return [child_of(row) for row in db.execute("SELECT * FROM children ORDER BY id").fetchall()]


def children_by_id(db: Connection, ids: Sequence[int]) -> dict[int, Child]:
    """Those of the profiles that exist."""
    rows = db.execute(
        "SELECT * FROM children WHERE id IN (SELECT value FROM json_each(:ids))", {"ids": json.dumps(list(ids))}
    ).fetchall()
    return {row["id"]: child_of(row) for row in rows}


def child_of(row: Row) -> Child:
    return Child(**{column: row[column] for column in _COLUMNS})
