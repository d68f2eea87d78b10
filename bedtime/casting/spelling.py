"""A text as words in their plainest spelling: no case, no accents, no invisible characters.

Thai, Chinese, Korean and others write no space round a name, so there each character is a word; so is each emoji.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_SPACELESS = frozenset({
    "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "TAI", "BALINESE", "JAVANESE", "CJK", "IDEOGRAPHIC", "BOPOMOFO", "YI",
    "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HENTAIGANA", "HALFWIDTH", "HANGUL",
})  # fmt: skip
_ALIKE = str.maketrans({"ı": "i", **dict.fromkeys("’‘ʼʻ`´＇", "'"), **dict.fromkeys("‐‑", "-")})
_ZERO_WIDTH_SPACE = "\u200b"
_PLAIN_TOKEN = re.compile(r"[A-Za-z]+|[0-9]+|(?P<gap>[\t-\r\x1c-\x20-]+)|.", re.DOTALL)
_LONGEST_CLUSTER = 30  # marks on one letter: the bound of Unicode's stream-safe text (UAX 15)


class Token(NamedTuple):
    """A word in its plainest spelling, and where it stands in the text as it was."""

    word: str
    start: int
    end: int


def tokens(text: str) -> Iterator[Token]:
    """The words of `text`, signs and gaps included; a run of spaces and hyphens is one gap, spelled as one space."""
    return _plain_tokens(text) if text.isascii() else _any_tokens(text)


def _plain_tokens(text: str) -> Iterator[Token]:
    """The same in a fraction of the time, for texts that may be megabytes of babble."""
    for found in _PLAIN_TOKEN.finditer(text):
        word = " " if found.lastgroup == "gap" else found[0].lower().replace("`", "'")
        yield Token(word, found.start(), found.end())


def _any_tokens(text: str) -> Iterator[Token]:
    clusters = (cluster for cluster in _clusters(text) if cluster.word)
    for kind, run in itertools.groupby(clusters, key=lambda cluster: kind_of(cluster.word[0]) or cluster.start):
        letters = list(run)
        word = " " if kind == "gap" else "".join(letter.word for letter in letters)
        yield Token(word, letters[0].start, letters[-1].end)


def _clusters(text: str) -> Iterator[Token]:
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or end - start > _LONGEST_CLUSTER or not _joins(text[end - 1], text[end]):
            yield Token(_fold(text[start:end]), start, end)
            start = end


def plain(text: str) -> str:
    """`text` in its plainest spelling, to be searched."""
    return "".join(cluster.word for cluster in _clusters(text))


@lru_cache(maxsize=4096)
def _joins(before: str, char: str) -> bool:
    if "\u1160" <= char <= "\u11ff":  # the later letters of a Korean syllable
        return "\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3"
    return unicodedata.category(char).startswith("M") or _is_invisible(char)


def _is_invisible(char: str) -> bool:
    return (unicodedata.category(char) == "Cf" and char != _ZERO_WIDTH_SPACE) or "\ufe00" <= char <= "\ufe0f"


@lru_cache(maxsize=4096)
def _fold(cluster: str) -> str:
    spelled = unicodedata.normalize("NFD", cluster)
    seen = "".join(char for char in spelled if not _is_invisible(char) and not _is_accent(char))
    return unicodedata.normalize("NFC", seen.casefold()).translate(_ALIKE)


def _is_accent(char: str) -> bool:
    """Latin, Greek, Cyrillic (200 and up), Hebrew and Arabic (10 to 35) marks; signs that are letters stay."""
    return (order := unicodedata.combining(char)) >= 200 or 10 <= order <= 35


@lru_cache(maxsize=4096)
def kind_of(char: str) -> str:
    """What a character runs together with: its script, digits, gaps; "" when it stands alone."""
    category = unicodedata.category(char)
    if char in "-\u200b" or char.isspace() or category.startswith("Z"):
        return "gap"
    if category.startswith("N"):
        return "digit"
    script = unicodedata.name(char, "").partition(" ")[0] if category[0] in "LM" else ""
    return "" if script in _SPACELESS else script
