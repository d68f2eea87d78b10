"""What the household chose in the page: names and values, as text."""

from bedtime.db import Connection


def choice(db: Connection, name: str) -> str | None:
    """None if nothing was chosen: then what is set at the machine holds."""
    row = db.execute("SELECT value FROM settings WHERE name = :name", {"name": name}).fetchone()
    return None if row is None else str(row["value"])


def choices(db: Connection) -> dict[str, str]:
    """Everything that was chosen."""
    return {row["name"]: row["value"] for row in db.execute("SELECT name, value FROM settings").fetchall()}


def choose(tx: Connection, name: str, value: str | None, *, now: float) -> None:
    """None takes the choice back."""
    if value is None:
        tx.execute("DELETE FROM settings WHERE name = :name", {"name": name})
        return
    tx.execute(
        """
        INSERT INTO settings (name, value, changed_at)
        VALUES (:name, :value, :now)
            ON CONFLICT (name)
            DO UPDATE SET value = excluded.value, changed_at = excluded.changed_at
        """,
        {"name": name, "value": value, "now": now},
    )
