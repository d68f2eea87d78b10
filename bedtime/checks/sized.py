"""How long a text is, in words as one reads them aloud."""

from bedtime.checks.tongues import script_of

SHORT, LONG = 0.35, 2.5  # of the words that were wished for: far off, not a little
_SPACELESS = frozenset({"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"})
_LETTERS_A_WORD = 2


def words(text: str) -> float:
    """Where a script writes no spaces, two letters are a word."""
    spaceless = sum(script_of(letter) in _SPACELESS for letter in text)
    return len(text.split()) + spaceless / _LETTERS_A_WORD
