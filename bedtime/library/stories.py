"""Stories that are kept: in series, and findable."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from bedtime.db import Connection, Row, listed
from bedtime.errors import ClaimLost
from bedtime.lettering import findable
from bedtime.library.eyes import EVERYTHING
from bedtime.model import Draft, Job, Story, StoryRequest


@dataclass(frozen=True, slots=True)
class Told:
    """Who told it and where it plays: `by` is `book` or the model, `tale` the slug of the book's tale.

    `held` says why a grown-up should look at it first, in the words of `checks`.
    """

    by: str
    place: str = ""
    season: str = ""
    tale: str | None = None
    held: tuple[str, ...] = ()


def add_story(tx: Connection, job: Job, request: StoryRequest, draft: Draft, told: Told, *, now: float) -> int:
    """Keep a draft as the story of its job; its id. Raises ClaimLost if the job has one: of two that finish it one loses."""
    series, part = _next_part(tx, request.wish.continues)
    rows = tx.execute(
        """
        INSERT INTO stories (job_id, request_id, title, text, sha256, language, minutes, told_by, tale, shape, recap,
                             cast_text, flags, held, place, season, series, part, created_at)
        VALUES (:job_id, :request_id, :title, :text, :sha256, :language, :minutes, :told_by, :tale, :shape, :recap,
                :cast_text, :flags, :held, :place, :season, :series, :part, :now)
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
            "told_by": told.by,
            "tale": told.tale,
            "shape": request.shape,
            "recap": draft.recap,
            "cast_text": draft.cast,
            "flags": " ".join(draft.flags),
            "held": " ".join(told.held),
            "place": told.place,
            "season": told.season,
            "series": series,
            "part": part,
            "now": now,
        },
    ).fetchall()
    if not rows:
        raise ClaimLost(f"job {job.id} has its story already")
    story_id = int(rows[0]["id"])
    make_findable(tx, story_id, draft.title, draft.text)
    return story_id


def story(db: Connection, story_id: int) -> Story | None:
    row = db.execute("SELECT * FROM stories WHERE id = :id", {"id": story_id}).fetchone()
    return None if row is None else _story(row)


def story_of_job(db: Connection, job_id: int) -> int | None:
    row = db.execute("SELECT id FROM stories WHERE job_id = :job_id", {"job_id": job_id}).fetchone()
    return None if row is None else int(row["id"])


def stories_of_jobs(db: Connection, job_ids: Sequence[int]) -> dict[int, int]:
    """For each of the jobs that told one, its story."""
    if not job_ids:
        return {}
    rows = db.execute(
        "SELECT id, job_id FROM stories WHERE job_id IN (SELECT value FROM json_each(:ids))",
        {"ids": listed(job_ids)},
    ).fetchall()
    return {row["job_id"]: row["id"] for row in rows}


def recent_of(db: Connection, child_id: int, *, most: int = 6) -> list[Story]:
    """The last stories told to a child, newest first: what the next one should not repeat."""
    rows = db.execute(
        """
        SELECT stories.*
          FROM casts JOIN stories ON stories.request_id = casts.request_id
         WHERE casts.child_id = :child_id AND casts.listens = 1
         ORDER BY casts.request_id DESC
         LIMIT :most
        """,
        {"child_id": child_id, "most": most},
    ).fetchall()
    return [_story(row) for row in rows]


def parts_of(db: Connection, series: int, *, eyes: int) -> list[tuple[int, int]]:
    """The parts of a series that these eyes may see, as (part, story id), in order."""
    rows = db.execute(
        """
        SELECT part, id
          FROM stories
         WHERE (id = :series OR series = :series) AND guarded <= :eyes
         ORDER BY part, id
        """,
        {"series": series, "eyes": eyes},
    ).fetchall()
    return [(row["part"], row["id"]) for row in rows]


def delete_story(tx: Connection, story_id: int) -> None:
    """Its text, its words in the search and what was thought of it go; its job and its call stay in their tables."""
    tx.execute("DELETE FROM story_words WHERE rowid = :id", {"id": story_id})
    tx.execute("UPDATE story_requests SET continues = NULL WHERE continues = :id", {"id": story_id})
    tx.execute("DELETE FROM stories WHERE id = :id", {"id": story_id})


def make_findable(tx: Connection, story_id: int, title: str, text: str) -> None:
    """By the words of this title and this text, and by no others; a name is found by whose it is."""
    tx.execute("DELETE FROM story_words WHERE rowid = :id", {"id": story_id})
    tx.execute(
        "INSERT INTO story_words (rowid, title, text) VALUES (:id, :title, :text)",
        {"id": story_id, "title": findable(title), "text": findable(text)},
    )


def digest(title: str, text: str) -> str:
    """SHA-256 (hex) of a story: a flipped bit inside a text passes SQLite's own integrity check."""
    return hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()


def _next_part(tx: Connection, continues: int | None) -> tuple[int | None, int]:
    """Which series, and which part of it, a story is that goes on from another."""
    before = story(tx, continues) if continues is not None else None
    if before is None:
        return None, 1
    series = before.series or before.id
    return series, max(part for part, _ in parts_of(tx, series, eyes=EVERYTHING)) + 1


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
        tale=row["tale"],
        recap=row["recap"],
        cast=row["cast_text"],
        shape=row["shape"],
        place=row["place"],
        season=row["season"],
        series=row["series"],
        part=row["part"],
        favourite=bool(row["favourite"]),
        flags=tuple(row["flags"].split()),
        created_at=row["created_at"],
    )
