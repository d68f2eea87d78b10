"""`/healthz`: whether stories are being told; for a watchdog, so without a name or a title."""

from flask import Blueprint, Response, jsonify

from bedtime import jobs
from bedtime.web.house import the_house

bp = Blueprint("health", __name__)


@bp.get("/healthz")
def healthz() -> Response:
    """200 while the loops live, or another process has them; 503 when a loop is dead."""
    house = the_house()
    health = house.health()
    now = house.clock()
    with house.database.reading() as db:
        queues = jobs.queues_now(db)
    due = [queue.oldest_due_at for queue in queues if queue.oldest_due_at is not None and queue.oldest_due_at <= now]
    answer = jsonify(
        {
            "status": "dead" if health.dead else "ok",
            "worker": health.worker,
            "dead_loops": health.dead,
            "loop_age_seconds": health.silent_seconds,
            "oldest_due_seconds": now - min(due) if due else None,
            "paused": {queue.name: queue.paused_reason for queue in queues if queue.paused_at is not None},
        }
    )
    answer.status_code = 503 if health.dead else 200
    return answer
