"""Once a second, while a text arrives: how many words there are, and the draft so far."""

import logging

from bedtime import casting, ledger
from bedtime.errors import BedtimeError
from bedtime.model import Role
from bedtime.telling.parts import Parts

log = logging.getLogger("bedtime.telling")

SECONDS_BETWEEN_NOTES = 1.0


class Noting:
    """Called with the whole text so far; `draft` holds slots in place of stand-ins."""

    def __init__(self, parts: Parts, call_id: int, roles: tuple[Role, ...]) -> None:
        self._parts = parts
        self._call_id = call_id
        self._roles = roles
        self._text = ""
        self._noted_at = parts.monotonic()

    def __call__(self, text: str) -> None:
        """A database that is busy never stops a call that is being paid for."""
        self._text = text
        now = self._parts.monotonic()
        if now - self._noted_at < SECONDS_BETWEEN_NOTES:
            return
        self._noted_at = now
        try:
            with self._parts.database.transaction("note") as tx:
                ledger.note(tx, self._call_id, draft=self.draft, words=self.words)
        except BedtimeError as error:
            log.warning("call=%d note=skipped reason=%s", self._call_id, type(error).__name__)

    @property
    def draft(self) -> str:
        return casting.to_slots(self._text, self._roles)

    @property
    def words(self) -> int:
        return len(self._text.split())
