"""What a choice of a provider's message says: its text and its refusal, in whichever field of it they stand."""

from collections.abc import Iterator


def piece(choice: dict[str, object]) -> tuple[str, str]:
    """The text and the refusal of a part of a stream; "" where it holds none."""
    return _said(choice.get("delta"))


def whole(choice: dict[str, object]) -> tuple[str, str]:
    """The same of an answer that came in one: the fields of other shapes may stand beside it, null or empty."""
    shapes = (_said(choice.get(name)) for name in ("message", "text"))
    return next(filter(any, shapes), ("", ""))


def _said(shape: object) -> tuple[str, str]:
    fields = shape if isinstance(shape, dict) else {"content": shape}
    return "".join(_texts(fields.get("content"))), "".join(_texts(fields.get("refusal")))


def _texts(content: object) -> Iterator[str]:
    """A string, or a list of parts of which only those of text count (never those of thinking)."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, str):
                yield part
            elif isinstance(part, dict) and (part.get("type") or "text") in ("text", "output_text"):
                yield from _texts(part.get("text") if isinstance(part.get("text"), str) else None)
