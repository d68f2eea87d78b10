"""The built-in book as a storyteller: it picks the tale that suits a wish best, and tells it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from bedtime.errors import Closed, NotFound
from bedtime.model import BANDS, Child, Draft, Wish
from bedtime.storytellers.likeness import mentions, phrases, stems
from bedtime.storytellers.rendering import render
from bedtime.storytellers.tales import Tale, load

IDEA, TODAY, LIKES = 3, 2, 1
AS_SUBJECT = 4
SAME_SHAPE_AGAIN = 3
MOODS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "calm": {"night-watch": 2, "shy-one": 2, "gift-to-make": 2, "cannot-sleep": 1, "guest": 1, "last-awake": 1},
        "funny": {"swap": 3, "mistake-put-right": 2, "guest": 2, "sound-in-the-night": 1, "shy-one": 1},
        "adventure": {"long-way-home": 3, "there-and-back": 3, "lost-and-found": 2, "night-watch": 1},
        "very_sleepy": {"cannot-sleep": 3, "last-awake": 3, "night-watch": 2, "sound-in-the-night": 1},
    }
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A tale and the words it is found by."""

    tale: Tale
    subjects: frozenset[str]
    said: frozenset[str]


class BookTeller:
    """The book, read once. The same wish, listeners and told tales always choose the same tale."""

    def __init__(self, folder: Path) -> None:
        book = load(folder)
        self.faults = book.faults
        self._entries = tuple(_entry(tale) for tale in book.tales)

    @property
    def tales(self) -> tuple[Tale, ...]:
        return tuple(entry.tale for entry in self._entries)

    def tell(self, wish: Wish, listeners: Sequence[Child], told: Sequence[str]) -> tuple[str, Draft]:
        """Choose as `choose` does, and tell it; the slug is what to remember as told."""
        tale = self.choose(wish, listeners, told)
        return tale.slug, render(tale, listeners)

    def tell_again(self, slug: str, listeners: Sequence[Child]) -> Draft:
        """Tell one certain tale, such as a part that `continues` named. Raises NotFound for one it does not have."""
        return render(self.tale(slug), listeners)

    def tale(self, slug: str) -> Tale:
        """Raises NotFound for one that it does not have."""
        tale = next((tale for tale in self.tales if tale.slug == slug), None)
        if tale is None:
            raise NotFound(f"the book has no tale '{slug}'")
        return tale

    def continues(self, slug: str) -> str | None:
        """The slug of the tale that is the next part of this one, or None."""
        return next((tale.slug for tale in self.tales if tale.after == slug), None)

    def choose(self, wish: Wish, listeners: Sequence[Child], told: Sequence[str]) -> Tale:
        """The tale that suits best; `told` is slugs, most recent last.

        In this order: nothing a listener wants left out, a band the youngest can follow, not told yet, the youngest's
        own band, then the words of the wish, mood and minutes. Once all were told, the one told longest ago. What no
        tale offers is given up. Raises Closed for an empty book, ValueError when nobody listens.
        """
        if not listeners:
            raise ValueError("listeners is empty: a tale is told to one child or more")
        if not self._entries:
            raise Closed("the book has no tale that can be told: mend bedtime/tales", reason="storyteller")
        band = min(BANDS.index(child.band) for child in listeners)
        fit = _within_reach(_without_what_is_left_out(self._entries, listeners), band)
        fresh = _not_told_yet(fit, told)
        if not fresh:
            return _told_longest_ago(fit, told)
        nearest = min(_distance(entry, band) for entry in fresh)
        near = (entry for entry in fresh if _distance(entry, band) == nearest)
        last = told[-1] if told else None
        last_shape = next((entry.tale.shape for entry in self._entries if entry.tale.slug == last), None)
        return max(near, key=lambda entry: _suits(entry, wish, listeners, last_shape)).tale


def _entry(tale: Tale) -> _Entry:
    subjects = " ".join((tale.title, *tale.motifs, tale.shape, tale.place, tale.season, tale.cast))
    everything = " ".join((subjects, tale.body, *tale.defaults.values()))
    return _Entry(tale, stems(_without_slots(subjects)), stems(_without_slots(everything)))


def _without_slots(text: str) -> str:
    return re.sub(r"\{alone\||\{[^{}|]*\}", " ", text)


def _without_what_is_left_out(entries: Sequence[_Entry], listeners: Sequence[Child]) -> list[_Entry]:
    """The tales that speak of none of it, or else of the least."""
    unwanted = [phrase for child in listeners for phrase in phrases(child.leave_out)]
    counts = [mentions(unwanted, subjects=entry.subjects, said=entry.said) for entry in entries]
    return [entry for entry, count in zip(entries, counts, strict=True) if count == min(counts)]


def _within_reach(entries: Sequence[_Entry], band: int) -> Sequence[_Entry]:
    """The tales of the youngest's band and its neighbours; all, if there is none."""
    return [entry for entry in entries if _distance(entry, band) <= 1] or entries


def _distance(entry: _Entry, band: int) -> int:
    return abs(BANDS.index(entry.tale.band) - band)


def _not_told_yet(entries: Sequence[_Entry], told: Sequence[str]) -> list[_Entry]:
    """A next part counts only once the part before it was told."""
    return [
        entry
        for entry in entries
        if entry.tale.slug not in told and (entry.tale.after is None or entry.tale.after in told)
    ]


def _told_longest_ago(entries: Sequence[_Entry], told: Sequence[str]) -> Tale:
    last_place = {slug: place for place, slug in enumerate(told)}
    return min((entry.tale for entry in entries), key=lambda tale: last_place.get(tale.slug, len(told)))


def _suits(entry: _Entry, wish: Wish, listeners: Sequence[Child], last_shape: str | None) -> int:
    """More is better: the words of the wish, then mood, minutes, and a shape that the last tale didn't have."""
    likes = " ".join(child.likes for child in listeners)
    spoken = sum(
        weight * (len(words & entry.said) + (AS_SUBJECT - 1) * len(words & entry.subjects))
        for weight, words in ((IDEA, stems(wish.idea)), (TODAY, stems(wish.today)), (LIKES, stems(likes)))
    )
    mood = MOODS.get(wish.mood, {}).get(entry.tale.shape, 0)
    again = SAME_SHAPE_AGAIN if entry.tale.shape == last_shape else 0
    return spoken + mood - abs(entry.tale.minutes - wish.minutes) - again
