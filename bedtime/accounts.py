"""The household's accounts: a call settled from the provider's bill, and what the family chooses in the page."""

import logging
from collections.abc import Mapping

from bedtime import household, ledger
from bedtime.db import Database

log = logging.getLogger("bedtime.accounts")


def settle_by_bill(database: Database, call_id: int, *, spent_micros: int, now: float) -> bool:
    """A grown-up has looked: an unknown call cost this much, 0 included; its reservation is free again.

    The ledger says from then on that it was settled by hand; entered once more, the amount is corrected. False if the
    outcome of the call is known, or there is no such call.
    """
    with database.transaction("settle") as tx:
        settled = ledger.settle_by_hand(tx, call_id, spent_micros=spent_micros, now=now)
    if settled:
        log.info("call=%d status=settled outcome=by_hand spent_micros=%d", call_id, spent_micros)
    return settled


def choose(database: Database, chosen: Mapping[str, str | None], *, now: float) -> None:
    """What the family chose, by name; None takes a choice back. All of it holds at once, or none of it."""
    with database.transaction("choose") as tx:
        for name, value in chosen.items():
            household.choose(tx, name, value, now=now)
    for name, value in chosen.items():
        log.info("choice=%s status=%s", name, "taken_back" if value is None else "chosen")
