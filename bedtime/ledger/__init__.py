"""The ledger: the table `calls`, what was reserved, spent, and what nobody knows; and the cap.

    sending ──receive──► received ──settle──► settled
       │ ▲ receive (late answer)                  ▲
       ├─doubt──► unknown ──receive, settle───────┤   (an unknown call counts as spent at its worst case)
       │             └──────settle_by_hand────────┘   (a grown-up, from the provider's bill; a late answer is still kept)
       └─refuse─► refused                              (certainly not billed; its reservation is free again)

Functions take a connection: `tx` inside a write transaction, `db` for reading. None of them begins or commits.
"""

from bedtime.ledger.calls import doubt, note, receive, refuse, reserve, settle, settle_by_hand
from bedtime.ledger.keeping import (
    add_spent,
    carry_over,
    draft_of,
    elsewhere,
    forget_all,
    forget_raw,
    forget_raw_of,
    raw_of,
)
from bedtime.ledger.listing import CallLine, DaySpent, MonthSums, Spent, by_day, calls_before, months, spent_in, sums_of
from bedtime.ledger.looking import (
    call_of,
    calls_of,
    committed,
    get,
    last_two_unknown,
    may_come_late,
    period_of,
    unfinished,
    usual_cost,
    usual_seconds,
)

__all__ = [
    "CallLine",
    "DaySpent",
    "MonthSums",
    "Spent",
    "add_spent",
    "by_day",
    "call_of",
    "calls_before",
    "calls_of",
    "carry_over",
    "committed",
    "doubt",
    "draft_of",
    "elsewhere",
    "forget_all",
    "forget_raw",
    "forget_raw_of",
    "get",
    "last_two_unknown",
    "may_come_late",
    "months",
    "note",
    "period_of",
    "raw_of",
    "receive",
    "refuse",
    "reserve",
    "settle",
    "settle_by_hand",
    "spent_in",
    "sums_of",
    "unfinished",
    "usual_cost",
    "usual_seconds",
]
