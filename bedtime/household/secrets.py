"""The household's passphrase and PIN, as hashes. While there are none, no grown-up exists."""

from dataclasses import dataclass, field

from bedtime.db import Connection


@dataclass(frozen=True, slots=True)
class Secrets:
    """What is kept of the passphrase and of the PIN."""

    passphrase: str = field(repr=False)
    pin: str = field(repr=False)


def has_grown_up(db: Connection) -> bool:
    """Whether a passphrase was ever set: only then may anybody come in from the network."""
    return db.execute("SELECT 1 AS one FROM secrets").fetchone() is not None


def kept_secrets(db: Connection) -> Secrets | None:
    row = db.execute("SELECT passphrase, pin FROM secrets").fetchone()
    return None if row is None else Secrets(row["passphrase"], row["pin"])


def set_first_secrets(tx: Connection, secrets: Secrets, *, now: float) -> bool:
    """False, and nothing changed, if there is a passphrase: set-up never overwrites one."""
    rows = tx.execute(
        """
        INSERT INTO secrets (id, passphrase, pin, changed_at)
        VALUES (1, :passphrase, :pin, :now)
            ON CONFLICT (id) DO NOTHING
        RETURNING id
        """,
        {"passphrase": secrets.passphrase, "pin": secrets.pin, "now": now},
    ).fetchall()
    return bool(rows)


def renew_secrets(tx: Connection, secrets: Secrets, *, now: float) -> None:
    """A new passphrase and a new PIN, whatever they were before: for whoever sits at the machine."""
    tx.execute(
        """
        INSERT INTO secrets (id, passphrase, pin, changed_at)
        VALUES (1, :passphrase, :pin, :now)
            ON CONFLICT (id)
            DO UPDATE SET passphrase = excluded.passphrase, pin = excluded.pin, changed_at = excluded.changed_at
        """,
        {"passphrase": secrets.passphrase, "pin": secrets.pin, "now": now},
    )
