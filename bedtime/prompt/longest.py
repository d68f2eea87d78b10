"""The longest prompt that there can be, for whoever must say what a story costs at most before anybody wished for it."""

import itertools

from bedtime.model import BANDS, Prompt
from bedtime.prompt.compose import compose
from bedtime.prompt.facts import Facts, FactsListener
from bedtime.prompt.phrases import MOODS, REACTIONS
from bedtime.prompt.room import FACTS_BYTES
from bedtime.prompt.shapes import SHAPES

_LANGUAGE = "xx-" + "-".join(["x" * 8] * 4)  # the longest tag, of a language that nobody knows
_MOST_PARTS = 10**6


def longest(*, words: int, minutes: int, max_tokens: int | None) -> Prompt:
    """As many bytes as `compose` makes at most for a story of this length: all orders at their longest, all room taken."""
    pairs = itertools.combinations_with_replacement(BANDS, 2)
    prompts = (compose(_facts(pair, words, minutes), max_tokens=max_tokens) for pair in pairs)
    most = max(prompts, key=lambda prompt: len(prompt.user.encode()))
    return Prompt(most.system, most.user + " " * FACTS_BYTES, most.max_tokens)


def _facts(bands: tuple[str, ...], words: int, minutes: int) -> Facts:
    return Facts(
        listeners=tuple(FactsListener("Somebody", band, "they") for band in bands),
        words=words,
        minutes=minutes,
        mood=max(MOODS, key=lambda mood: len(MOODS[mood])),
        language=_LANGUAGE,
        shape=max(SHAPES, key=lambda shape: len(SHAPES[shape])),
        avoid_openings=("Once",),
        recap="Once",
        part=_MOST_PARTS,
        reactions=tuple(REACTIONS),
        reacted_to_last=False,
    )
