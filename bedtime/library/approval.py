"""What a grown-up says to a story before a reader's device shows it: approved, rewritten, hidden. Who then sees it: eyes.py."""

from dataclasses import dataclass

from bedtime.db import Connection, Row
from bedtime.library.stories import digest, make_findable


@dataclass(frozen=True, slots=True)
class Standing:
    """How a story stands with the grown-ups. Title and texts hold slots; `sha256` is that of the text as it is now."""

    story_id: int
    request_id: int
    title: str
    text: str
    sha256: str
    held: tuple[str, ...]
    approved_at: float | None
    hidden_at: float | None
    first_title: str | None
    first_text: str | None
    minutes: int
    told_by: str
    language: str
    created_at: float

    @property
    def waits(self) -> bool:
        return self.approved_at is None and self.hidden_at is None

    @property
    def guarded(self) -> bool:
        """Whether there may be a reader's device that must not see it."""
        return self.approved_at is None or self.hidden_at is not None


def standing(db: Connection, story_id: int) -> Standing | None:
    row = db.execute("SELECT * FROM stories WHERE id = :id", {"id": story_id}).fetchone()
    return None if row is None else _standing(row)


def to_approve(db: Connection, *, most: int) -> list[Standing]:
    """What waits for a grown-up, what a check held first, then the newest."""
    rows = db.execute(
        """
        SELECT *
          FROM stories
         WHERE approved_at IS NULL AND hidden_at IS NULL
         ORDER BY held = '', id DESC
         LIMIT :most
        """,
        {"most": most},
    ).fetchall()
    return [_standing(row) for row in rows]


def hidden_stories(db: Connection, *, most: int) -> list[Standing]:
    rows = db.execute(
        "SELECT * FROM stories WHERE hidden_at IS NOT NULL ORDER BY hidden_at DESC, id DESC LIMIT :most", {"most": most}
    ).fetchall()
    return [_standing(row) for row in rows]


def count_to_approve(db: Connection) -> tuple[int, int]:
    """How many stories wait for a grown-up, and how many of them a check held."""
    row = db.execute(
        """
        SELECT count(*) AS waiting, count(*) FILTER (WHERE held <> '') AS held
          FROM stories
         WHERE approved_at IS NULL AND hidden_at IS NULL
        """
    ).fetchone()
    return int(row["waiting"]), int(row["held"])


def approve(tx: Connection, story_id: int, *, sha256: str, now: float) -> bool:
    """For every device from now on. Only the text with this hash: nobody approves what they have not seen."""
    rows = tx.execute(
        """
        UPDATE stories
           SET approved_at = coalesce(approved_at, :now)
         WHERE id = :id AND sha256 = :sha256 AND hidden_at IS NULL
        RETURNING id
        """,
        {"id": story_id, "sha256": sha256, "now": now},
    ).fetchall()
    return bool(rows)


def approve_up_to(tx: Connection, story_id: int, *, now: float) -> int:
    """All that wait with an id up to this one and that no check held; how many."""
    rows = tx.execute(
        """
        UPDATE stories
           SET approved_at = :now
         WHERE approved_at IS NULL AND hidden_at IS NULL AND held = '' AND id <= :id
        RETURNING id
        """,
        {"id": story_id, "now": now},
    ).fetchall()
    return len(rows)


def rewrite(tx: Connection, story_id: int, *, title: str, text: str, minutes: int, sha256: str) -> bool:
    """Another title and text (with slots) for the one with this hash; as it was told first is kept. The search follows.

    False, and nothing changed, if the story is gone or was edited meanwhile.
    """
    rows = tx.execute(
        """
        UPDATE stories
           SET first_title = coalesce(first_title, title), first_text = coalesce(first_text, text),
               title = :title, text = :text, sha256 = :new_sha256, minutes = :minutes
         WHERE id = :id AND sha256 = :sha256
        RETURNING id
        """,
        {
            "id": story_id,
            "title": title,
            "text": text,
            "new_sha256": digest(title, text),
            "minutes": minutes,
            "sha256": sha256,
        },
    ).fetchall()
    if rows:
        make_findable(tx, story_id, title, text)
    return bool(rows)


def hide(tx: Connection, story_id: int, *, now: float) -> bool:
    """From every reader's device; hidden twice it is hidden once. False if it is gone."""
    rows = tx.execute(
        "UPDATE stories SET hidden_at = coalesce(hidden_at, :now) WHERE id = :id RETURNING id",
        {"id": story_id, "now": now},
    ).fetchall()
    return bool(rows)


def show_again(tx: Connection, story_id: int) -> bool:
    """As it was before it was hidden: approved, or waiting. False if it is gone."""
    rows = tx.execute("UPDATE stories SET hidden_at = NULL WHERE id = :id RETURNING id", {"id": story_id}).fetchall()
    return bool(rows)


def _standing(row: Row) -> Standing:
    return Standing(
        story_id=row["id"],
        request_id=row["request_id"],
        title=row["title"],
        text=row["text"],
        sha256=row["sha256"],
        held=tuple(row["held"].split()),
        approved_at=row["approved_at"],
        hidden_at=row["hidden_at"],
        first_title=row["first_title"],
        first_text=row["first_text"],
        minutes=row["minutes"],
        told_by=row["told_by"],
        language=row["language"],
        created_at=row["created_at"],
    )
