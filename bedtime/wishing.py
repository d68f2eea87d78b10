"""Wishes of readers' devices: left with the grown-ups, free, and answered by them. Asking for one is in `asking`."""

from bedtime import library
from bedtime.db import Database
from bedtime.errors import NotFound, TooManyWishes
from bedtime.model import Wish

MOST_OPEN, MOST_BYTES = 20, 8192  # for each device; of each wish


def wish_for(database: Database, wish: Wish, *, device_id: int | None, now: float) -> int:
    """Leave a wish; the same one again, while it is open, is the same wish.

    Raises NotFound (a child is gone: nothing would delete these words any more), TooManyWishes.
    """
    kept = library.fields_of(wish)
    if len(kept.encode()) > MOST_BYTES:
        raise ValueError(f"a wish has {MOST_BYTES} bytes at most")
    with database.transaction("wish") as tx:
        children = {child.child_id for child in wish.children}
        if children != library.children_by_id(tx, [one for one in children if one is not None]).keys():
            raise NotFound("a child of this wish is gone")
        mine = library.open_wishes_of(tx, device_id)
        same = next((one for one in mine if library.fields_of(one.wish) == kept), None)
        if same is not None:
            return same.id
        if len(mine) >= MOST_OPEN:
            raise TooManyWishes(f"{MOST_OPEN} wishes of this device wait already")
        return library.add_wish(tx, wish, device_id=device_id, now=now)


def set_aside(database: Database, wish_id: int, *, now: float) -> bool:
    """Not this one. False if it was answered before."""
    with database.transaction("set_aside") as tx:
        return library.decide_wish(tx, wish_id, request_id=None, now=now)
