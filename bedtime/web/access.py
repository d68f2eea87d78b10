"""Who may do what: every endpoint with the least role that it takes. This table alone grants; what is not in it is closed.

A new page gets a row here. Forms that lead to a page behind the PIN are plain forms without `hx-post`: a press that is
stopped by the PIN is carried through it with all that was typed.
"""

from enum import IntEnum


class Role(IntEnum):
    """Each may do what those before it may. A script stands apart: it has a list of its own."""

    SCRIPT = -1
    NOBODY = 0
    READER = 1
    GROWN_UP = 2
    WITH_PIN = 3


TABLE = {
    "static": Role.NOBODY,
    "look.change": Role.NOBODY,
    "look.moon": Role.NOBODY,
    "look.offline": Role.NOBODY,
    "health.healthz": Role.NOBODY,
    "signing.sign_in": Role.NOBODY,
    "signing.enter": Role.NOBODY,
    "signing.sign_out": Role.NOBODY,
    "setup.form": Role.NOBODY,
    "setup.set_up": Role.NOBODY,
    "pairing.code": Role.NOBODY,
    "pairing.pair": Role.NOBODY,
    #
    "tonight.index": Role.READER,
    "stories.shelf": Role.READER,
    "stories.story": Role.READER,
    "stories.cover": Role.READER,
    "stories.export": Role.READER,
    "stories.reading": Role.READER,
    "stories.mark": Role.READER,
    "wishes.add": Role.READER,
    #
    "signing.pin": Role.GROWN_UP,
    "signing.give_pin": Role.GROWN_UP,
    "stories.generate": Role.GROWN_UP,
    "stories.preview": Role.GROWN_UP,
    "stories.job": Role.GROWN_UP,
    "stories.cancel": Role.GROWN_UP,
    "stories.tale": Role.GROWN_UP,
    "stories.again": Role.GROWN_UP,  # and the PIN, where the first answer may have been billed: the view asks for it
    "wishes.ask": Role.GROWN_UP,
    "wishes.set_aside": Role.GROWN_UP,
    "grownups.index": Role.GROWN_UP,
    "metrics.metrics": Role.GROWN_UP,
    "children.index": Role.GROWN_UP,
    "children.add": Role.GROWN_UP,
    "children.change": Role.GROWN_UP,
    "children.leaving": Role.GROWN_UP,
    "evenings.index": Role.GROWN_UP,
    "evenings.add": Role.GROWN_UP,
    "evenings.pause": Role.GROWN_UP,
    "evenings.delete": Role.GROWN_UP,
    "evenings.add_note": Role.GROWN_UP,
    "evenings.delete_note": Role.GROWN_UP,
    #
    "children.delete": Role.WITH_PIN,
}

BEHIND_THE_PIN = frozenset({"devices", "money", "queue", "settings", "safety", "keeping"})  # whole blueprints

SCRIPTS = frozenset(
    {"stories.generate", "stories.job", "stories.story", "stories.shelf", "health.healthz", "metrics.metrics"}
)


def least(endpoint: str) -> Role | None:
    """The least role that an endpoint takes; None: it is in no list, and closed to everybody."""
    if endpoint.partition(".")[0] in BEHIND_THE_PIN:
        return TABLE.get(endpoint, Role.WITH_PIN)
    return TABLE.get(endpoint)


def may_enter(role: Role, endpoint: str) -> bool:
    """Whether the table lets this role in."""
    needed = least(endpoint)
    if needed is None:
        return False
    return needed is Role.NOBODY or role >= needed or (role is Role.SCRIPT and endpoint in SCRIPTS)
