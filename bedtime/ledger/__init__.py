"""The ledger: the table `calls`, what was reserved, spent, and what nobody knows; and the cap.

    sending ──receive──► received ──settle──► settled
       │ ▲ receive (late answer)                  ▲
       ├─doubt──► unknown ──receive, settle───────┘   (an unknown call counts as spent at its worst case)
       └─refuse─► refused                              (certainly not billed; its reservation is free again)

Functions take a connection: `tx` inside a write transaction, `db` for reading. None of them begins or commits.
"""

from bedtime.ledger.calls import doubt, note, receive, refuse, reserve, settle
from bedtime.ledger.looking import (
    call_of,
    committed,
    get,
    last_two_unknown,
    period_of,
    unfinished,
    usual_cost,
    usual_seconds,
)

__all__ = [
    "call_of",
    "committed",
    "doubt",
    "get",
    "last_two_unknown",
    "note",
    "period_of",
    "receive",
    "refuse",
    "reserve",
    "settle",
    "unfinished",
    "usual_cost",
    "usual_seconds",
]
