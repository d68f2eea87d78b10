"""The shelf: stories as a list, newest first, in pages by key."""

from collections.abc import Sequence
from dataclasses import dataclass

from bedtime.db import Connection, Row


@dataclass(frozen=True, slots=True)
class ShelfStory:
    """A story as its card shows it; `title` holds slots."""

    id: int
    request_id: int
    title: str
    minutes: int
    told_by: str
    shape: str
    created_at: float
    paragraph: int | None

    @property
    def read(self) -> bool:
        return self.paragraph is not None


def shelf(
    db: Connection, *, before: int | None = None, child_id: int | None = None, most: int = 24
) -> list[ShelfStory]:
    """The newest stories with an id below `before`, of everybody or for one child."""
    rows = db.execute(
        """
        SELECT s.id, s.request_id, s.title, s.minutes, s.told_by, s.shape, s.created_at, r.paragraph
          FROM stories s LEFT JOIN readings r ON r.story_id = s.id
         WHERE (:before IS NULL OR s.id < :before)
           AND (:child_id IS NULL OR EXISTS (SELECT 1
                                               FROM casts c
                                              WHERE c.request_id = s.request_id AND c.child_id = :child_id AND c.listens = 1))
         ORDER BY s.id DESC
         LIMIT :most
        """,
        {"before": before, "child_id": child_id, "most": most},
    ).fetchall()
    return [_card(row) for row in rows]


def unread(db: Connection, *, most: int = 6) -> list[ShelfStory]:
    """What is ready and was never opened, newest first."""
    rows = db.execute(
        """
        SELECT s.id, s.request_id, s.title, s.minutes, s.told_by, s.shape, s.created_at, NULL AS paragraph
          FROM stories s
         WHERE NOT EXISTS (SELECT 1 FROM readings r WHERE r.story_id = s.id)
         ORDER BY s.id DESC
         LIMIT :most
        """,
        {"most": most},
    ).fetchall()
    return [_card(row) for row in rows]


def count_stories(db: Connection) -> int:
    return int(db.execute("SELECT count(*) AS stories FROM stories").fetchone()["stories"])


def book_tales(db: Connection, child_ids: Sequence[int]) -> list[str]:
    """The tales of the book that any of these children heard, most recent last."""
    heard: dict[str, int] = {}
    for child_id in child_ids:
        rows = db.execute(
            """
            SELECT s.tale, max(s.id) AS last
              FROM casts c JOIN stories s ON s.request_id = c.request_id
             WHERE c.child_id = :child_id AND s.tale IS NOT NULL
             GROUP BY s.tale
            """,
            {"child_id": child_id},
        ).fetchall()
        for row in rows:
            heard[row["tale"]] = max(row["last"], heard.get(row["tale"], 0))
    return sorted(heard, key=heard.__getitem__)


def tale_key(job_id: int) -> str:
    """The dedupe key of the tale that is told while this job waits: pressed twice, it is one."""
    return f"instead-of-{job_id}"


def _card(row: Row) -> ShelfStory:
    return ShelfStory(**dict(row))
