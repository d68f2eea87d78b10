"""Who may come in, through the years: sessions and codes whose time is over leave, and leaving altogether."""

from bedtime.db import Connection
from bedtime.household.holding import KEY_HOST


def forget_expired(tx: Connection, *, before: float) -> int:
    """Sessions and pairing codes that had ended by then; how many."""
    sessions = tx.execute("DELETE FROM devices WHERE expires_at < :before RETURNING id", {"before": before}).fetchall()
    codes = tx.execute(
        "DELETE FROM pairings WHERE expires_at < :before RETURNING device_name", {"before": before}
    ).fetchall()
    return len(sessions) + len(codes)


def take_stricter(tx: Connection) -> None:
    """Of the cap and of whether names go out, the stricter: of this database, or of the one it replaces (`replaced`).

    A choice that was taken back there since, so that the machine's setting holds, is taken back here too.
    """
    tx.execute(
        """
        DELETE FROM settings
         WHERE name IN ('monthly_cap_micros', 'send_names') AND name NOT IN (SELECT name FROM replaced.settings)
        """
    )
    tx.execute(
        """
        INSERT INTO settings (name, value, changed_at)
        SELECT name, value, changed_at
          FROM replaced.settings
         WHERE name IN ('monthly_cap_micros', 'send_names')
            ON CONFLICT (name)
            DO UPDATE SET value = excluded.value, changed_at = excluded.changed_at
                    WHERE (name = 'send_names' AND excluded.value = 'no')
                       OR (name = 'monthly_cap_micros' AND CAST(excluded.value AS INTEGER) < CAST(value AS INTEGER))
        """
    )


def take_key_hosts(tx: Connection) -> None:
    """To which host each key belongs, as the replaced database (`replaced`) has it: it was there later."""
    tx.execute(
        """
        INSERT INTO settings (name, value, changed_at)
        SELECT name, value, changed_at
          FROM replaced.settings
         WHERE substr(name, 1, length(:prefix)) = :prefix
            ON CONFLICT (name)
            DO UPDATE SET value = excluded.value, changed_at = excluded.changed_at
        """,
        {"prefix": KEY_HOST},
    )


def forget_all(tx: Connection) -> None:
    """Passphrase and PIN, every device and code, what was chosen. Then no grown-up exists."""
    tx.execute("DELETE FROM pairings")
    tx.execute("DELETE FROM devices")
    tx.execute("DELETE FROM settings")
    tx.execute("DELETE FROM secrets")
    tx.execute("UPDATE guesses SET failures = 0, blocked_until = 0")
