"""What models wrap a story in: thoughts, code fences, a word of politeness, JSON."""

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bedtime.prompt.cleaning import clean

_THINK = re.compile(r"(</?think(?:ing)?>)", re.IGNORECASE)
_FENCE = re.compile(
    r"^[ \t]*(?:```|~~~)(?:json|text|txt|markdown|md|plaintext|plain)?[ \t]*$", re.IGNORECASE | re.MULTILINE
)
_POLITE = re.compile(
    r"(?:(?:sure(?: thing)?|certainly|of course|absolutely|okay|ok)[,!.]\s.*\bhere\b.*[:!.]|here(?: is|['’]s)\b.*:)",
    re.IGNORECASE,
)
_STORY = re.compile(r"\b(?:story|tale)\b", re.IGNORECASE)
_PRESENTS = (
    re.compile(  # “Of course! Here’s a cozy bedtime story about an owl 🦉”: a greeting, then one sentence, and no more
        r"(?:\W*\w+(?: \w+)?[!,.] ?){0,2}\W*"
        r"(?:here(?:['’]s| is)\s(?:an?|your|another)\s[^.!?]*\b(?:story|tale)\b"
        r"|here(?:['’]s| is)\sthe\s(?:story|tale)\syou\b"
        r"|hier ist (?:eine|deine|eure|ihre) [^.!?]*(?:geschichte|märchen)\b"
        r"|voici (?:une|un|votre|ton) [^.!?]*\b(?:histoire|conte)\b"
        r"|aqu[ií] (?:tienes|tiene|tenéis|está|tem) (?:una?|uma?|tu|sua) [^.!?]*\b(?:cuento|historia|história|conto)\b"
        r"|ecco (?:una?|la tua) [^.!?]*\b(?:storia|fiaba)\b"
        r"|hier is (?:een|je|jullie) [^.!?]*\b(?:verhaal(?:tje)?|sprookje)\b"
        r"|här är (?:en|din|er) [^.!?]*(?:saga|berättelse)\b)"
        r"[^.!?:]*[.!:…]*\W*",
        re.IGNORECASE,
    )
)
_LONGEST_POLITE = 160
_TITLE, _RECAP, _CAST = ("title",), ("recap", "summary"), ("cast", "characters")


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """The text; title, recap and cast too where the reply gave them names of their own."""

    text: str
    title: str = ""
    recap: str = ""
    cast: str = ""


def unwrap(reply: str) -> Unwrapped:
    """What a reader would call the story. Thoughts and politeness go, unless there is nothing else."""
    text = _FENCE.sub("", without_thoughts(clean(reply))).strip()
    text = _without_politeness(text)
    return _from_json(text) or Unwrapped(text)


def without_thoughts(text: str) -> str:
    """`text` outside of `<think>…</think>`, unclosed ones included; what is inside, if there is nothing else."""
    outside: list[str] = []
    inside: list[str] = []
    thinking = False
    for piece in _THINK.split(text):
        if not _THINK.fullmatch(piece):
            (inside if thinking else outside).append(piece)
            continue
        if not thinking and piece.startswith("</"):  # some servers swallow the opening one
            inside += outside
            outside.clear()
        thinking = not piece.startswith("</")
    told = "".join(outside)
    return told if told.strip() else "".join(inside)


def _without_politeness(text: str) -> str:
    """“Sure! Here is a story for you:” is no title."""
    first, _, rest = text.partition("\n")
    polite = len(first) <= _LONGEST_POLITE and _STORY.search(first) and _POLITE.fullmatch(first.strip())
    return rest.strip() if polite and rest.strip() else text


def presents_a_story(line: str) -> bool:
    """Whether a line above a marked title is nothing but politeness, as far as we know the words. A story may begin by “here”."""
    return len(line) <= _LONGEST_POLITE and _PRESENTS.fullmatch(line.strip()) is not None


def _from_json(text: str) -> Unwrapped | None:
    if not text.startswith("{"):
        return None
    try:
        # As pairs: of two equal keys a dict would lose one.
        pairs = _opened(json.loads(text, strict=False, object_pairs_hook=list))
        fields = [(key.lower(), clean(leaf)) for key, value in pairs for leaf in _leaves(value)]
    except (ValueError, RecursionError):
        return None
    return _sorted(fields)


def _opened(pairs: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """In place of an inner object its own pairs; in a cast a name and what is said of it belong together."""
    for key, value in pairs:
        if not _is_object(value):
            yield key, value
        elif key.lower() in _CAST:
            yield key, [f"{name}: {' '.join(_leaves(said))}" for name, said in value]
        else:
            yield from _opened(value)


def _is_object(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, tuple) for one in value)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        yield from _leaves(value[1])
    elif isinstance(value, list):
        yield from itertools.chain.from_iterable(map(_leaves, value))


def _sorted(fields: list[tuple[str, str]]) -> Unwrapped | None:
    def told(keys: tuple[str, ...], between: str) -> str:
        return between.join(leaf for key, leaf in fields if key in keys)

    text = "\n\n".join(leaf for key, leaf in fields if key not in (*_TITLE, *_RECAP, *_CAST))
    return Unwrapped(text, told(_TITLE, " "), told(_RECAP, " "), told(_CAST, "; ")) if text.strip() else None
