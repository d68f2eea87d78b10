"""`/metrics`: the queue and the month's money for Prometheus, without a name, a title or a wish.

The text format is https://prometheus.io/docs/instrumenting/exposition_formats/.
"""

from collections.abc import Iterator, Sequence

from flask import Blueprint, Response

from bedtime import jobs, ledger
from bedtime.db import Connection
from bedtime.values import MICROS
from bedtime.web.house import House, the_house

bp = Blueprint("metrics", __name__)

Labels = dict[str, str]
Sample = tuple[Labels, float]


@bp.get("/metrics")
def metrics() -> Response:
    """For a script's token or a grown-up."""
    house = the_house()
    with house.database.reading() as db:
        text = "\n".join([*_queues(db, now=house.clock()), *_jobs(db), *_money(db, house), *_worker(house), ""])
    return Response(text, content_type="text/plain; version=0.0.4; charset=utf-8")


def _queues(db: Connection, *, now: float) -> Iterator[str]:
    queues = jobs.queues_now(db)
    named = [({"queue": queue.name}, queue) for queue in queues]
    yield from _gauge("queue_pending", "Jobs that wait.", [(name, queue.pending) for name, queue in named])
    yield from _gauge("queue_running", "Jobs that are being told.", [(name, queue.running) for name, queue in named])
    yield from _gauge("queue_failed", "Dead letters.", [(name, queue.failed) for name, queue in named])
    yield from _gauge(
        "queue_paused", "1 while nothing is claimed.", [(name, queue.paused_at is not None) for name, queue in named]
    )
    yield from _gauge(
        "queue_oldest_pending_seconds",
        "How long the oldest waiting job waits; 0 if none does.",
        [(name, max(now - (queue.oldest_pending_at or now), 0)) for name, queue in named],
    )
    found = [(name, jobs.times(db, queue.name)) for name, queue in named]
    taken = [(name, times) for name, times in found if times is not None]
    yield from _gauge(
        "telling_seconds_mean",
        "From claim to end, of the last completed jobs.",
        [(name, times.mean) for name, times in taken],
    )
    yield from _gauge(
        "telling_seconds_p95",
        "What 95 of 100 of them need at most.",
        [(name, times.slow) for name, times in taken],
    )


def _jobs(db: Connection) -> Iterator[str]:
    found = [({"queue": queue, "status": status}, count) for queue, status, count in jobs.counts(db)]
    yield from _gauge("jobs", "Jobs by status.", found)
    reasons = [({"queue": queue, "code": code}, count) for queue, code, count in jobs.failed_by_code(db)]
    yield from _gauge("jobs_failed", "Dead letters by reason.", reasons)


def _money(db: Connection, house: House) -> Iterator[str]:
    sums = ledger.sums_of(db, house.estimate.period_now(db, now=house.clock()))
    money = {"currency": house.settings.currency}
    for name, help_text, micros in (
        ("month_settled", "Spent this month, as billed.", sums.settled),
        ("month_set_aside", "Set aside for calls that are on their way.", sums.open),
        ("month_unknown", "Worst case of calls whose outcome nobody knows.", sums.unknown),
        ("month_cap", "What may be spent in a month.", house.estimate.cap_now(db)),
    ):
        yield from _gauge(name, help_text, [(money, micros / MICROS)])
    yield from _gauge("month_unknown_calls", "Calls that a grown-up should look at.", [({}, sums.unknown_calls)])


def _worker(house: House) -> Iterator[str]:
    health = house.health()
    yield from _gauge("worker", "1 for where the worker is.", [({"place": health.worker}, 1)])
    yield from _gauge("dead_loops", "Threads that stopped.", [({}, len(health.dead))])


def _gauge(name: str, help_text: str, samples: Sequence[Sample]) -> Iterator[str]:
    yield f"# HELP bedtime_{name} {help_text}"
    yield f"# TYPE bedtime_{name} gauge"
    for labels, value in samples:
        written = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"bedtime_{name}{f'{{{written}}}' if written else ''} {float(value):.15g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
