"""The shelf through the years: whether a text is still what was written, what leaves by itself, and leaving altogether."""

from bedtime.db import Connection
from bedtime.library.stories import digest

AT_ONCE = 200


def not_as_written(db: Connection) -> list[int]:
    """The ids of stories whose text has another SHA-256 than when it was kept: SQLite does not see a flipped bit."""
    wrong: list[int] = []
    last = 0
    while rows := db.execute(
        "SELECT id, title, text, sha256 FROM stories WHERE id > :last ORDER BY id LIMIT :most",
        {"last": last, "most": AT_ONCE},
    ).fetchall():
        wrong += [row["id"] for row in rows if digest(row["title"], row["text"]) != row["sha256"]]
        last = rows[-1]["id"]
    return wrong


def story_ids(db: Connection) -> list[int]:
    """Every story, in the order in which they were told."""
    return [row["id"] for row in db.execute("SELECT id FROM stories ORDER BY id").fetchall()]


def request_ids(db: Connection) -> list[int]:
    """Every wish that was written down."""
    return [row["id"] for row in db.execute("SELECT id FROM story_requests ORDER BY id").fetchall()]


def is_empty(db: Connection) -> bool:
    """Nobody has asked for anything yet, and no child is known."""
    row = db.execute(
        "SELECT EXISTS (SELECT 1 FROM children) OR EXISTS (SELECT 1 FROM story_requests) AS kept"
    ).fetchone()
    return not row["kept"]


def begun_at(db: Connection) -> float | None:
    """When the first child or wish was written down, of those that are still here; None in an empty house."""
    row = db.execute(
        """
        SELECT min(at) AS at
          FROM (SELECT min(created_at) AS at FROM children
                 UNION ALL
                SELECT created_at AS at FROM story_requests WHERE id = (SELECT min(id) FROM story_requests)) AS firsts
        """
    ).fetchone()
    return None if row["at"] is None else float(row["at"])


def forget_notes(tx: Connection, *, expired_before: float) -> int:
    """Notes whose time was over by then; how many."""
    rows = tx.execute(
        "DELETE FROM notes WHERE expires_at < :before RETURNING id", {"before": expired_before}
    ).fetchall()
    return len(rows)


def forget_all(tx: Connection) -> None:
    """Children, wishes of every kind, stories, plans and notes; the words of the stories leave the search with them."""
    tx.execute("PRAGMA defer_foreign_keys = ON")
    tx.execute("DELETE FROM planned_evenings")
    tx.execute("DELETE FROM schedules")
    tx.execute("DELETE FROM notes")
    tx.execute("DELETE FROM wishes")
    tx.execute("DELETE FROM casts")
    tx.execute("DELETE FROM stories")
    tx.execute("DELETE FROM story_requests")
    tx.execute("DELETE FROM children")
    tx.execute("DELETE FROM story_words")
    tx.execute("INSERT INTO story_words (story_words) VALUES ('rebuild')")  # deleted words would stay in its segments
