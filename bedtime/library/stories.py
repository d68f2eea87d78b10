"""Stories that are kept, and how far they were read."""

import hashlib

from bedtime.db import Connection, Row
from bedtime.errors import ClaimLost
from bedtime.model import Draft, Job, Story, StoryRequest


def add_story(
    tx: Connection, job: Job, request: StoryRequest, draft: Draft, *, told_by: str, now: float, tale: str | None = None
) -> int:
    """Keep a draft as the story of its job; its id. Raises ClaimLost if the job has one: of two that finish it one loses."""
    rows = tx.execute(
        """
        INSERT INTO stories (job_id, request_id, title, text, sha256, language, minutes, told_by, tale, shape, recap,
                             cast_text, flags, created_at)
        VALUES (:job_id, :request_id, :title, :text, :sha256, :language, :minutes, :told_by, :tale, :shape, :recap,
                :cast_text, :flags, :now)
            ON CONFLICT (job_id) DO NOTHING
        RETURNING id
        """,
        {
            "job_id": job.id,
            "request_id": request.id,
            "title": draft.title,
            "text": draft.text,
            "sha256": digest(draft.title, draft.text),
            "language": request.wish.language,
            "minutes": draft.minutes,
            "told_by": told_by,
            "tale": tale,
            "shape": request.shape,
            "recap": draft.recap,
            "cast_text": draft.cast,
            "flags": " ".join(draft.flags),
            "now": now,
        },
    ).fetchall()
    if not rows:
        raise ClaimLost(f"job {job.id} has its story already")
    return int(rows[0]["id"])


def story(db: Connection, story_id: int) -> Story | None:
    row = db.execute("SELECT * FROM stories WHERE id = :id", {"id": story_id}).fetchone()
    return None if row is None else _story(row)


def story_of_job(db: Connection, job_id: int) -> int | None:
    row = db.execute("SELECT id FROM stories WHERE job_id = :job_id", {"job_id": job_id}).fetchone()
    return None if row is None else int(row["id"])


def recent_of(db: Connection, child_id: int, *, most: int = 6) -> list[Story]:
    """The last stories told to a child, newest first: what the next one should not repeat."""
    rows = db.execute(
        """
        SELECT stories.*
          FROM casts JOIN stories ON stories.request_id = casts.request_id
         WHERE casts.child_id = :child_id AND casts.listens = 1
         ORDER BY stories.id DESC
         LIMIT :most
        """,
        {"child_id": child_id, "most": most},
    ).fetchall()
    return [_story(row) for row in rows]


def mark_opened(tx: Connection, story_id: int, *, now: float) -> None:
    """Somebody has opened it: it is no longer unread."""
    tx.execute(
        """
        INSERT INTO readings (story_id, read_at)
        VALUES (:story_id, :now)
            ON CONFLICT (story_id) DO UPDATE SET read_at = excluded.read_at
        """,
        {"story_id": story_id, "now": now},
    )


def read_to(tx: Connection, story_id: int, paragraph: int, *, now: float) -> None:
    """We got this far: next night starts at this paragraph."""
    tx.execute(
        """
        INSERT INTO readings (story_id, paragraph, read_at)
        VALUES (:story_id, :paragraph, :now)
            ON CONFLICT (story_id) DO UPDATE SET paragraph = excluded.paragraph, read_at = excluded.read_at
        """,
        {"story_id": story_id, "paragraph": paragraph, "now": now},
    )


def bookmark(db: Connection, story_id: int) -> int | None:
    """The paragraph we got to, from 1; None if the story was never opened."""
    row = db.execute("SELECT paragraph FROM readings WHERE story_id = :id", {"id": story_id}).fetchone()
    return None if row is None else int(row["paragraph"])


def digest(title: str, text: str) -> str:
    """SHA-256 (hex) of a story: a flipped bit inside a text passes SQLite's own integrity check."""
    return hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()


def _story(row: Row) -> Story:
    return Story(
        id=row["id"],
        job_id=row["job_id"],
        request_id=row["request_id"],
        title=row["title"],
        paragraphs=tuple(row["text"].split("\n\n")),
        language=row["language"],
        minutes=row["minutes"],
        told_by=row["told_by"],
        recap=row["recap"],
        cast=row["cast_text"],
        shape=row["shape"],
        flags=tuple(row["flags"].split()),
        created_at=row["created_at"],
    )
