"""A text as words in their plainest spelling: no case, no accents, no invisible characters.

Thai, Chinese, Korean and others write no space round a name, so there each character is a word; so is each emoji.
"""

import itertools
import re
import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

_SPACELESS = frozenset({
    "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "TAI", "BALINESE", "JAVANESE", "CJK", "IDEOGRAPHIC", "BOPOMOFO", "YI",
    "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HENTAIGANA", "HALFWIDTH", "HANGUL",
})  # fmt: skip
_ALIKE = str.maketrans({
    "ı": "i", **dict.fromkeys("’‘‛ʼʻʽʹˈ`´＇′‵׳՚ꞌ", "'"), **dict.fromkeys("“”„‟＂″״", '"'), **dict.fromkeys("‐‑−־", "-"),
})  # fmt: skip
_STRETCHERS = frozenset("\u0640\u07fa\u180a")  # they draw out the letter before them: محـمد is محمد
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


def bare_tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The words of `text` between `start` and `end` with their letters bare, and where each stands in `text`.

    Ｍｉａ, 𝓜𝓲𝓪 and ﾐｱ are names bare, Mia™ only as it stands: bare it is "miatm". What stands in a dress of several letters,
    as both do in ﬁ, starts and ends where the dress does.
    """
    spelled = [(letter, at) for at, char in enumerate(text[start:end], start) for letter in _bare(char)]
    for word, first, last in tokens("".join(letter for letter, _ in spelled)):
        yield Token(word, spelled[first][1], spelled[last - 1][1] + 1)


def dresses(text: str, words: Iterable[str]) -> frozenset[str]:
    """Those characters of `text` that may hide `words`: bare, these may stand where they do not stand as it is."""
    if text.isascii():
        return frozenset()
    letters = frozenset(itertools.chain.from_iterable(unicodedata.normalize("NFD", word) for word in words))
    return frozenset(char for char in set(text) if _bare(char) != char and _may_tell(char, letters))


def stretches(text: str, spoken: Iterable[Token], worn: frozenset[str], *, reach: int) -> Iterator[tuple[int, int]]:
    """Start and end of each run of `spoken` with characters of `worn` in it, and `reach` words on either side of those.

    `spoken` are the tokens of `text`. Runs that would touch are one.
    """
    starts: deque[int] = deque(maxlen=reach + 1)
    start = end = left = 0
    for token in spoken:
        starts.append(token.start)
        if not worn.isdisjoint(text[token.start : token.end]):
            start, left = start if left else starts[0], 2 * reach + 1
        end = token.end if left > reach else end
        left -= left > 0
        if left == 0 < end:
            yield start, end
            end = 0
    if end:
        yield start, end


def plain(text: str) -> str:
    """`text` in its plainest spelling, its letters bare, to be searched."""
    return "".join(cluster.word for cluster in _clusters("".join(map(_bare, text))))


@lru_cache(maxsize=4096)
def _bare(char: str) -> str:
    """Its compatible letters (UAX 15); itself if they begin with a space, which stands for nothing but an empty place."""
    spelled = unicodedata.normalize("NFKC", char)
    return char if spelled.startswith(" ") else spelled


def _may_tell(dress: str, letters: frozenset[str]) -> bool:
    """Whether it has one of `letters` beneath it, or nothing, or lets go of a neighbour that it holds as it stands."""
    worn, beneath = _fold(dress), _fold(_bare(dress))
    if not worn or not beneath:
        return True
    kind = kind_of(worn[0])
    if kind and (kind_of(beneath[0]) != kind or kind_of(beneath[-1]) != kind):
        return True
    spelled = unicodedata.normalize("NFD", beneath)
    return not letters.isdisjoint(" " if kind_of(letter) == "gap" else letter for letter in spelled)


@lru_cache(maxsize=4096)
def _joins(before: str, char: str) -> bool:
    if "\u1160" <= char <= "\u11ff":  # the later letters of a Korean syllable
        return "\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3"
    return unicodedata.category(char).startswith("M") or _is_unseen(char)


def _is_unseen(char: str) -> bool:
    is_format = unicodedata.category(char) == "Cf" and char != _ZERO_WIDTH_SPACE
    return is_format or "\ufe00" <= char <= "\ufe0f" or char in _STRETCHERS


@lru_cache(maxsize=4096)
def _fold(cluster: str) -> str:
    spelled = unicodedata.normalize("NFD", cluster)
    seen = "".join(char for char in spelled if not _is_unseen(char) and not _is_accent(char))
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
