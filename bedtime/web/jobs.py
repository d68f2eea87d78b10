"""How far a job is, and what may be done with it: page, fragment and JSON on one URL."""

from dataclasses import replace

from flask import jsonify, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from bedtime import asking, library
from bedtime.errors import MayCostTwice, NotFound, QueueFull
from bedtime.telling import JobView, plain_job, progress
from bedtime.web import fields, views
from bedtime.web.answers import problem, see_other, trouble, wants_json
from bedtime.web.doors import require_pin, the_visitor
from bedtime.web.house import House, the_house
from bedtime.web.htmx import is_fragment
from bedtime.web.look import moon_at
from bedtime.web.stories import RETRY_SECONDS, bp


@bp.get("/stories/jobs/<int:job_id>")
def job(job_id: int) -> AnyResponse | str:
    """How far a job is: the page, its polled fragment, or JSON."""
    house = the_house()
    view = _view(house, job_id)
    if view is None:
        return _no_job(job_id)
    if is_fragment():
        return _page("stories/_status.html", view, now=house.clock())
    if wants_json():
        plain = plain_job(view, story_url=_story_url(view))
        return jsonify(
            {**plain, "message": _NOT_SHOWN} if view.job.status == "completed" and not view.story_id else plain
        )
    return _page("stories/job.html", view, now=house.clock())


@bp.post("/stories/jobs/<int:job_id>/cancel")
def cancel(job_id: int) -> AnyResponse:
    """Call it off, if nothing was sent yet; else its page says that it is being paid for."""
    house = the_house()
    if _view(house, job_id) is None:
        return _no_job(job_id)
    ended = asking.cancel(house.database, job_id, now=house.clock())
    if wants_json() and not ended:
        detail = "It has ended already, or it is being paid for: then the story is kept."
        return problem(409, "not-cancelled", "It cannot be called off", detail)
    return see_other(url_for("stories.job", job_id=job_id))


@bp.post("/stories/jobs/<int:job_id>/again")
def again(job_id: int) -> AnyResponse:
    """A new job for the same wish; where the first may have been billed, only if the press says that it is understood."""
    house = the_house()
    view = _view(house, job_id)
    if view is None:
        return _no_job(job_id)
    stopped = require_pin() if view.job.may_cost_twice and view.successor is None else None
    if stopped is not None:
        return stopped
    understood = view.job.may_cost_twice and request.form.get("understood") == "yes"
    try:
        new = asking.ask_again(house.database, job_id, rules=house.rules, understood=understood, now=house.clock())
    except MayCostTwice:
        detail = (
            "The first answer may have been billed. Go back, tick that you know it may cost twice, and press again."
        )
        return trouble(422, "may-cost-twice", "It may cost a second time", detail)
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
    if _view(house, job_id) is None:
        return _no_job(job_id)
    new = asking.tale_now(house.database, job_id, now=house.clock())
    return see_other(url_for("stories.job", job_id=new))


_NOT_SHOWN = "It was told. A grown-up looks at it first, or has taken it off the shelf."


def _view(house: House, job_id: int) -> JobView | None:
    """None also for a number that no job can have. A story that is not for these eyes is not there yet, nor are its words."""
    with house.database.reading() as db:
        view = progress(db, job_id) if job_id <= fields.BIGGEST else None
        if view is None or view.story_id is None or library.may_see(db, view.story_id, eyes=the_visitor().eyes):
            return view
    return replace(view, story_id=None, draft="")


def _page(template: str, view: JobView, *, now: float) -> str:
    page = views.job_page(view, now=now)
    return render_template(template, view=page, sky=moon_at(page.fraction))


def _no_job(job_id: int) -> AnyResponse:
    return trouble(
        404, "no-job", "There is no such wish", "It was never asked here. The shelf has every story that was told."
    )


def _story_url(view: JobView) -> str | None:
    return url_for("stories.story", story_id=view.story_id) if view.story_id else None
