"""How a story's text is set and searched: which way it runs, what is stressed, where a scene ends, how long it is."""

import re
import unicodedata

_FROM_RIGHT_TO_LEFT = frozenset(
    {"ar", "arc", "arz", "azb", "ckb", "dv", "fa", "he", "iw", "ks", "lrc", "mzn", "nqo", "pnb", "prs", "ps", "sd", "syr",
     "ug", "ur", "yi"}
)  # fmt: skip
_SCRIPTS_FROM_RIGHT_TO_LEFT = frozenset({"adlm", "arab", "hebr", "nkoo", "syrc", "thaa"})
_STRESSED = re.compile(r"(?<!\*)\*(?![\s*])([^*]+)(?<!\s)\*(?!\*)")
_SLOT = re.compile(r"\{child:[0-9]+\}")
_SPACELESS = re.compile(  # Thai and Lao, Tibetan, Myanmar, Khmer, kana, bopomofo, Han: their blocks in Unicode
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
_LETTERS_A_WORD = 2  # of such a script
_BREAK = re.compile(r"[*\s#~⁂—–-]{1,20}")


def direction(language: str) -> str:
    """`rtl` or `ltr`, by the script that a BCP 47 tag names, or else by its language."""
    first, *more = language.lower().split("-")
    script = next((part for part in more if len(part) == 4 and part.isalpha()), "")
    backwards = script in _SCRIPTS_FROM_RIGHT_TO_LEFT if script else first in _FROM_RIGHT_TO_LEFT
    return "rtl" if backwards else "ltr"


def pieces(paragraph: str) -> list[tuple[str, bool]]:
    """A paragraph as (text, whether it is stressed): what stands between single asterisks is."""
    return [(text, at % 2 == 1) for at, text in enumerate(_STRESSED.split(paragraph)) if text]


def folded(text: str) -> str:
    """Without accents and marks, in any script. SQLite's own folding knows the Latin letters only."""
    if text.isascii():
        return text
    return "".join(char for char in unicodedata.normalize("NFKD", text) if unicodedata.category(char) != "Mn")


def findable(text: str) -> str:
    """A text of a story as the search has its words: without slots, for a name is found by whose it is; folded; and in
    scripts that are written without spaces, each character apart, since nothing else tells where a word begins.
    """
    return apart(folded(_SLOT.sub(" ", text)))


def apart(text: str) -> str:
    """Spaces around each character of a script without spaces; the rest as it is."""
    return _SPACELESS.sub(r" \g<0> ", text)


def words_aloud(text: str) -> int:
    """How long a text is, in words as one reads them aloud: where a script writes no spaces, two letters are a word."""
    written = len(text.split())
    if text.isascii():
        return written
    return written + sum(map(str.isalpha, _SPACELESS.findall(text))) // _LETTERS_A_WORD


def is_break(paragraph: str) -> bool:
    """A line of asterisks or dashes alone: between two scenes."""
    return _BREAK.fullmatch(paragraph) is not None
