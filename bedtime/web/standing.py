"""How a story stands with the grown-ups, as their pages say it."""

from dataclasses import dataclass

from bedtime import household, library
from bedtime.db import Connection
from bedtime.web.doors import the_visitor


@dataclass(frozen=True, slots=True)
class Notice:
    """Why readers' devices do not show a story: `held` are codes, none for one that only waits."""

    held: tuple[str, ...]
    hidden: bool


def notice(db: Connection, story_id: int, *, now: float) -> Notice | None:
    """What a grown-up finds on top of a story. Nothing on one that only waits, in a house where nobody waits for it."""
    if not the_visitor().is_grown_up:
        return None
    standing = library.standing(db, story_id)
    if standing is None or not standing.guarded:
        return None
    if standing.hidden_at is None and not standing.held and not has_readers(db, now=now):
        return None
    return Notice(standing.held, standing.hidden_at is not None)


def waiting(db: Connection, *, now: float) -> int:
    """How many stories wait for a grown-up: all that are not approved where a reader's device is let in, else the held."""
    everything, held = library.count_to_approve(db)
    return everything if has_readers(db, now=now) else held


def has_readers(db: Connection, *, now: float) -> bool:
    return any(device.role == "reader" for device in household.all_devices(db, now=now))
