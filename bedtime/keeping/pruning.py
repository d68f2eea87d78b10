"""What leaves by itself: raw answers, sessions and codes whose time is over, old notes, answers that were put away.

Jobs, calls and stories stay: they are the history.
"""

import logging

from bedtime import household, jobs, ledger, library
from bedtime.db import Database
from bedtime.spool import Spool

log = logging.getLogger("bedtime.keeping")

DAY_SECONDS = 86400.0
RAW_SECONDS = 30 * DAY_SECONDS
GRACE_SECONDS = 7 * DAY_SECONDS  # a clock that jumps for an hour takes nothing along


def prune(database: Database, spool: Spool, *, now: float) -> None:
    """Harmless as often as it is called."""
    with database.transaction("prune") as tx:
        raw = ledger.forget_raw(tx, settled_before=now - RAW_SECONDS)
        library.forget_stand_ins(tx, being_told=jobs.running_payloads(tx, "request_id"))  # of a telling that has failed
        sessions = household.forget_expired(tx, before=now - GRACE_SECONDS)
        notes = library.forget_notes(tx, expired_before=now - GRACE_SECONDS)
    spooled = _clear_spool(database, spool)
    if raw or sessions or notes or spooled:
        log.info("chore=pruned raw=%d sessions=%d notes=%d spool=%d", raw, sessions, notes, spooled)


def _clear_spool(database: Database, spool: Spool) -> int:
    """Files of calls that are over and in the ledger; in any other the reaper, or the next start, may find a story."""
    cleared = 0
    for job_id, attempts in spool.kept():
        with database.reading() as db:
            call = ledger.call_of(db, job_id)
        over = call is not None and call.attempt == attempts and call.status in ("settled", "refused")
        if call is not None and over and not ledger.may_come_late(call):
            spool.remove(job_id, attempts)
            cleared += 1
    return cleared
