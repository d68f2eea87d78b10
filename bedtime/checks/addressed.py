"""What is said past the story to whoever listens, or to whoever asked: orders, addresses, excuses."""

from bedtime.checks.plain import LISTS, anywhere, plain, untold, whole_words

_ORDERS = LISTS["orders"]
_WHO = "|".join(_ORDERS["who"])
_WHAT = "|".join(_ORDERS["what"])
_ORDER = anywhere([rf"(?:{_WHO})(?:{_WHAT})(?![\w-])", *(rf"(?:{one})(?!\w)" for one in _ORDERS["alone"])])
_LINK = anywhere(LISTS["links"]["hits"])
_PHONE = anywhere(rf"(?<![\w+-])(?<![0-9][.,])(?:{one})(?![\w-]|,[0-9])" for one in LISTS["phones"]["hits"])
_REFUSAL = whole_words(LISTS["refusal"]["hits"])


def orders(paragraph: str) -> bool:
    """Whether the storyteller tells a listening child to do something in the world; people in the story may."""
    return bool(_ORDER.search(plain(untold(paragraph))))


def is_refusal(paragraph: str) -> bool:
    """Whether the model itself speaks, and not the story."""
    return bool(_REFUSAL.search(plain(untold(paragraph))))


def holds_link(text: str) -> bool:
    """An address on the web, or of a mailbox, or the name of an account."""
    return bool(_LINK.search(plain(text)))


def holds_phone(text: str) -> bool:
    return bool(_PHONE.search(plain(text)))
