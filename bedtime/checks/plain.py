"""A text made plain enough for patterns, and the patterns, as the list has them."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

LISTS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("checks.toml").read_text(encoding="utf-8"))

_SLOT = r"\{child:[0-9]+\}"
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ`´＇", "'"))
_QUOTES = str.maketrans(dict.fromkeys("“”„«»", '"'))
_MARKS = re.compile(r"[*_]+")
_KEPT_SLOT = re.compile(r"\{child:([0-9]+)\}")
_SPEECH = re.compile(
    r'“[^”]*(?:”|$)|„[^“”]*(?:[“”]|$)|«[^»]*(?:»|$)|»[^«]*(?:«|$)|"[^"]*(?:"|$)|「[^」]*(?:」|$)'
    r"|(?<!\w)['‘](?=\S)[^\n]{0,800}?[.,!?…—–]['’](?!\w)"
)


def plain(text: str) -> str:
    """Lower case, straight quotes, single spaces, no marks of emphasis and nothing invisible."""
    seen = "".join(char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")
    bare = _MARKS.sub("", seen.translate(_APOSTROPHES).translate(_QUOTES))
    return " ".join(bare.lower().split())


def untold(paragraph: str) -> str:
    """What the storyteller says, without what the people of the story say to each other."""
    return _SPEECH.sub('" ', paragraph)


def whole_words(patterns: Iterable[str]) -> re.Pattern[str]:
    """One pattern of many, each for whole words; without patterns it matches nothing."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns) or '(?!)'})(?!\w)")


def anywhere(patterns: Iterable[str]) -> re.Pattern[str]:
    """One pattern of many; SLOT in them stands for a child's place."""
    return re.compile("|".join(patterns).replace("SLOT", _SLOT))


def has_open_slot(text: str, positions: frozenset[int]) -> bool:
    """A slot that nobody has, or something else that was meant to be filled in."""
    slots = {int(slot) for slot in _KEPT_SLOT.findall(text)}
    return bool(slots - positions) or bool(_OPEN.search(_KEPT_SLOT.sub("", text).lower()))


_OPEN = anywhere(LISTS["placeholders"]["hits"])
