"""Words that a bedtime story should not need; `kill the lights` needs them."""

from bedtime.checks.plain import LISTS, plain, whole_words

KINDS = tuple(LISTS["words"]["en"])

_HITS = {
    language: {kind: whole_words(words["hits"]) for kind, words in kinds.items()}
    for language, kinds in LISTS["words"].items()
}
_INNOCENT = {
    language: whole_words(phrase for words in kinds.values() for phrase in words["innocent"])
    for language, kinds in LISTS["words"].items()
}


def kinds(text: str, language: str) -> set[str]:
    """Which kinds of words stand in a text of this language; a list of its own for each, since `slut` ends a Swedish tale."""
    if language not in _HITS:
        return set()
    left = _INNOCENT[language].sub(" … ", plain(text))
    return {kind for kind, words in _HITS[language].items() if words.search(left)}
