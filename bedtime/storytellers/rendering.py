"""A tale told for these children: names stay slots, everything else is filled in."""

import re
from collections.abc import Sequence

from bedtime.model import Child, Draft
from bedtime.storytellers import slots
from bedtime.storytellers.tales import SHAPES, Tale

MOST_LISTENERS = 3
LONGEST_OWN_WORDS = 60

BORROWED = ("my", "our", "your", "his", "her", "their", "a", "an", "some")
JOINING = ("the", "of", "and", "from", "next", "in", "with", "who", "at")
KIN = (
    *("mum", "mummy", "mom", "mommy", "mama", "dad", "daddy", "papa"),
    *("gran", "granny", "grandma", "nana", "nan", "grandpa", "granddad", "grandad"),
)

_SEPARATOR = re.compile(r"[,;\n]")
_LEADING_AND = re.compile(r"^(?:(?:and|&)(?:\s+|$))+", re.IGNORECASE)
_OWNER = re.compile(r"\w.*(?:['’]s|s['’])", re.IGNORECASE)
_UNFIT = re.compile(r"\([^)]*\)|[^\w\s’'&.-]|_")


def render(tale: Tale, listeners: Sequence[Child]) -> Draft:
    """Tell the tale for one to three children, lead first; only the first three are in it.

    Their names are slots `{child:1}` to `{child:3}`; the family's own words can bring in no slot. Raises ValueError
    when nobody listens.
    """
    if not listeners:
        raise ValueError("listeners is empty: a tale is told to one child or more")
    filling = _filling(tale, listeners[:MOST_LISTENERS])
    body = slots.choose(tale.body, several=filling.several)
    return Draft(
        title=_told(tale.title, filling),
        paragraphs=tuple(_told(block, filling) for block in re.split(r"\n{2,}", body) if block.strip()),
        recap=_told(tale.recap or _recap(tale), filling),
        cast=_told(tale.cast, filling),
    )


def _told(text: str, filling: slots.Filling) -> str:
    chosen = slots.choose(text, several=filling.several)
    return slots.fill(" ".join(chosen.split()), filling)


def _recap(tale: Tale) -> str:
    cast = re.sub(r" ?\((?:she|he|they|it)\)", "", tale.cast).rstrip(".")
    return f"In “{tale.title}”, {SHAPES[tale.shape]}: {', '.join(tale.motifs)}. With {{group}}: {cast}."


def _filling(tale: Tale, listeners: Sequence[Child]) -> slots.Filling:
    names = tuple(f"{{child:{position}}}" for position in range(1, len(listeners) + 1))
    furnished = dict(tale.defaults)
    own = _own_words(listeners)
    if own:
        furnished["companion"] = own[0]
    if own[1:] and own[1].startswith("the "):  # a person is not tucked under an arm
        furnished["thing"] = own[1]
    return slots.Filling(names, listeners[0].pronouns, furnished)


def _own_words(listeners: Sequence[Child]) -> list[str]:
    """The lead's friends and toys as noun phrases, without those who listen themselves."""
    here = {child.nickname.casefold() for child in listeners}
    items = map(_item, _SEPARATOR.split(listeners[0].friends))
    fit = (item for item in items if item and len(item) <= LONGEST_OWN_WORDS and item.casefold() not in here)
    return [_noun_phrase(item) for item in fit]


def _item(typed: str) -> str:
    """One of a list, without what no tale can carry and without the "and" that joined it to the list."""
    words = " ".join(_UNFIT.sub(" ", typed).split())
    return _LEADING_AND.sub("", words.lstrip(" .-")).strip(" .-&")


def _noun_phrase(item: str) -> str:
    """Hops, Grandma, Theo's rabbit stay as they are; my friend Sam is Sam; a red car, or Red car, is the red car."""
    first, *rest = item.split()
    if _OWNER.fullmatch(first):
        return " ".join((_kin_with_capital(first), *rest))
    if first.casefold() == "the" and rest:
        return " ".join(("the", *rest))
    borrowed = first.casefold() in BORROWED and bool(rest)
    if first[0].isupper() and not borrowed and not _typed_with_a_capital(rest):
        return item
    bare = rest if borrowed else [first[0].lower() + first[1:], *rest]
    if len(bare) == 1 or _OWNER.fullmatch(bare[0]):
        bare = [_kin_with_capital(bare[0]), *bare[1:]]
    name = next((place for place, word in enumerate(bare) if word[0].isupper()), None)
    return " ".join(("the", *bare) if name is None else bare[name:])


def _kin_with_capital(word: str) -> str:
    """grandma is Grandma, and grandma's is Grandma's; any other word keeps its spelling."""
    kin = re.sub(r"['’]s?$", "", word.casefold())
    return word.capitalize() if kin in KIN else word


def _typed_with_a_capital(rest: Sequence[str]) -> bool:
    """Whether "Blue" of "Blue blanket" is a keyboard's capital, unlike "Hops" of "Hops the rabbit"."""
    return bool(rest) and rest[0] not in JOINING and all(word.islower() for word in rest)
