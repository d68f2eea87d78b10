"""What a story may cost, before anybody asked for it."""

import functools
from dataclasses import dataclass

from bedtime import household, ledger, prompt
from bedtime.db import Connection
from bedtime.errors import Closed
from bedtime.model import WORDS_A_MINUTE, Prompt
from bedtime.storytellers.language_model import LanguageModel

LONGEST_MINUTES = 15


@dataclass(frozen=True, slots=True)
class Cost:
    """At most and usually, in micros; what is left this month, and roughly how many stories that is."""

    at_most: int
    usual: int | None
    left: int
    stories_left: int | None


@dataclass(frozen=True)
class Estimate:
    """Reads the ledger; None everywhere when only the book tells. Cap and time zone are those of the machine."""

    storyteller: LanguageModel | None
    cap_micros: int
    max_tokens: int | None
    zone: str

    def cost(self, db: Connection, *, now: float) -> Cost | None:
        """None: nothing will be spent, or the price is not known."""
        if self.storyteller is None:
            return None
        try:
            at_most = self.storyteller.worst_case(_longest(self.max_tokens))
        except Closed:
            return None
        usual = ledger.usual_cost(db, model=self.storyteller.model, host=self.storyteller.host)
        left = max(self.cap_now(db) - ledger.committed(db, self.period_now(db, now=now)), 0)
        each = usual or at_most
        return Cost(at_most, usual, left, roughly(left // each) if each else None)

    def cap_now(self, db: Connection) -> int:
        return household.cap_micros(db, otherwise=self.cap_micros)

    def period_now(self, db: Connection, *, now: float) -> str:
        """The month that a call counts in which is sent now."""
        return ledger.period_of(now, household.zone(db, otherwise=self.zone))


def roughly(count: int) -> int:
    """`count` down to its first two digits: nobody knows more of what stories will cost."""
    size: int = 10 ** max(len(str(count)) - 2, 0)
    return count // size * size


@functools.cache
def _longest(max_tokens: int | None) -> Prompt:
    """Whoever wishes, and whatever for: no reservation is higher than the one for this."""
    return prompt.longest(words=LONGEST_MINUTES * WORDS_A_MINUTE, minutes=LONGEST_MINUTES, max_tokens=max_tokens)
