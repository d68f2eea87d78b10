"""Names at home, stand-ins on the wire. Children of one household are told apart by `Child.id`."""

import itertools
import random
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from bedtime.casting.finding import ALSO_WORDS, find, forms_of, swap, words_of
from bedtime.casting.spelling import plain
from bedtime.model import Child, Role

_POOLS: Mapping[str, Sequence[str]] = tomllib.loads(
    Path(__file__).with_name("stand_ins.toml").read_text(encoding="utf-8")
)
_OURS = frozenset(itertools.chain.from_iterable(_POOLS.values()))
_MADE_UP = re.compile(r"([bdfgklmnprtv][aeiou]){4,}", re.IGNORECASE)
NOBODY = "someone"
_OPENS = re.compile(r"(?:^|[.!?…:\n]|[.!?…:]\s|[\"“„«‘*_(]|—\s?)$")


def cast(
    children: Sequence[Child],
    household: Sequence[Child],
    texts: Sequence[str],
    *,
    beside: Sequence[str] = (),
    seed: int,
    send_names: bool = False,
) -> tuple[Role, ...]:
    """The children in order, lead first, then whoever else of the household is named in `texts`, with stand-ins.

    Nobody plays for being named in the texts `beside` those. A stand-in occurs neither in any text nor in a name of the
    household; the same arguments give the same answer. With `send_names` it is the nickname itself, numbered where two
    are the same.
    """
    people = [*children, *_others(household, children)]
    forms = forms_of([person.nickname for person in people])
    named = {form.owner for text in texts for start, end, form in find(text, forms) if _may_be_meant(text, start, end)}
    players = [person for at, person in enumerate(people) if at < len(children) or at in named]
    taken = "\n".join(plain(text) for text in [*texts, *beside, *(person.nickname for person in people)])
    stand_ins = _stand_ins(players, taken, random.Random(seed), send_names=send_names)
    return tuple(
        Role(position, player.id, stand_in, player.pronouns, listens=position <= len(children))
        for position, (player, stand_in) in enumerate(zip(players, stand_ins, strict=True), start=1)
    )


def hide(text: str, roles: Sequence[Role], household: Sequence[Child]) -> str:
    """`text` with each name of the household replaced by its stand-in, and by a word for anybody where it has none.

    `roles` are those that `cast` made for this household. Takes time in proportion to the length of `text`.
    """
    stand_ins = {role.child_id: role.stand_in for role in reversed(roles)}
    people = sorted(
        household, key=lambda person: person.id not in stand_ins
    )  # of two with one name, the one in the story
    anybody = _anybody(people)
    words = [stand_ins.get(person.id, anybody) for person in people]
    return swap(text, forms_of([person.nickname for person in people]), lambda form, _: words[form.owner])


def is_ours(stand_in: str) -> bool:
    """Whether a stand-in comes from the pool, or was made up when the pool was used up; else it is a nickname."""
    return stand_in in _OURS or bool(_MADE_UP.fullmatch(stand_in))


def named(text: str, people: Sequence[Child]) -> set[int]:
    """The ids of those of `people` whose name stands in `text`. Will is a child, will is not, and `Will you?` says neither."""
    forms = forms_of([person.nickname for person in people], parts=False)
    return {
        people[form.owner].id
        for start, end, form in find(text, forms)
        if _is_a_name(text, text[start:end], before=start)
    }


# --- choosing stand-ins ---------------------------------------------------------------------------


def _others(household: Sequence[Child], children: Sequence[Child]) -> list[Child]:
    listening = {child.id for child in children}
    return [child for child in household if child.id not in listening]


def _stand_ins(players: Sequence[Child], taken: str, chance: random.Random, *, send_names: bool) -> list[str]:
    chosen: list[str] = []
    for player in players:
        if send_names and words_of(player.nickname):
            used = {plain(name) for name in chosen}
            chosen.append(next(name for name in _numbered(player.nickname) if plain(name) not in used))
        else:
            chosen.append(next(name for name in _rare(player.pronouns, chance) if _is_free(name, chosen, taken)))
    return chosen


def _numbered(nickname: str) -> Iterator[str]:
    name = " ".join(nickname.split())
    return itertools.chain([name], (f"{name} {number}" for number in itertools.count(2)))


def _rare(pronouns: str, chance: random.Random) -> Iterator[str]:
    pool = _POOLS.get(pronouns, _POOLS["they"])
    yield from chance.sample(pool, len(pool))
    for tries in itertools.count():  # a text that holds every name of the list
        yield "".join(chance.choice("bdfgklmnprtv") + chance.choice("aeiou") for _ in range(4 + tries // 9)).title()


def _is_free(name: str, chosen: Iterable[str], taken: str) -> bool:
    bare = plain(name)
    others = [plain(other) for other in chosen]
    return bare not in taken and not any(bare.startswith(other) or other.startswith(bare) for other in others)


def _anybody(people: Sequence[Child]) -> str:
    taken = "\n".join(plain(person.nickname) for person in people)
    candidates = itertools.chain([NOBODY, "somebody"], _rare("they", random.Random(0)))
    return next(word for word in candidates if _is_free(word, (), taken))


def _may_be_meant(text: str, start: int, end: int) -> bool:
    """Families write names small, too: only what is a word as well has to look like a name."""
    return plain(text[start:end]) not in ALSO_WORDS or _is_a_name(text, text[start:end], before=start)


def _is_a_name(text: str, found: str, *, before: int) -> bool:
    """By its capital, unless it only opens a sentence and is a word as well; scripts without capitals are taken as they are."""
    if found == found.lower():
        return found == found.upper()
    return plain(found) not in ALSO_WORDS or not _OPENS.search(text[max(0, before - 3) : before] or "\n")
