"""A request → the messages for a language model; its reply → a draft. Pure, and never losing a word."""

from bedtime.prompt.compose import compose
from bedtime.prompt.facts import Facts, FactsListener
from bedtime.prompt.longest import longest
from bedtime.prompt.refusal import looks_like_refusal
from bedtime.prompt.reply import as_it_came, read_reply
from bedtime.prompt.shapes import SHAPES, choose_shape

__all__ = [
    "SHAPES",
    "Facts",
    "FactsListener",
    "as_it_came",
    "choose_shape",
    "compose",
    "longest",
    "looks_like_refusal",
    "read_reply",
]
