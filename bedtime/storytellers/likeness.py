"""What two texts have in common: their words without case, accents, plural endings and words that say nothing."""

import re
import unicodedata
from collections.abc import Iterable

WEIGHTLESS = frozenset(
    """
    a about all also always and any anything are around as at away bad be because been being big but by can
    could day did do does down every few for from gets go goes going good got had has have he her here him his
    how i if in into is it its just like likes little loud loves made make makes many may me mean more most much
    my nice night no not now of off on one or other our out over please really said scary she small so some
    somebody someone something story tale tell than that the their them then there they thing things this to
    today tonight too under up us very want wants was we went were what when where which who will with would yes
    you your
    """.split()  # noqa: SIM905 - a list of a hundred quoted words would hide them
)


def stems(text: str) -> frozenset[str]:
    """The words that carry a meaning, each in its simplest form."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    bare = re.sub(r"[^\x00-\x7f]", lambda sign: "" if unicodedata.combining(sign[0]) else sign[0], apart)
    found = (word for word in re.findall(r"[^\W_]+", bare) if len(word) > 1 and word not in WEIGHTLESS)
    return frozenset(_stem(word) for word in found)


def phrases(text: str) -> list[frozenset[str]]:
    """A list that a family wrote ("spiders, the dark and hospitals"), each item as its stems."""
    items = (stems(item) for item in re.split(r"[,;.\n]|\band\b|\bor\b", text.casefold()))
    return [item for item in items if item]


def mentions(wanted: Iterable[frozenset[str]], *, subjects: frozenset[str], said: frozenset[str]) -> int:
    """How many of the phrases occur: with one word among the subjects, or with every word in what is said."""
    return sum(bool(phrase & subjects) or phrase <= said for phrase in wanted)


def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
