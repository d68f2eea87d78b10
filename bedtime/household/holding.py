"""What holds now: what the household chose in the page; where it chose nothing (`otherwise`), what is set at the machine.

Read inside the transaction in which it counts: a choice holds from its commit on, in every process, without a restart.
"""

from bedtime.db import Connection
from bedtime.household.choices import choice

MONTHLY_CAP, SEND_NAMES, EXPIRY_HOURS = "monthly_cap_micros", "send_names", "expiry_hours"
ZONE, LANGUAGE, APPROVAL = "zone", "language", "approval"
KEY_HOST = "key_host:"  # and the fingerprint of a key
HOUR_SECONDS = 3600.0


def cap_micros(db: Connection, *, otherwise: int) -> int:
    """The most that may be spent in a month, in micros."""
    chosen = choice(db, MONTHLY_CAP)
    return otherwise if chosen is None else int(chosen)


def send_names(db: Connection, *, otherwise: bool) -> bool:
    """Whether nicknames go to the provider as they are."""
    chosen = choice(db, SEND_NAMES)
    return otherwise if chosen is None else chosen == "yes"


def expiry_seconds(db: Connection, *, otherwise: float) -> float:
    """How long a wish waits before it is not bought any more."""
    chosen = choice(db, EXPIRY_HOURS)
    return otherwise if chosen is None else float(chosen) * HOUR_SECONDS


def zone(db: Connection, *, otherwise: str) -> str:
    """The IANA name of the time zone by whose clocks the household lives: months and days are cut there."""
    return choice(db, ZONE) or otherwise


def language(db: Connection, *, otherwise: str = "en") -> str:
    """The language that a form begins with."""
    return choice(db, LANGUAGE) or otherwise


def approval(db: Connection, *, otherwise: bool = True) -> bool:
    """Whether a reader's new device sees approved stories only."""
    chosen = choice(db, APPROVAL)
    return otherwise if chosen is None else chosen == "yes"


def host_of_key(db: Connection, fingerprint: str) -> str | None:
    """The host to which the key with this fingerprint belongs: where it was used first, or was sent on purpose."""
    return choice(db, KEY_HOST + fingerprint)
