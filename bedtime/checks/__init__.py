"""What a grown-up should look at before a child does: each reason a code. Nothing is thrown away, and nothing is proved safe.

`cut_short` `gap` `finish` `too_short` `too_long` `language` `refusal` `link` `phone` `order` `placeholder` `other_child`, and
from the word list `violence` `drugs` `sexual` `self_harm` `coarse` `slur`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bedtime.checks import addressed, plain, tongues, wording
from bedtime.model import Draft

__all__ = ["CODES", "Asked", "held"]

WHOLE = frozenset({"stop", "end_turn", "stop_sequence", "eos", "eos_token", "complete", "completed", "end", "finished"})
CUT = frozenset({"length", "max_tokens"})
_SHORT, _LONG = 0.35, 2.5  # of the words that were wished for: far off, not a little


@dataclass(frozen=True, slots=True)
class Asked:
    """What the answer is held against: the words and the language that were wished for, and which slots have a name.

    `finish_reason` is the provider's, if it gave one; `gap`: a part of the answer could not be read; `names_another`: a
    child of the house who has no place in this story.
    """

    words: int
    language: str
    positions: frozenset[int]
    finish_reason: str | None = None
    gap: bool = False
    names_another: bool = False


def held(draft: Draft, asked: Asked) -> tuple[str, ...]:
    """The codes of all that speaks for a look, in the order of `CODES`; none for most stories."""
    pages = (draft.title, *draft.paragraphs)
    language = asked.language.partition("-")[0].lower()
    found = {*wording.kinds(" \n ".join(pages), language)}
    checks: dict[str, Callable[[], bool]] = {
        "cut_short": lambda: "cut_short" in draft.flags or asked.finish_reason in CUT,
        "gap": lambda: asked.gap,
        "finish": lambda: bool(asked.finish_reason) and asked.finish_reason not in WHOLE | CUT,
        "too_short": lambda: draft.words < _SHORT * asked.words,
        "too_long": lambda: draft.words > _LONG * asked.words,
        "language": lambda: tongues.is_another(draft.text, asked.language),
        "refusal": lambda: any(addressed.is_refusal(page) for page in draft.paragraphs),
        "link": lambda: any(addressed.holds_link(page) for page in pages),
        "phone": lambda: any(addressed.holds_phone(page) for page in pages),
        "order": lambda: any(addressed.orders(page) for page in draft.paragraphs),
        "placeholder": lambda: any(plain.has_open_slot(page, asked.positions) for page in pages),
        "other_child": lambda: asked.names_another,
    }
    return tuple(code for code in CODES if code in found or (code in checks and checks[code]()))


CODES = (
    *("cut_short", "gap", "finish", "too_short", "too_long", "language", "refusal", "link", "phone", "order"),
    *("placeholder", "other_child", *wording.KINDS),
)
