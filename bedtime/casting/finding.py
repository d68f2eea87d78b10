"""Where names stand in a text, and the text with other words in their place."""

import heapq
import itertools
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bedtime.casting.spelling import Token, kind_of, plain, readings, tokens

_LISTS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
ALSO_WORDS = frozenset(_LISTS["also_words"])


class Form(NamedTuple):
    """One way in which a name may stand in a text. `before` and `after` count the letters that are not the name."""

    words: tuple[str, ...]
    owner: int
    before: int = 0
    after: int = 0


def forms_of(names: Sequence[str], *, parts: bool = True) -> dict[str, list[Form]]:
    """By first word; of two that fit, the longer goes first, then whole names, then bent ones, then parts."""
    wholes = [Form(words, owner) for owner, name in enumerate(names) for words in _spellings(name)]
    partial = [Form(part, whole.owner) for whole in wholes for part in _parts(whole.words)] if parts else []
    forms: dict[str, list[Form]] = {}
    for form in [*wholes, *_bent(wholes), *partial, *_bent(partial)]:
        if form.words:
            forms.setdefault(form.words[0], []).append(form)
    return {first: sorted(those, key=lambda form: -len(form.words)) for first, those in forms.items()}


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, gaps included, none at its ends; empty for a name that cannot be seen."""
    return _trimmed(tokens(name))


def _spellings(name: str) -> Iterable[tuple[str, ...]]:
    return dict.fromkeys(_trimmed(reading) for reading in readings(name))


def _trimmed(spoken: Iterable[Token]) -> tuple[str, ...]:
    words = [token.word for token in spoken]
    return tuple(words[words[:1] == [" "] : len(words) - (words[-1:] == [" "])])


def _parts(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for is_name, run in itertools.groupby(words, key=lambda word: word == "'" or word[0].isalpha()):
        part = "".join(run).strip("'")
        enough = 2 if part and not kind_of(part[0]) else 3
        if is_name and len(part) >= enough and part not in _LISTS["little_words"]:
            yield words_of(part)


def _bent(forms: Iterable[Form]) -> Iterator[Form]:
    """The plural, and the small words that some scripts write in front without a space."""
    for words, owner, _, _ in forms:
        first, last = words[:1], words[-1:]
        if last and len(last[0]) > 1 and kind_of(last[0][0]) == "LATIN":
            for ending in ("s", "es") if last[0].endswith(("s", "x", "z", "sh", "ch")) else ("s",):
                if last[0] + ending not in _LISTS["never_plurals"]:
                    yield Form((*words[:-1], last[0] + ending), owner, after=1)  # the Jameses: the Tamsins
        for clitic in _LISTS["clitics"].get(kind_of(first[0][0]), ()) if first else ():
            yield Form((clitic + first[0], *words[1:]), owner, before=len(clitic))


def find(text: str, forms: Mapping[str, Sequence[Form]]) -> Iterator[tuple[int, int, Form]]:
    """Start, end and form of each name in `text`, from left to right, none inside another."""
    done = 0
    hits = (_find(list(reading), forms) for reading in readings(text))
    for start, end, form in heapq.merge(*hits, key=lambda hit: (hit[0], -hit[1])):
        if start >= done:
            yield start, end, form
            done = end


def _find(spoken: Sequence[Token], forms: Mapping[str, Sequence[Form]]) -> Iterator[tuple[int, int, Form]]:
    words = tuple(token.word for token in spoken)
    at = 0
    while at < len(words):
        fitting = (form for form in forms.get(words[at], ()) if words[at : at + len(form.words)] == form.words)
        form = next(fitting, None)
        if form:
            yield spoken[at].start, spoken[at + len(form.words) - 1].end, form
        at += len(form.words) if form else 1


def swap(
    text: str,
    forms: Mapping[str, Sequence[Form]],
    new: Callable[[Form, str], str | None],
    keep: Callable[[str], str] = str,
) -> str:
    """`text` with `new(form, found)` for each name, unless that is None; what stands between goes through `keep`."""
    pieces: list[str] = []
    done = 0
    for start, end, form in find(text, forms):
        found = text[start:end]
        word = new(form, found)
        if word is not None:
            whole = found[: form.before] + word + found[len(found) - form.after :]
            _add(pieces, keep(text[done:start]))
            _add(pieces, whole)
            done = end
    _add(pieces, keep(text[done:]))
    return "".join(pieces)


def _add(pieces: list[str], piece: str) -> None:
    """A space goes between where a stand-in for an emoji would grow together with its neighbour."""
    written = itertools.chain.from_iterable(map(reversed, reversed(pieces)))
    pieces.append(" " + piece if _edge(written) == _edge(piece) == "LATIN" else piece)


def _edge(letters: Iterable[str]) -> str:
    return next((kind_of(letter) for letter in letters if plain(letter)), "")
