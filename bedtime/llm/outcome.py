"""Which outcome an answer without a story is: a status, its headers and its error body, told as an exception.

Everything that is not certainly unbilled is `MaybeBilled`. Of what the provider says a short line is passed on, unless
it repeats what it was sent.
"""

import json
import re
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime

from bedtime.errors import Closed, Limited, MaybeBilled, ProviderError, Refused

LONGEST_WAIT = 1_000_000_000.0
_LONGEST_MESSAGE = 200
_SECONDS = re.compile(r"-?[0-9]+(\.[0-9]*)?")
_CONTENT_FILTER = re.compile(rb"content[ _-]?(filter|policy|management)|responsible_?ai", re.IGNORECASE)
_NO_QUOTA = b"insufficient_quota"
_CLOSED = {401: "key", 402: "money", 403: "key", 404: "model"}
_RUN = 3  # so many words in a row that we sent make a message an echo


def outcome(who: str, status: int, headers: Mapping[str, str], body: bytes, *, private: Sequence[str]) -> ProviderError:
    """The exception for a status other than 200. `who` answered; `private`: the key, then texts not to be repeated."""
    message = with_words(f"{who} answered {status}", body, private=private)
    if status == 429:
        return Limited(message, retry_after=retry_after(headers), quota=_NO_QUOTA in body)
    if status in _CLOSED:
        return Closed(message, reason=_CLOSED[status])
    if status in (400, 413, 415, 422):
        return Refused(message, billed=status == 400 and _CONTENT_FILTER.search(body) is not None)
    return MaybeBilled(message)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """`Retry-After` in seconds, 0 or more; a date counts from the answer's own `Date`. None if absent or nonsense."""
    value = headers.get("Retry-After", "").strip()
    if _SECONDS.fullmatch(value):
        return min(max(float(value), 0.0), LONGEST_WAIT)
    try:
        wait = parsedate_to_datetime(value) - parsedate_to_datetime(headers.get("Date", ""))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return min(max(wait.total_seconds(), 0.0), LONGEST_WAIT)


def with_words(message: str, said: bytes | object, *, private: Sequence[str]) -> str:
    """`message`, and what the provider said about it in one short line, if that is safe to repeat."""
    words = _message(_parsed(said) if isinstance(said, bytes) else said)
    words = "".join(letter if letter.isprintable() else " " for letter in words)
    words = _without_key(words, private[0])[:_LONGEST_MESSAGE]
    return f"{message}: {words}" if words and not _echoes(words, private[1:]) else message


def _parsed(body: bytes) -> object:
    try:
        parsed: object = json.loads(body.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    return parsed


def _message(said: object) -> str:
    """Out of `{"error": {"message"}}`, `{"error": "text"}`, either in a list, `{"message"}`, `{"detail"}`; else ""."""
    for _ in range(4):
        if isinstance(said, list) and said:
            said = said[0]
        elif isinstance(said, dict):
            said = said.get("error") or said.get("message") or said.get("detail")
    return said if isinstance(said, str) else ""


def _without_key(text: str, key: str) -> str:
    """Providers repeat a wrong key, with stars in its middle: no word that holds a part of it is passed on."""
    parts = [key[:6], key[-4:], "*"] if len(key) >= 8 else [key or "*", "*"]
    return " ".join("…" if any(part in word for part in parts) else word for word in text.split())


def _echoes(message: str, texts: Sequence[str]) -> bool:
    words = _plain_words(message)
    runs = [words[start : start + _RUN] for start in range(max(1, len(words) - _RUN + 1))]
    sent = [f" {' '.join(_plain_words(text))} " for text in texts]
    return any(f" {' '.join(run)} " in text for text in sent for run in runs if run)


def _plain_words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
