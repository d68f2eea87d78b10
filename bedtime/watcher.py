"""Hears what other processes commit, for all who claim: another server's pages, `flask ask`, a second worker."""

import threading
from collections.abc import Sequence

from bedtime.db import Database

SECONDS_BETWEEN_LOOKS = 0.25


class Watcher:
    """A look four times a second; each of `wakes` is set when another connection has committed."""

    def __init__(self, database: Database, wakes: Sequence[threading.Event]) -> None:
        self._database = database
        self._wakes = wakes
        self._version: int | None = None

    def step(self) -> bool:
        version = self._database.data_version()
        if version != self._version:
            self._version = version
            for wake in self._wakes:
                wake.set()
        return False

    def rest(self, wake: threading.Event) -> None:
        wake.wait(SECONDS_BETWEEN_LOOKS)
