"""Who may come in, through the years: sessions and codes whose time is over leave, and leaving altogether."""

from bedtime.db import Connection
from bedtime.household.choices import choices, choose
from bedtime.household.holding import KEY_HOST, MONTHLY_CAP, SEND_NAMES


def forget_expired(tx: Connection, *, before: float) -> int:
    """Sessions and pairing codes that had ended by then; how many."""
    sessions = tx.execute("DELETE FROM devices WHERE expires_at < :before RETURNING id", {"before": before}).fetchall()
    codes = tx.execute(
        "DELETE FROM pairings WHERE expires_at < :before RETURNING device_name", {"before": before}
    ).fetchall()
    return len(sessions) + len(codes)


def take_stricter(tx: Connection, *, cap_micros: int, send_names: bool, now: float) -> None:
    """The smaller cap, and no names if either says no: of this database, and of the one it replaces (`replaced`).

    Where one of them chose nothing, what is set at the machine stands in: `cap_micros`, `send_names`. What is stricter is
    a choice from now on; where neither chose anything, nothing is chosen.
    """
    both = choices(tx), _choices_of_replaced(tx)
    if any(MONTHLY_CAP in chosen for chosen in both):
        smaller = min(int(chosen.get(MONTHLY_CAP, cap_micros)) for chosen in both)
        choose(tx, MONTHLY_CAP, str(smaller), now=now)
    machine = "yes" if send_names else "no"
    if any(SEND_NAMES in chosen for chosen in both) and any(chosen.get(SEND_NAMES, machine) == "no" for chosen in both):
        choose(tx, SEND_NAMES, "no", now=now)


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


def _choices_of_replaced(tx: Connection) -> dict[str, str]:
    return {row["name"]: row["value"] for row in tx.execute("SELECT name, value FROM replaced.settings").fetchall()}
