"""Where names stand in a text, and the text with other words in their place."""

import heapq
import itertools
import tomllib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bedtime.casting.spelling import Token, bare_tokens, dresses, kind_of, plain, stretches, tokens

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
    return dict.fromkeys((words_of(name), _trimmed(bare_tokens(name))))


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
    hits = heapq.merge(*_hits(text, forms), key=lambda hit: hit[0])
    for start, those in itertools.groupby(hits, key=lambda hit: hit[0]):
        if start >= done:
            _, done, form = max(those, key=lambda hit: hit[1])
            yield start, done, form


def _hits(text: str, forms: Mapping[str, Sequence[Form]]) -> Iterator[Iterator[tuple[int, int, Form]]]:
    """Those in `text` as it stands; and those in its bare letters, read only round what may hide a letter of a name."""
    every = [form.words for those in forms.values() for form in those]
    longest = max(map(len, every), default=1)
    worn = dresses(text, itertools.chain.from_iterable(every))
    spoken, again = itertools.tee(tokens(text)) if worn else (tokens(text), iter(()))
    yield _find(spoken, forms, longest)
    if worn:
        runs = stretches(text, again, worn, reach=longest + 1)
        yield itertools.chain.from_iterable(_find(bare_tokens(text, *run), forms, longest) for run in runs)


def _find(
    spoken: Iterator[Token], forms: Mapping[str, Sequence[Form]], longest: int
) -> Iterator[tuple[int, int, Form]]:
    """At each word the form that begins there, even inside another. Holds no more than `longest` words at a time."""
    ahead: deque[Token] = deque()
    while token := ahead.popleft() if ahead else next(spoken, None):
        if those := forms.get(token.word):
            ahead.extend(itertools.islice(spoken, longest - 1 - len(ahead)))
            run = (token, *ahead)
            words = tuple(each.word for each in run)
            fitting = (form for form in those if words[: len(form.words)] == form.words)
            if form := next(fitting, None):
                yield token.start, run[len(form.words) - 1].end, form


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
