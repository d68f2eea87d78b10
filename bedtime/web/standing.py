"""How a story stands with the grown-ups, as their pages say it; and what no browser may store."""

from dataclasses import dataclass

from flask import g

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


def keep_out_of_caches(guarded: bool = True) -> None:
    """What is not for every device is stored by no browser: the next one at this screen might go back to it.

    At the computer itself, before there is a passphrase, there is nobody to keep it from.
    """
    g.not_kept = g.get("not_kept", False) or (guarded and not the_visitor().at_home)
