"""Exactly what would be sent for a wish, before anybody asks: nothing is written."""

from bedtime import library
from bedtime.db import Connection
from bedtime.errors import NotFound
from bedtime.model import Child, Listener, StoryRequest, Wish
from bedtime.telling.preparing import Plan, plan_request


def preview(db: Connection, wish: Wish, *, max_tokens: int | None, send_names: bool, now: float) -> Plan:
    """The plan of the next request, if this wish is it: stand-ins and shape hang on its id.

    Raises NotFound for a child or a story that is gone.
    """
    if wish.continues is not None and library.story(db, wish.continues) is None:
        raise NotFound(f"there is no story {wish.continues} to continue")
    children = [_child(db, listener, new_id=-number) for number, listener in enumerate(wish.children, start=1)]
    lead_first = tuple(library.by_turn(db, list({child.id: child for child in children}.values())))
    request = StoryRequest(
        library.next_request_id(db), job_id=0, wish=wish, children=lead_first, shape="", created_at=now
    )
    return plan_request(db, request, max_tokens=max_tokens, send_names=send_names, now=now)


def _child(db: Connection, listener: Listener, *, new_id: int) -> Child:
    """A profile, or what would become one; such a one has an id below 0."""
    fields = {"nickname": listener.nickname, "band": listener.band, "pronouns": listener.pronouns}
    known = listener.child_id if listener.child_id is not None else library.find_child(db, **fields)
    if known is None:
        return Child(new_id, **fields)
    found = library.children_by_id(db, [known]).get(known)
    if found is None:
        raise NotFound(f"there is no child {known}")
    return found
