"""Profiles of children. A nickname stands in this table and nowhere else."""

from collections.abc import Collection, Sequence

from bedtime.db import Connection, Row, listed
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


def update_child(tx: Connection, child: Child) -> bool:
    """Every story follows, since it holds slots. False if the profile is gone."""
    moved = tx.execute(
        """
        UPDATE children
           SET nickname = :nickname, band = :band, pronouns = :pronouns, likes = :likes, friends = :friends,
               leave_out = :leave_out
         WHERE id = :id
        """,
        {column: getattr(child, column) for column in _COLUMNS},
    )
    return moved.rowcount == 1


def delete_child(tx: Connection, child_id: int) -> None:
    """The profile goes, and the words of the wishes made for it; keys and jobs stay, so that an old tab buys nothing."""
    tx.execute(
        """
        UPDATE story_requests
           SET idea = '', today = '', lesson = ''
         WHERE id IN (SELECT request_id FROM casts WHERE child_id = :id)
        """,
        {"id": child_id},
    )
    tx.execute("DELETE FROM children WHERE id = :id", {"id": child_id})


def forget_stand_ins(tx: Connection, *, being_told: Collection[int]) -> list[int]:
    """What deleted children were called on the wire goes: it may be the name itself. In which requests it stood.

    Those that are `being_told` keep it: the answer has it.
    """
    rows = tx.execute(
        """
        UPDATE casts
           SET stand_in = ''
         WHERE child_id IS NULL AND stand_in <> '' AND request_id NOT IN (SELECT value FROM json_each(:being_told))
        RETURNING request_id
        """,
        {"being_told": listed(being_told)},
    ).fetchall()
    return [row["request_id"] for row in rows]


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
        "SELECT * FROM children WHERE id IN (SELECT value FROM json_each(:ids))", {"ids": listed(ids)}
    ).fetchall()
    return {row["id"]: child_of(row) for row in rows}


def by_turn(db: Connection, children: Sequence[Child]) -> list[Child]:
    """The same children, whoever led a story least lately first: the lead changes in turn."""
    rows = db.execute(
        """
        SELECT value AS child_id, (SELECT request_id
                                     FROM casts
                                    WHERE child_id = value AND position = 1
                                    ORDER BY request_id DESC
                                    LIMIT 1) AS led
          FROM json_each(:ids)
        """,
        {"ids": listed(child.id for child in children)},
    ).fetchall()
    led = {row["child_id"]: row["led"] for row in rows}
    lead = min(children, key=lambda child: led[child.id] or 0)
    return [lead, *(child for child in children if child is not lead)]


def stories_of_child_alone(db: Connection, child_id: int) -> list[int]:
    """The ids of stories that nobody else listened to."""
    rows = db.execute(
        """
        SELECT s.id
          FROM casts c JOIN stories s ON s.request_id = c.request_id
         WHERE c.child_id = :id AND c.listens = 1
           AND NOT EXISTS (SELECT 1
                             FROM casts other
                            WHERE other.request_id = c.request_id AND other.listens = 1 AND other.position <> c.position)
         ORDER BY s.id
        """,
        {"id": child_id},
    ).fetchall()
    return [row["id"] for row in rows]


def requests_of_child(db: Connection, child_id: int, *, alone: bool = False) -> set[int]:
    """The ids of wishes that this child has a place in; `alone`: that this child listens to, and nobody else."""
    rows = db.execute(
        """
        SELECT c.request_id
          FROM casts c
         WHERE c.child_id = :id
           AND (NOT :alone
                OR (c.listens = 1
                    AND NOT EXISTS (SELECT 1
                                      FROM casts other
                                     WHERE other.request_id = c.request_id AND other.listens = 1
                                       AND other.position <> c.position)))
        """,
        {"id": child_id, "alone": alone},
    ).fetchall()
    return {row["request_id"] for row in rows}


def child_of(row: Row) -> Child:
    return Child(**{column: row[column] for column in _COLUMNS})
