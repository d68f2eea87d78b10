"""Guesses at the passphrase and at the PIN: counted for the household before they are checked.

Five are free. Each further one has to wait: one minute, two, four … up to an hour. A right one sets the count back.
"""

import math

from bedtime.db import Connection

PASSPHRASE, PIN = "passphrase", "pin"
FREE = 5
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 60, 3600
DOUBLINGS = 6  # of the first wait, to the longest


def count_guess(tx: Connection, what: str, *, now: float) -> bool:
    """True if this guess may be checked; it is counted then, so that of many at once only the free ones get through.

    A wait that ends later than the longest one can is no wait: the clock was set back.
    """
    rows = tx.execute(
        """
        UPDATE guesses
           SET failures = failures + 1,
               blocked_until = CASE WHEN failures + 1 < :free THEN 0
                                    WHEN failures + 1 - :free >= :doublings THEN :now + :longest
                                    ELSE :now + :first * (1 << (failures + 1 - :free))
                                END
         WHERE what = :what AND (blocked_until <= :now OR blocked_until > :now + :longest)
        RETURNING failures
        """,
        {
            "what": what,
            "now": now,
            "free": FREE,
            "doublings": DOUBLINGS,
            "first": FIRST_WAIT_SECONDS,
            "longest": LONGEST_WAIT_SECONDS,
        },
    ).fetchall()
    return bool(rows)


def blocked_seconds(db: Connection, what: str, *, now: float) -> int:
    """How long the next guess has to wait; 0 if it may be tried now."""
    row = db.execute("SELECT blocked_until FROM guesses WHERE what = :what", {"what": what}).fetchone()
    left = float(row["blocked_until"]) - now
    return math.ceil(left) if 0 < left <= LONGEST_WAIT_SECONDS else 0


def forgive(tx: Connection, what: str) -> None:
    """It was right: counting starts anew."""
    tx.execute("UPDATE guesses SET failures = 0, blocked_until = 0 WHERE what = :what", {"what": what})


def forgive_all(tx: Connection) -> None:
    """Whoever sits at the machine says so."""
    tx.execute("UPDATE guesses SET failures = 0, blocked_until = 0")
