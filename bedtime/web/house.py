"""What the pages work with; made once by whoever starts the server."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast
from zoneinfo import available_timezones

from flask import current_app

from bedtime.asking import AskRules
from bedtime.db import Database
from bedtime.settings import Settings
from bedtime.telling import Estimate


@dataclass(frozen=True)
class Health:
    """How the working threads are: `worker` is here, elsewhere (another process has the lock), or none."""

    worker: str
    silent_seconds: float | None
    dead: tuple[str, ...]


def zone_of_the_machine() -> str:
    """The IANA name of the time zone that the machine is set to; UTC where it doesn't say."""
    _, _, name = str(Path("/etc/localtime").resolve()).partition("zoneinfo/")
    return name if name in available_timezones() else "UTC"


@dataclass(frozen=True)
class House:
    """The database, the rules of asking, and the doors to clock and chance.

    `continues` is the book's: the slug of the next part of a tale, or None.
    """

    settings: Settings
    database: Database
    rules: AskRules
    estimate: Estimate
    observe: Callable[[str], None]
    clock: Callable[[], float]
    new_key: Callable[[], str]
    health: Callable[[], Health]
    secret_key: bytes = field(repr=False)
    continues: Callable[[str], str | None]
    zone: Callable[[], str] = zone_of_the_machine
    keeps_connections: bool = True

    @property
    def storyteller(self) -> str:
        return "llm" if self.settings.llm_url else "book"


def the_house() -> House:
    """The house of the request that is being answered."""
    return cast(House, current_app.extensions["bedtime"])
