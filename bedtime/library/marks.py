"""What a family leaves in a story: how far they got, a heart, "again!", and what they thought of it."""

from collections.abc import Sequence

from bedtime.db import Connection

REACTIONS = ("loved_it", "too_scary", "too_long", "too_babyish", "too_hard")


def read_to(tx: Connection, story_id: int, paragraph: int, *, now: float) -> None:
    """We got this far: next night starts at this paragraph. Whoever reads it has it again."""
    tx.execute(
        """
        INSERT INTO readings (story_id, paragraph, read_at)
        VALUES (:story_id, :paragraph, :now)
            ON CONFLICT (story_id) DO UPDATE SET paragraph = excluded.paragraph, read_at = excluded.read_at
        """,
        {"story_id": story_id, "paragraph": paragraph, "now": now},
    )
    tx.execute("UPDATE stories SET again_at = NULL WHERE id = :id AND again_at IS NOT NULL", {"id": story_id})


def bookmark(db: Connection, story_id: int) -> int | None:
    """The paragraph we got to, from 1; None if nobody has read it yet."""
    row = db.execute("SELECT paragraph FROM readings WHERE story_id = :id", {"id": story_id}).fetchone()
    return None if row is None else int(row["paragraph"])


def last_read(db: Connection, story_id: int) -> float | None:
    """When we got there; None if nobody has read it yet."""
    row = db.execute("SELECT read_at FROM readings WHERE story_id = :id", {"id": story_id}).fetchone()
    return None if row is None else float(row["read_at"])


def move_bookmark(tx: Connection, story_id: int, places: Sequence[int]) -> None:
    """Another text: `places` has, for each paragraph of the old one, the one of the new one where we are now."""
    at = bookmark(tx, story_id)
    if at is not None:
        tx.execute(
            "UPDATE readings SET paragraph = :to WHERE story_id = :id",
            {"id": story_id, "to": places[min(at, len(places)) - 1]},
        )


def set_favourite(tx: Connection, story_id: int, *, favourite: bool) -> None:
    tx.execute("UPDATE stories SET favourite = :on WHERE id = :id", {"id": story_id, "on": int(favourite)})


def want_again(tx: Connection, story_id: int, *, now: float) -> None:
    """ "Again!": it lies on tonight's shelf until it is read."""
    tx.execute("UPDATE stories SET again_at = :now WHERE id = :id", {"id": story_id, "now": now})


def not_again(tx: Connection, story_id: int) -> None:
    tx.execute("UPDATE stories SET again_at = NULL WHERE id = :id", {"id": story_id})


def wanted_again(db: Connection, story_id: int) -> bool:
    row = db.execute("SELECT again_at FROM stories WHERE id = :id", {"id": story_id}).fetchone()
    return row is not None and row["again_at"] is not None


def react(tx: Connection, story_id: int, reaction: str, *, now: float) -> None:
    """What they thought of it; said twice it is said once."""
    tx.execute(
        """
        INSERT INTO reactions (story_id, reaction, created_at)
        VALUES (:story_id, :reaction, :now)
            ON CONFLICT (story_id, reaction) DO UPDATE SET created_at = excluded.created_at
        """,
        {"story_id": story_id, "reaction": reaction, "now": now},
    )


def take_back_reaction(tx: Connection, story_id: int, reaction: str) -> None:
    tx.execute(
        "DELETE FROM reactions WHERE story_id = :story_id AND reaction = :reaction",
        {"story_id": story_id, "reaction": reaction},
    )


def reactions_to(db: Connection, story_id: int) -> list[str]:
    rows = db.execute(
        "SELECT reaction FROM reactions WHERE story_id = :id ORDER BY reaction", {"id": story_id}
    ).fetchall()
    return [row["reaction"] for row in rows]
