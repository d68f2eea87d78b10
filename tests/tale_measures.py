"""How a tale is measured: who listens, what a sentence is, and where the middle and the last quarter lie."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean

from bedtime.model import PRONOUNS, Child, Draft
from bedtime.storytellers.rendering import render
from bedtime.storytellers.tales import Tale

NAMES = ("Mia", "Theo", "Bo")


def listeners(pronouns: Sequence[str], *, friends: str = "") -> list[Child]:
    return [Child(n, NAMES[n], "4-5", each, friends=friends) for n, each in enumerate(pronouns)]


def mixes() -> Iterator[list[Child]]:
    """One, two and three children with every choice of pronouns, with the tale's companion and with a family's own."""
    for size, friends in itertools.product((1, 2, 3), ("", "Grandma, red umbrella", "owls, apples")):
        for pronouns in itertools.product(PRONOUNS, repeat=size):
            yield listeners(pronouns, friends=friends)


def told(tale: Tale, children: int = 1) -> Draft:
    return render(tale, listeners(PRONOUNS[:children]))


def named(text: str) -> str:
    for position, name in enumerate(NAMES, start=1):
        text = text.replace(f"{{child:{position}}}", name)
    return text.replace("*", "")


def sentences(paragraph: str) -> list[str]:
    """Divided after . ! ? … and a closing quote, where a new sentence starts with a capital, a digit or a quote."""
    parts = re.split(r"(?<=[.!?…])\s+(?=[“‘A-Z0-9])|(?<=[.!?…][”’])\s+(?=[“‘A-Z0-9])", named(paragraph))
    return [part for part in parts if words(part)]


def words(text: str) -> list[str]:
    return [word for word in named(text).split() if re.search(r"\w", word)]


def plain(text: str) -> str:
    return " ".join(re.findall(r"[\w’]+", named(text).casefold()))


@dataclass(frozen=True)
class Stretch:
    """A part of a tale, as energy is measured in it."""

    sentences: tuple[str, ...]

    @property
    def words_a_sentence(self) -> float:
        return mean(len(words(sentence)) for sentence in self.sentences)

    @property
    def words_a_sentence_of_prose(self) -> float:
        """Without what is said aloud, which is short by nature."""
        return mean([len(words(sentence)) for sentence in self.sentences if not re.search("[“”]", sentence)] or [0])

    def a_hundred_words(self, marks: str) -> float:
        counted = sum(len(re.findall(marks, sentence)) for sentence in self.sentences)
        return 100 * counted / sum(len(words(sentence)) for sentence in self.sentences)


def stretches(draft: Draft) -> tuple[Stretch, Stretch]:
    """The middle half and the last quarter, by words."""
    everything = [sentence for paragraph in draft.paragraphs for sentence in sentences(paragraph)]
    total = sum(len(words(sentence)) for sentence in everything)
    middle: list[str] = []
    last: list[str] = []
    passed = 0.0
    for sentence in everything:
        centre = (passed + len(words(sentence)) / 2) / total
        passed += len(words(sentence))
        if centre > 0.25:
            (last if centre > 0.75 else middle).append(sentence)
    return Stretch(tuple(middle)), Stretch(tuple(last))


def start(text: str, count: int = 6) -> str:
    return " ".join(words(text)[:count]) + " …"


def everything_told(draft: Draft) -> Iterator[tuple[str, str]]:
    yield from (("title", draft.title), ("recap", draft.recap), ("cast", draft.cast))
    for number, paragraph in enumerate(draft.paragraphs, start=1):
        yield f"paragraph {number}", paragraph
