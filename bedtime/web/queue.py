"""The queue: what waits, what is told, what came to nothing and what to do about it; pausing and resuming."""

import datetime
from dataclasses import dataclass

from flask import Blueprint, Response, make_response, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from bedtime import asking, jobs
from bedtime.db import Connection
from bedtime.jobs import QueueNow, Times
from bedtime.model import STORIES, Job
from bedtime.telling import progress_of
from bedtime.web import fields, views
from bedtime.web.answers import see_other, trouble
from bedtime.web.house import the_house, the_wall

bp = Blueprint("queue", __name__)

MOST_WAITING, MOST_DEAD, DAYS = 50, 20, 7


@dataclass(frozen=True, slots=True)
class QueueView:
    """A queue as it looks now, with how long its jobs take."""

    now: QueueNow
    times: Times | None
    failed: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A job in a list. `page` is None where it tells no story."""

    job: Job
    page: views.JobPage | None


@bp.get("/queue")
def index() -> Response:
    """`before` is the id of the dead letter from which their list goes on."""
    house, wall = the_house(), the_wall()
    now = house.clock()
    today = datetime.datetime.fromtimestamp(now, wall).date()
    days = [today - datetime.timedelta(days=ago) for ago in range(DAYS)]
    since = datetime.datetime.combine(days[-1], datetime.time(), wall).timestamp()
    with house.database.reading() as db:
        waiting = jobs.unfinished(db, most=MOST_WAITING)
        dead = jobs.dead_letters(db, before=fields.whole(request.args.get("before")), most=MOST_DEAD + 1)
        context = {
            "queues": _queues(db),
            "waiting": _lines(db, waiting, now=now),
            "dead": _lines(db, dead[:MOST_DEAD], now=now),
            "paused": views.paused_queue(db, STORIES),
        }
        done = [datetime.datetime.fromtimestamp(at, wall).date() for at in jobs.done_since(db, since=since)]
    page = render_template(
        "queue/index.html",
        older=dead[MOST_DEAD - 1].id if len(dead) > MOST_DEAD else None,
        done=[(day, done.count(day)) for day in days],
        now=now,
        storyteller=house.storyteller,
        **context,
    )
    return make_response(page)


@bp.post("/queues/<name>/pause")
def pause(name: str) -> AnyResponse:
    """Nothing more is sent until somebody resumes; what is being told is told to its end."""
    if name != STORIES:
        return _no_queue()
    asking.pause(the_house().database, name, now=the_house().clock())
    return see_other(url_for("queue.index"))


@bp.post("/queues/<name>/resume")
def resume(name: str) -> AnyResponse:
    """Claiming goes on; pressed twice it changes nothing more."""
    if name != STORIES:
        return _no_queue()
    asking.resume(the_house().database, name)
    return see_other(fields.own_path(request.form.get("next", "")) or url_for("tonight.index"))


def _queues(db: Connection) -> list[QueueView]:
    failed = jobs.failed_by_code(db)
    return [
        QueueView(
            queue,
            jobs.times(db, queue.name),
            tuple((code, count) for name, code, count in failed if name == queue.name),
        )
        for queue in jobs.queues_now(db)
    ]


def _lines(db: Connection, some: list[Job], *, now: float) -> list[Line]:
    found = progress_of(db, some)
    return [Line(job, views.job_page(found[job.id], now=now) if job.id in found else None) for job in some]


def _no_queue() -> AnyResponse:
    return trouble(404, "no-queue", "There is no such queue", "Only the storyteller's queue can be paused.")
