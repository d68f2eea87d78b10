"""Whose eyes a story is for. The rule stands in the schema, as `stories.guarded`; every question for a page goes by it.

approved_at  hidden_at  held      guarded: who may see it
   set          -        any         0     every device
    -           -        nothing     1     grown-ups, and readers' devices that need no approval
    -           -        a reason    2     grown-ups
   any         set       any         2     grown-ups
"""

from bedtime.db import Connection

APPROVED, UNHELD, EVERYTHING = 0, 1, 2  # eyes: they see stories whose `guarded` is at most this


def may_see(db: Connection, story_id: int, *, eyes: int) -> bool:
    """Whether a story is there, and for these eyes."""
    row = db.execute(
        "SELECT id FROM stories WHERE id = :id AND guarded <= :eyes", {"id": story_id, "eyes": eyes}
    ).fetchone()
    return row is not None
