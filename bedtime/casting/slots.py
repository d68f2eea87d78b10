"""Slots in the kept text: `{child:1}`, `{child:2}`, the position of a role."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from bedtime.casting.finding import Form, find, forms_of, swap
from bedtime.casting.roles import NOBODY, is_ours
from bedtime.model import Draft, Role

_SLOT = re.compile(r"\{child:([0-9]{1,4})\}")
_WORDS_OF_OURS = frozenset(
    {NOBODY, "a child"}
)  # what stands where a name is gone: as a name it would bring its own capital
_BEGINS = re.compile(r"(?:(?:^|\n|[.!?…][\"”’»)]*\s)[\s\"“„«‘*_(]*|[“„«])$")


def to_slots(text: str, roles: Sequence[Role]) -> str:
    """`text` with each stand-in, in any case, as a slot; its possessive or plural ending stays.

    Small letters are the name only where `text` never gives it its capital: what is rare in one language is a verb in another.
    A slot that stood in `text` already is made harmless: `{child:1}` becomes `(child:1)`.
    """
    return _slotted([text], roles, told=text)[0]


def draft_to_slots(draft: Draft, roles: Sequence[Role]) -> Draft:
    """All of `draft` as `to_slots` does it. Its paragraphs say what has a capital: a title has capitals of its own."""
    pieces = (draft.title, draft.recap, draft.cast, *draft.paragraphs)
    title, recap, cast, *paragraphs = _slotted(pieces, roles, told=draft.text)
    return replace(draft, title=title, paragraphs=tuple(paragraphs), recap=recap, cast=cast)


def named_slots(text: str, names: Mapping[int, str]) -> str:
    """The way back from `fill`: each name, spelled as it is, becomes its slot again; a bare slot is made harmless."""
    positions = list(names)
    forms = forms_of(list(names.values()), parts=False)

    def slot(form: Form, found: str) -> str | None:
        bare, name = found[form.before : len(found) - form.after], names[positions[form.owner]]
        return f"{{child:{positions[form.owner]}}}" if bare in (name, _raised(name)) else None

    return swap(text, forms, slot, keep=lambda piece: _SLOT.sub(r"(child:\1)", piece))


def fill(text: str, names: Mapping[int, str]) -> str:
    """`text` with the names in its slots; a position that has none is "someone". A slot inside a name stays as it is.

    A word of ours that opens a sentence has a capital there; a nickname is always spelled as the family spells it.
    """

    def word(slot: re.Match[str]) -> str:
        name = names.get(int(slot[1]), NOBODY)
        return _raised(name) if _BEGINS.search(text, max(0, slot.start() - 12), slot.start()) else name

    return _SLOT.sub(word, text)


def _raised(name: str) -> str:
    return name[0].upper() + name[1:] if name in _WORDS_OF_OURS else name


# --- finding stand-ins ----------------------------------------------------------------------------


def _slotted(pieces: Iterable[str], roles: Sequence[Role], *, told: str) -> list[str]:
    """`told` says what has a capital, and is searched for it when small letters are found for the first time."""
    forms = forms_of([role.stand_in for role in roles], parts=False)
    capitals = cache(lambda: _capitals(told, forms))

    def slot(form: Form, found: str) -> str | None:
        role = roles[form.owner]
        is_meant = _is_meant(found, role.stand_in, has_capital=lambda: form.owner in capitals())
        return f"{{child:{role.position}}}" if is_meant else None

    return [swap(piece, forms, slot, keep=lambda kept: _SLOT.sub(r"(child:\1)", kept)) for piece in pieces]


def _capitals(text: str, forms: Mapping[str, Sequence[Form]]) -> set[int]:
    """Whose stand-in `text` writes with a capital. All in capitals, as in a heading or a shout, says nothing."""
    return {form.owner for start, end, form in find(text, forms) if _is_mixed(text[start:end])}


def _is_mixed(found: str) -> bool:
    return found not in (found.lower(), found.upper())


def _is_meant(found: str, stand_in: str, *, has_capital: Callable[[], bool]) -> bool:
    """Real names that are sent may be plain words: Will is a child, will is not."""
    if found != found.lower():
        return True
    return not has_capital() if is_ours(stand_in) else stand_in == stand_in.lower()
