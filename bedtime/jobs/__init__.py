"""The queue: the tables `jobs` and `queues` and the life of a job; it knows no story and could serve another project.

    pending ──claim──► running ──complete──► completed
       ▲ ▲                │ │ └───fail─────► failed ──complete (late answer of a `maybe_billed` job)──► completed
       │ └─retry, reap────┘ └─cancel──┐
       └──────────cancel──────────────┴────► cancelled

Retry, reap and cancel require `sent_at IS NULL`: the queue alone never hands out again what may have been bought.
The fence of a claim is `(id, attempts)`; `attempts` rises at every claim and is never set back.
Functions take a connection: `tx` inside a write transaction, `db` for reading. None of them begins or commits.
"""

from bedtime.jobs.carrying import add_dead, carry_over, count_sent, fail_restored, forget_all, strangers
from bedtime.jobs.claims import claim, extend, mark, take_back
from bedtime.jobs.endings import cancel, cancel_successor, complete, complete_late, expire, fail, give_up_late
from bedtime.jobs.enqueueing import count_waiting, enqueue, enqueue_retry
from bedtime.jobs.figures import Times, counts, dead_letters, done_since, failed_by_code, times
from bedtime.jobs.looking import (
    all_planned,
    get,
    listing,
    next_due,
    of_payload,
    places,
    planned,
    running_payloads,
    successor,
    successors,
    unfinished,
)
from bedtime.jobs.queues import QueueNow, pause, paused, queues_now, resume
from bedtime.jobs.reaping import fail_dead, given_up, overdue, reap
from bedtime.jobs.returning import bring_forward, put_back, retry
from bedtime.jobs.saying import say, say_queue

__all__ = [
    "QueueNow",
    "Times",
    "add_dead",
    "all_planned",
    "bring_forward",
    "cancel",
    "cancel_successor",
    "carry_over",
    "claim",
    "complete",
    "complete_late",
    "count_sent",
    "count_waiting",
    "counts",
    "dead_letters",
    "done_since",
    "enqueue",
    "enqueue_retry",
    "expire",
    "extend",
    "fail",
    "fail_dead",
    "fail_restored",
    "failed_by_code",
    "forget_all",
    "get",
    "give_up_late",
    "given_up",
    "listing",
    "mark",
    "next_due",
    "of_payload",
    "overdue",
    "pause",
    "paused",
    "places",
    "planned",
    "put_back",
    "queues_now",
    "reap",
    "resume",
    "retry",
    "running_payloads",
    "say",
    "say_queue",
    "strangers",
    "successor",
    "successors",
    "take_back",
    "times",
    "unfinished",
]
