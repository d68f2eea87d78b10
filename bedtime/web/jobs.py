"""How far a job is, and what may be done with it: page, fragment and JSON on one URL."""

from typing import Any

from flask import jsonify, make_response, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from bedtime import asking
from bedtime.errors import NotFound, QueueFull
from bedtime.telling import JobView, progress
from bedtime.web import fields, views
from bedtime.web.answers import problem, see_other, trouble, wants_json
from bedtime.web.house import the_house
from bedtime.web.htmx import is_fragment
from bedtime.web.look import moon_at
from bedtime.web.stories import RETRY_SECONDS, bp

MESSAGES = {
    "pending": "It waits to be told.",
    "running": "It is being told.",
    "completed": "It is on the shelf.",
    "cancelled": "It was called off before anything was paid for.",
    "refused": "The storyteller declined this one. Wish again in other words.",
    "unreadable": "The answer held no story. The raw answer is kept.",
    "maybe_billed": "The answer was lost on the way and may have been billed. Asking again may cost a second time.",
    "over_budget": "This month's cap leaves no room for it. Nothing was sent.",
    "gave_up": "It was tried several times without an answer, and nothing was billed. Ask again later.",
    "expired": "It waited until its expiry and was not bought. Ask again if it is still wanted.",
    "restored": "A backup was restored while it waited. Ask again if it is still wanted.",
}


@bp.get("/stories/jobs/<int:job_id>")
def job(job_id: int) -> AnyResponse:
    """How far a job is: the page, its polled fragment, or JSON."""
    house, view = the_house(), _view(job_id)
    if view is None:
        return _no_job(job_id)
    if wants_json():
        return jsonify(_json(view))
    page = views.job_page(view, now=house.clock())
    template = "stories/_status.html" if is_fragment() else "stories/job.html"
    return make_response(render_template(template, view=page, sky=moon_at(page.fraction)))


@bp.post("/stories/jobs/<int:job_id>/cancel")
def cancel(job_id: int) -> AnyResponse:
    """Call it off, if nothing was sent yet; else its page says that it is being paid for."""
    house = the_house()
    ended = asking.cancel(house.database, job_id, now=house.clock())
    if wants_json() and not ended:
        detail = "It has ended already, or it is being paid for: then the story is kept."
        return problem(409, "not-cancelled", "It cannot be called off", detail)
    return see_other(url_for("stories.job", job_id=job_id))


@bp.post("/stories/jobs/<int:job_id>/again")
def again(job_id: int) -> AnyResponse:
    """A new job for the same wish; where the first may have been billed, only if the press says that it is understood."""
    house, view = the_house(), _view(job_id)
    if view is None:
        return _no_job(job_id)
    if view.job.error_code == "maybe_billed" and view.successor is None and request.form.get("understood") != "yes":
        detail = (
            "The first answer may have been billed. Go back, tick that you know it may cost twice, and press again."
        )
        return trouble(422, "may-cost-twice", "It may cost a second time", detail)
    try:
        new = asking.ask_again(house.database, job_id, rules=house.rules, now=house.clock())
    except NotFound as error:
        return trouble(409, "not-ended", "There is nothing to ask again", f"{str(error).capitalize()}.")
    except QueueFull as error:
        return trouble(
            429,
            "queue-full",
            "No more wishes fit in now",
            f"{error}: try again when one is told.",
            headers={"Retry-After": RETRY_SECONDS},
        )
    return see_other(url_for("stories.job", job_id=new))


@bp.post("/stories/jobs/<int:job_id>/tale")
def tale(job_id: int) -> AnyResponse:
    """A tale from the built-in book at once, while the wish stays."""
    house = the_house()
    try:
        new = asking.tale_now(house.database, job_id, now=house.clock())
    except NotFound:
        return _no_job(job_id)
    return see_other(url_for("stories.job", job_id=new))


def _view(job_id: int) -> JobView | None:
    with the_house().database.reading() as db:
        return progress(db, job_id) if job_id <= fields.BIGGEST else None


def _no_job(job_id: int) -> AnyResponse:
    return trouble(
        404, "no-job", "There is no such wish", "It was never asked here. The shelf has every story that was told."
    )


def _json(view: JobView) -> dict[str, Any]:
    job = view.job
    return {
        "job_id": job.id,
        "status": job.status,
        "place": view.place,
        "words": view.words,
        "expected_words": view.expected_words,
        "draft": view.draft,
        "error_code": job.error_code if job.status == "failed" else None,
        "message": MESSAGES[job.error_code if job.status == "failed" and job.error_code else job.status],
        "story_url": url_for("stories.story", story_id=view.story_id) if view.story_id else None,
        "cost_micros": view.cost_micros,
        "created_at": job.created_at,
        "completed_at": job.completed_at,
    }
