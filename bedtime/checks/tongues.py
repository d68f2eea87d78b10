"""Whether a text is in another language than was wished for: said only when there is no doubt."""

import unicodedata
from collections import Counter
from functools import lru_cache

from bedtime.checks.plain import LISTS, plain

ENOUGH_LETTERS, ENOUGH_WORDS = 40, 40
NEXT_TO_NONE, A_GOOD_PART = 0.03, 0.12  # of all words are the little words of the wished, and of another language
_LOOKED_AT = 6000  # characters: a language shows in a page or two

_SCRIPT = {language: script for script, languages in LISTS["scripts"].items() for language in languages}
_LITTLE = {language: frozenset(words.split()) for language, words in LISTS["little_words"].items()}
_SAME = {"HIRAGANA": "CJK", "KATAKANA": "CJK"}


def is_another(text: str, wished: str) -> bool:
    """False for a language that we know nothing of, for a tag that names its script, and for a short text."""
    language, *more = wished.lower().split("-")
    if any(len(part) == 4 for part in more):
        return False
    look = plain(text[:_LOOKED_AT])
    script = _SCRIPT.get(language) or ("LATIN" if language in _LITTLE else None)
    if script is None:
        return False
    return _is_in_another_script(look, script) or (language in _LITTLE and _has_other_little_words(look, language))


@lru_cache(maxsize=4096)
def script_of(char: str) -> str:
    """`LATIN`, `CYRILLIC`, `CJK` …; "" for what is no letter."""
    return unicodedata.name(char, "").partition(" ")[0] if char.isalpha() else ""


def _is_in_another_script(text: str, script: str) -> bool:
    scripts = Counter(_SAME.get(one, one) for one in map(script_of, text) if one)
    letters = scripts.total()
    return letters >= ENOUGH_LETTERS and scripts[script] * 2 < letters


def _has_other_little_words(text: str, language: str) -> bool:
    words = Counter("".join(char if char.isalpha() else " " for char in text).split())
    many = words.total()
    if many < ENOUGH_WORDS:
        return False
    shares = {one: sum(words[word] for word in little) / many for one, little in _LITTLE.items()}
    return shares[language] < NEXT_TO_NONE and max(shares.values()) > A_GOOD_PART
