"""What may be a story in a body of a shape that nobody promised: it may have been paid for, and there is no other copy."""

import json
from collections.abc import Iterator
from contextlib import suppress

from bedtime.lettering import words_aloud

FEWEST_WORDS = 50  # less is a sentence about what went wrong


def text_of_another_shape(raw: bytes) -> str:
    """The longest string of a JSON text, or else the body itself; "" for a page of a proxy, and for a few words."""
    text = raw.decode("utf-8", "replace").replace("\0", "").strip()
    if text.startswith("<"):
        return ""
    with suppress(ValueError, RecursionError):  # no JSON, or one that was cut
        text = max(_strings(json.loads(text, strict=False)), key=len, default="")
    text = text.encode("utf-8", "replace").decode()
    return text if words_aloud(text) >= FEWEST_WORDS else ""


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)
