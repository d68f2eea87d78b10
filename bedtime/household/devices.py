"""Who is let in: sessions of grown-ups and of readers, and the tokens of scripts; each a device with a name."""

from dataclasses import dataclass, replace

from bedtime.db import Connection, Row
from bedtime.household.hashing import hash_of_key

SESSION_SECONDS = 30 * 86400
FARTHEST_END_SECONDS = 2 * SESSION_SECONDS  # a clock that was a month wrong signs nobody out
SECONDS_BETWEEN_SIGHTINGS = 3600
FORMER_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Device:
    """A row of `devices`. `role` is reader, grown_up or script; a script's `expires_at` is None."""

    id: int
    name: str
    role: str
    approval: bool
    pin_until: float
    daily_cap_micros: int | None
    created_at: float
    seen_at: float
    expires_at: float | None


def add_device(
    tx: Connection,
    *,
    name: str,
    role: str,
    key: str,
    now: float,
    approval: bool = True,
    pin_until: float = 0.0,
    daily_cap_micros: int | None = None,
) -> int:
    """Let a device in by `key`, of which only the hash is kept; its id."""
    rows = tx.execute(
        """
        INSERT INTO devices (name, role, key_sha256, approval, pin_until, daily_cap_micros, created_at, seen_at, expires_at)
        VALUES (:name, :role, :key_sha256, :approval, :pin_until, :daily_cap_micros, :now, :now, :expires_at)
        RETURNING id
        """,
        {
            "name": name,
            "role": role,
            "key_sha256": hash_of_key(key),
            "approval": int(approval),
            "pin_until": pin_until,
            "daily_cap_micros": daily_cap_micros,
            "now": now,
            "expires_at": None if role == "script" else now + SESSION_SECONDS,
        },
    ).fetchall()
    return int(rows[0]["id"])


def device_of(db: Connection, key: str, *, script: bool, now: float) -> Device | None:
    """Whose session id this is, or whose token if `script`; None if it is nobody's, or its time is over.

    By its former session id a device is known for some seconds more, without the PIN. What ends later than it can
    does not hold: the clock was set back.
    """
    row = db.execute(
        """
        SELECT *, key_sha256 <> :key_sha256 AS by_former
          FROM devices
         WHERE (key_sha256 = :key_sha256
                OR former_key_sha256 = :key_sha256 AND former_until > :now AND former_until <= :now + :former)
           AND (role = 'script') = :script
           AND (expires_at IS NULL OR expires_at > :now AND expires_at <= :now + :farthest)
        """,
        {
            "key_sha256": hash_of_key(key),
            "script": int(script),
            "now": now,
            "former": FORMER_SECONDS,
            "farthest": FARTHEST_END_SECONDS,
        },
    ).fetchone()
    if row is None:
        return None
    return replace(_device(row), pin_until=0.0) if row["by_former"] else _device(row)


def all_devices(db: Connection, *, now: float) -> list[Device]:
    """Every device whose time is not over, the newest first; also one that ends too late to be let in now."""
    rows = db.execute(
        "SELECT * FROM devices WHERE expires_at IS NULL OR expires_at > :now ORDER BY id DESC", {"now": now}
    ).fetchall()
    return [_device(row) for row in rows]


def give_pin(tx: Connection, device_id: int, *, old_key: str, new_key: str, until: float, now: float) -> bool:
    """The PIN was right: it holds `until` then, under a new session id. False if the session was ended meanwhile.

    Pressed twice, the second press comes under the session id that the first has just ended.
    """
    rows = tx.execute(
        """
        UPDATE devices
           SET key_sha256 = :new_key_sha256, pin_until = :until,
               former_key_sha256 = :old_key_sha256, former_until = :former_until
         WHERE id = :id AND role = 'grown_up'
           AND (key_sha256 = :old_key_sha256
                OR former_key_sha256 = :old_key_sha256 AND former_until > :now AND former_until <= :former_until)
        RETURNING id
        """,
        {
            "id": device_id,
            "old_key_sha256": hash_of_key(old_key),
            "new_key_sha256": hash_of_key(new_key),
            "until": until,
            "former_until": now + FORMER_SECONDS,
            "now": now,
        },
    ).fetchall()
    return bool(rows)


def was_seen(tx: Connection, device_id: int, *, now: float) -> None:
    """It called: a reader's thirty days begin anew, a grown-up's do not."""
    tx.execute(
        """
        UPDATE devices
           SET seen_at = :now, expires_at = CASE WHEN role = 'reader' THEN :expires_at ELSE expires_at END
         WHERE id = :id
        """,
        {"id": device_id, "now": now, "expires_at": now + SESSION_SECONDS},
    )


def change_device(tx: Connection, device_id: int, *, name: str | None, approval: bool | None) -> bool:
    """None leaves it as it is. False if the device is gone. `approval` says something for readers only."""
    rows = tx.execute(
        """
        UPDATE devices
           SET name = coalesce(:name, name), approval = coalesce(:approval, approval)
         WHERE id = :id
        RETURNING id
        """,
        {"id": device_id, "name": name, "approval": None if approval is None else int(approval)},
    ).fetchall()
    return bool(rows)


def sign_out(tx: Connection, device_id: int) -> None:
    """Its session or its token is good for nothing from now on."""
    tx.execute("DELETE FROM devices WHERE id = :id", {"id": device_id})


def sign_out_session(tx: Connection, key: str) -> None:
    """End the session with this id, if there is one; also by the id that it had before."""
    tx.execute(
        "DELETE FROM devices WHERE :key_sha256 IN (key_sha256, former_key_sha256) AND role <> 'script'",
        {"key_sha256": hash_of_key(key)},
    )


def sign_out_all(tx: Connection) -> None:
    """Sessions and tokens alike."""
    tx.execute("DELETE FROM devices")


def _device(row: Row) -> Device:
    return Device(
        id=row["id"],
        name=row["name"],
        role=row["role"],
        approval=bool(row["approval"]),
        pin_until=row["pin_until"],
        daily_cap_micros=row["daily_cap_micros"],
        created_at=row["created_at"],
        seen_at=row["seen_at"],
        expires_at=row["expires_at"],
    )
