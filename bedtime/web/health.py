"""`/healthz`: whether stories are being told; for a watchdog, so without a name or a title."""

from flask import Blueprint, Response, jsonify, make_response

from bedtime import jobs
from bedtime.web.access import Role
from bedtime.web.doors import the_visitor
from bedtime.web.house import the_house

bp = Blueprint("health", __name__)


@bp.get("/healthz")
def healthz() -> Response:
    """200 while the loops live, or another process has them; 503 when a loop is dead."""
    house, visitor = the_house(), the_visitor()
    health = house.health()
    status = 503 if health.dead else 200
    if visitor.role is Role.NOBODY:
        return make_response(jsonify({"status": "dead" if health.dead else "ok"}), status)
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
    return make_response(answer, status)
