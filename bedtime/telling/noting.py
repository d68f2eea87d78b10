"""Once a second, while a text arrives: how many words there are, and the draft so far."""

import logging

from bedtime import casting, ledger
from bedtime.errors import BedtimeError
from bedtime.lettering import words_aloud
from bedtime.loop import log_bug
from bedtime.model import Role
from bedtime.telling.parts import Parts

log = logging.getLogger("bedtime.telling")

SECONDS_BETWEEN_NOTES = 1.0


class Noting:
    """Called with the whole text so far; what it notes holds slots in place of stand-ins."""

    def __init__(self, parts: Parts, call_id: int, roles: tuple[Role, ...]) -> None:
        self._parts = parts
        self._call_id = call_id
        self._roles = roles
        self._noted_at = float("-inf")  # the first text is noted at once: what stalls after it shows what came

    def __call__(self, text: str) -> None:
        """Neither a database that is busy nor a fault of ours here stops a call that is being paid for."""
        if self._parts.monotonic() - self._noted_at < SECONDS_BETWEEN_NOTES:
            return
        try:
            self._note(text)
        except BedtimeError as error:
            log.warning("call=%d note=skipped reason=%s", self._call_id, type(error).__name__)
        except Exception as error:
            log_bug(log, f"call={self._call_id} note=skipped", error)
        self._noted_at = self._parts.monotonic()

    def _note(self, text: str) -> None:
        draft, words = casting.to_slots(text, self._roles), words_aloud(text)
        with self._parts.database.transaction("note") as tx:
            ledger.note(tx, self._call_id, draft=draft, words=words)
