"""Once an hour: what is kept no longer leaves, and the day's backup is made if it is due."""

import logging
import threading
from collections.abc import Callable

from bedtime import library
from bedtime.db import Database
from bedtime.errors import BedtimeError
from bedtime.keeping.backups import back_up
from bedtime.keeping.pruning import prune
from bedtime.keeping.rotation import copies_of, is_due
from bedtime.spool import Spool

log = logging.getLogger("bedtime.keeping")


class Keeper:
    """Every sixtieth step, a minute after the other, does something: the first one, and then one an hour.

    What goes wrong is told and tried again in an hour: a full disk is not asked every second.
    """

    SECONDS = 60.0
    STEPS = 60

    def __init__(
        self, database: Database, spool: Spool, *, observe: Callable[[str], None], clock: Callable[[], float]
    ) -> None:
        self._database = database
        self._spool = spool
        self._observe = observe
        self._clock = clock
        self._steps = 0

    def step(self) -> bool:
        self._steps += 1
        if self._steps % self.STEPS == 1:
            self._look()
        return False

    def rest(self, wake: threading.Event) -> None:
        wake.wait(self.SECONDS)

    def _look(self) -> None:
        for what, act in (("pruning", self._prune), ("backup", self._back_up)):
            try:
                act()
            except BedtimeError as error:
                log.warning('%s=later error=%s reason="%s"', what, type(error).__name__, error)

    def _prune(self) -> None:
        prune(self._database, self._spool, now=self._clock())

    def _back_up(self) -> None:
        """Nothing is made of a house in which nobody has asked for anything yet."""
        with self._database.reading() as db:
            empty = library.is_empty(db)
        if not empty and is_due(copies_of(self._database.path.parent), now=self._clock()):
            back_up(self._database, now=self._clock(), observe=self._observe)
