"""Who may come in, through the years: sessions and codes whose time is over leave, and leaving altogether."""

from bedtime.db import Connection


def forget_expired(tx: Connection, *, before: float) -> int:
    """Sessions and pairing codes that had ended by then; how many."""
    sessions = tx.execute("DELETE FROM devices WHERE expires_at < :before RETURNING id", {"before": before}).fetchall()
    codes = tx.execute(
        "DELETE FROM pairings WHERE expires_at < :before RETURNING device_name", {"before": before}
    ).fetchall()
    return len(sessions) + len(codes)


def forget_all(tx: Connection) -> None:
    """Passphrase and PIN, every device and code, what was chosen. Then no grown-up exists."""
    tx.execute("DELETE FROM pairings")
    tx.execute("DELETE FROM devices")
    tx.execute("DELETE FROM settings")
    tx.execute("DELETE FROM secrets")
    tx.execute("UPDATE guesses SET failures = 0, blocked_until = 0")
