"""Settings: what the family chooses, and what is set at the machine, to look at."""

from zoneinfo import available_timezones

from flask import Blueprint, Response, make_response, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from bedtime import accounts, asking, jobs, telling
from bedtime.model import STORIES
from bedtime.settings.showing import shown
from bedtime.web import choosing
from bedtime.web.answers import see_other
from bedtime.web.choosing import ChoiceForm
from bedtime.web.house import the_house

bp = Blueprint("settings", __name__)

CHOSEN_IN_THE_PAGE = frozenset({"monthly_cap_micros", "expiry_hours", "send_names"})


@bp.get("/settings")
def index() -> Response:
    return _page()


@bp.post("/settings")
def change() -> AnyResponse:
    """What was changed in the form holds from now on; all of it, or none of it and what is wrong."""
    house = the_house()
    with house.database.reading() as db:
        stood = choosing.standing(db, house)
    changed, form = choosing.read(request.form, stood)
    if form.errors:
        return _page(form, status=422)
    accounts.choose(house.database, changed, now=house.clock())
    return see_other(url_for("settings.index"))


@bp.post("/settings/back")
def back() -> AnyResponse:
    """Take a choice back: what is set at the machine holds again."""
    house = the_house()
    name = request.form.get("name", "")
    if name in choosing.by_machine(house):
        accounts.choose(house.database, {name: None}, now=house.clock())
    return see_other(url_for("settings.index"))


@bp.post("/settings/key")
def trust() -> AnyResponse:
    """The key is for the new address too; the queue that waited for this word goes on."""
    house = the_house()
    storyteller = house.estimate.storyteller
    if storyteller is not None and storyteller.host == request.form.get("host"):
        telling.trust_host(house.database, storyteller, now=house.clock())
        with house.database.reading() as db:
            why = jobs.paused(db, STORIES)
        if why is not None and why[0] == "key_host":
            asking.resume(house.database, STORIES)
    return see_other(url_for("settings.index"))


def _page(form: ChoiceForm | None = None, status: int = 200) -> Response:
    house = the_house()
    storyteller = house.estimate.storyteller
    with house.database.reading() as db:
        stands = choosing.standing(db, house)
        key_host = telling.foreign_host(db, storyteller)
    page = render_template(
        "settings/index.html",
        form=form or stands,
        stands=stands,
        machine=choosing.by_machine(house),
        zones=sorted(available_timezones()),
        currency=house.settings.currency,
        storyteller=house.storyteller,
        host=storyteller.host if storyteller else "",
        key_host=key_host,
        lines=[line for line in shown(house.settings) if line.attribute not in CHOSEN_IN_THE_PAGE],
    )
    return make_response(page, status)
