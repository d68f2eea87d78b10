"""What the pages work with; made once by whoever starts the server."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from flask import current_app, g

from bedtime import almanac, household
from bedtime.asking import AskRules
from bedtime.db import Connection, Database
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
    return str(almanac.wall(str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2]))


@dataclass(frozen=True)
class House:
    """The database, the rules of asking, and the doors to clock and chance.

    `continues` is the book's: the slug of the next part of a tale, or None. `zone` is the machine's time zone: what the
    household chose wins, as it does over the settings.
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

    def sends_names(self, db: Connection) -> bool:
        return household.send_names(db, otherwise=self.settings.send_names)

    def zone_now(self, db: Connection) -> str:
        """The IANA name of the household's time zone."""
        return household.zone(db, otherwise=self.zone())


def the_house() -> House:
    """The house of the request that is being answered."""
    return cast(House, current_app.extensions["bedtime"])


def the_wall() -> datetime.tzinfo:
    """The clocks of the household, looked up once a request; outside of a snapshot."""
    if "wall" not in g:
        house = the_house()
        with house.database.reading() as db:
            g.wall = almanac.wall(house.zone_now(db))
    return cast(datetime.tzinfo, g.wall)
