"""Pairing codes: each works once, for ten minutes, for the role that was chosen when it was made."""

from dataclasses import dataclass

from bedtime.db import Connection, Row
from bedtime.household.hashing import hash_of_key

PAIRING_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Pairing:
    """What a device becomes that shows the code: `role` is reader or grown_up."""

    device_name: str
    role: str
    approval: bool


def add_pairing(tx: Connection, pairing: Pairing, *, code: str, now: float) -> None:
    """Codes that do not work leave at the same time."""
    tx.execute(
        "DELETE FROM pairings WHERE expires_at <= :now OR expires_at > :now + :pairing",
        {"now": now, "pairing": PAIRING_SECONDS},
    )
    tx.execute(
        """
        INSERT INTO pairings (code_sha256, device_name, role, approval, expires_at)
        VALUES (:code_sha256, :device_name, :role, :approval, :expires_at)
        """,
        {
            "code_sha256": hash_of_key(code),
            "device_name": pairing.device_name,
            "role": pairing.role,
            "approval": int(pairing.approval),
            "expires_at": now + PAIRING_SECONDS,
        },
    )


def open_pairing(db: Connection, code: str, *, now: float) -> Pairing | None:
    """What the code stands for, as long as it works.

    One that ends later than a new one would is none: the clock was set back.
    """
    row = db.execute(
        """
        SELECT device_name, role, approval FROM pairings
         WHERE code_sha256 = :code_sha256 AND expires_at > :now AND expires_at <= :now + :pairing
        """,
        {"code_sha256": hash_of_key(code), "now": now, "pairing": PAIRING_SECONDS},
    ).fetchone()
    return None if row is None else _pairing(row)


def use_pairing(tx: Connection, code: str, *, now: float) -> Pairing | None:
    """Use the code up. None if it was used before, or does not work now."""
    rows = tx.execute(
        """
        DELETE FROM pairings
         WHERE code_sha256 = :code_sha256 AND expires_at > :now AND expires_at <= :now + :pairing
        RETURNING device_name, role, approval
        """,
        {"code_sha256": hash_of_key(code), "now": now, "pairing": PAIRING_SECONDS},
    ).fetchall()
    return _pairing(rows[0]) if rows else None


def end_pairings(tx: Connection) -> None:
    """No code that was made before works any more."""
    tx.execute("DELETE FROM pairings")


def _pairing(row: Row) -> Pairing:
    return Pairing(row["device_name"], row["role"], bool(row["approval"]))
