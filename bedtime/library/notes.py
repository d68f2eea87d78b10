"""Notes that expire: "dentist on Thursday"; they go into the prompt until then."""

from dataclasses import dataclass

from bedtime.db import Connection


@dataclass(frozen=True, slots=True)
class Note:
    id: int
    text: str
    expires_at: float


def add_note(tx: Connection, text: str, *, expires_at: float, now: float) -> None:
    tx.execute(
        "INSERT INTO notes (text, expires_at, created_at) VALUES (:text, :expires_at, :now)",
        {"text": text, "expires_at": expires_at, "now": now},
    )


def delete_note(tx: Connection, note_id: int) -> None:
    tx.execute("DELETE FROM notes WHERE id = :id", {"id": note_id})


def current_notes(db: Connection, *, now: float) -> list[Note]:
    """Those that have not expired, the first to expire first."""
    rows = db.execute(
        "SELECT id, text, expires_at FROM notes WHERE expires_at > :now ORDER BY expires_at, id", {"now": now}
    ).fetchall()
    return [Note(**dict(row)) for row in rows]
