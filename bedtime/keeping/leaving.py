"""Leaving altogether: the house is emptied, and what remains is told."""

import logging
import shutil
from dataclasses import dataclass
from pathlib import Path

from bedtime import household, jobs, ledger, library
from bedtime.db import Database
from bedtime.errors import BedtimeError
from bedtime.keeping import restoring
from bedtime.keeping.backups import alone, clear_halves
from bedtime.keeping.holding import set_aside
from bedtime.keeping.rotation import Copy, copies_of, folder_of, throw_away

log = logging.getLogger("bedtime.keeping")

KEYS = ("secret_key", "llm_key", "setup_token")


@dataclass(frozen=True, slots=True)
class Remains:
    """What is not in the database, and holds what was: backups, databases that a restore put aside."""

    copies: list[Copy]
    aside: list[Path]


def remains(instance: Path) -> Remains:
    return Remains(copies_of(instance), set_aside(instance))


def empty_house(database: Database, *, copies_too: bool) -> bool:
    """Children, stories, wishes, money, devices, passphrase: all leave, with the keys and what was just arriving.

    False, and nothing changed, while a story is being paid for. Afterwards no grown-up exists. Waits for a backup that is
    being made, which would hold all of it and be told by nobody. Raises DatabaseBusy, and then all is as it was; DatabaseUnusable.
    """
    with alone(folder_of(database.path.parent)):
        return _empty(database, copies_too=copies_too)


def _empty(database: Database, *, copies_too: bool) -> bool:
    with database.transaction("leave") as tx:
        if jobs.count_sent(tx):
            return False
        library.forget_all(tx)
        ledger.forget_all(tx)
        jobs.forget_all(tx)
        household.forget_all(tx)
    log.warning("house=emptied copies_too=%s", copies_too)
    instance = database.path.parent
    for name in KEYS:
        (instance / name).unlink(missing_ok=True)
    for path in (instance / "spool").glob("*-*"):
        path.unlink(missing_ok=True)
    clear_halves(folder_of(instance))
    restoring.clear(instance / restoring.STAGE)
    if copies_too:
        _throw_away_all(instance)
    _write_anew(database)
    return True


def _throw_away_all(instance: Path) -> None:
    left = remains(instance)
    for copy in left.copies:
        throw_away(copy)
    for folder in left.aside:
        shutil.rmtree(folder)


def _write_anew(database: Database) -> None:
    """What was deleted was overwritten already; a file that cannot be made smaller now stays as large as it was."""
    try:
        database.vacuum()
    except BedtimeError as error:
        log.warning('vacuum=later reason="%s"', error)
