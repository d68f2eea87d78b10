"""What a restored database takes over from the one that it replaces, so that nothing is bought twice and no cost forgotten."""

import logging
from dataclasses import dataclass
from pathlib import Path

from bedtime import household, jobs, ledger, library
from bedtime.db import Connection, Database, copies
from bedtime.db.connection import Error
from bedtime.errors import BedtimeError
from bedtime.library.schedules import AHEAD_SECONDS
from bedtime.model import STORIES, WRITE_STORY, Wish
from bedtime.settings import Settings

log = logging.getLogger("bedtime.keeping")

EVERYTHING, SPENDING, NOTHING = "everything", "spending", "nothing"


@dataclass(frozen=True, slots=True)
class Carried:
    """What was taken over: EVERYTHING that is newer, SPENDING only, or NOTHING since the replaced file can't be read.

    `stories` and `calls` came along; `left` stories stand in the replaced file only; `failed` jobs were not sent.
    """

    what: str
    stories: int = 0
    calls: int = 0
    left: int = 0
    failed: tuple[int, ...] = ()


def settle(restored: Database, replaced: Path | None, machine: Settings, *, now: float) -> Carried:
    """In one transaction on the restored database, before it is put into its place.

    What is set at the machine stands in wherever one of the two databases chose nothing.
    """
    for what in (EVERYTHING, SPENDING) if replaced else ():
        try:
            return _settled(restored, replaced, what, machine, now=now)
        except (BedtimeError, Error) as error:
            log.info('restore=%s status=impossible error=%s reason="%s"', what, type(error).__name__, error)
            restored.close()  # and with it what was attached
    return _settled(restored, None, NOTHING, machine, now=now)


def _settled(restored: Database, replaced: Path | None, what: str, machine: Settings, *, now: float) -> Carried:
    with restored.transaction("restore") as tx:
        if replaced is not None:
            copies.attach(tx, replaced)
        carried = _carry(tx, what, machine, now=now)
        failed = jobs.fail_restored(tx, now=now)
        household.sign_out_all(tx)
        household.end_pairings(tx)
        fault = copies.fault_in(tx)
        if fault is not None:
            raise BedtimeError(f"what was taken over does not fit: {fault}")
    restored.close()
    return Carried(what, carried.stories, carried.calls, carried.left, tuple(failed))


def _carry(tx: Connection, what: str, machine: Settings, *, now: float) -> Carried:
    if what != NOTHING:
        household.take_key_hosts(tx)
        household.take_stricter(tx, cap_micros=machine.monthly_cap_micros, send_names=machine.send_names, now=now)
    if what == EVERYTHING:
        return _carry_everything(tx)
    library.not_before(tx, since=now + AHEAD_SECONDS)  # this evening's story may have been bought already
    return _carry_spending(tx, now=now) if what == SPENDING else Carried(what)


def _carry_everything(tx: Connection) -> Carried:
    if jobs.strangers(tx) or library.strangers(tx):
        raise BedtimeError(
            "the replaced database did not go on from this backup: the same id means something else there"
        )
    newer = len(ledger.elsewhere(tx))
    jobs.carry_over(tx)
    stories = library.carry_over(tx)
    ledger.carry_over(tx)
    return Carried(EVERYTHING, stories, newer)


def _carry_spending(tx: Connection, *, now: float) -> Carried:
    """Each call with a wish and a job of its own, both without a word: what was spent stays spent."""
    calls = ledger.elsewhere(tx)
    for number, call in enumerate(calls, 1):
        key = f"restored {now:.6f} {number}"  # with spaces: a key that no client can choose
        request_id = library.add_request(tx, Wish(children=()), key=key, fingerprint="", now=now)
        job_id = jobs.add_dead(tx, STORIES, WRITE_STORY, request_id, now=now)
        library.set_first_job(tx, request_id, job_id)
        ledger.add_spent(tx, job_id, call)
    return Carried(SPENDING, calls=len(calls), left=library.count_elsewhere(tx))
