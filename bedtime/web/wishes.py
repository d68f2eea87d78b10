"""Wishes: a reader's device leaves them, grown-ups say yes by one press, or not this one."""

from dataclasses import dataclass, replace
from typing import Any

from flask import Blueprint, make_response, render_template, request, url_for
from werkzeug.wrappers import Response

from bedtime import asking, household, library, wishing
from bedtime.db import Connection
from bedtime.errors import Namesakes, NotFound, QueueFull, TooManyWishes
from bedtime.library import Wished
from bedtime.web import fields, forms, pages, views
from bedtime.web.answers import see_other, trouble
from bedtime.web.doors import the_visitor
from bedtime.web.forms import WishForm
from bedtime.web.house import the_house

bp = Blueprint("wishes", __name__)

READY, SHOWN = 6, 12
RETRY_SECONDS = "60"


@dataclass(frozen=True, slots=True)
class WishView:
    """A wish as a list shows it."""

    id: int
    title: str
    names: tuple[str, ...]
    mood: str
    device: str
    created_at: float


@bp.post("/wishes")
def add() -> Response:
    """Leave a wish: it costs nothing, and nothing is asked. Only children that there are, an idea, a mood."""
    typed = request.form
    raw = {"children": typed.getlist("child"), "idea": typed.get("idea", ""), "mood": typed.get("mood", "calm")}
    wish, form = forms.read(raw)
    house = the_house()
    if wish is None:
        return readers_page(form, status=422)
    device = the_visitor().device
    try:
        wishing.wish_for(house.database, wish, device_id=device.id if device else None, now=house.clock())
    except NotFound:
        form.errors["children"] = "One of them is not here any more: choose again."
        return readers_page(form, status=422)
    except TooManyWishes:
        return readers_page(form, status=429, full=wishing.MOST_OPEN)
    return see_other(url_for("tonight.index", _anchor="wished"))


@bp.post("/wishes/<int:wish_id>/ask")
def ask(wish_id: int) -> Response:
    """One press makes a request of it; pressed twice it is one."""
    house = the_house()
    try:
        asked = asking.ask_for(house.database, min(wish_id, fields.BIGGEST), rules=house.rules, now=house.clock())
    except NotFound as error:
        return trouble(404, "no-wish", "This wish can’t be asked for", f"{str(error).capitalize()} any more.")
    except Namesakes:
        return trouble(422, "namesakes", "Two of them have the same name", forms.NAMESAKES)
    except QueueFull as error:
        sentence = f"{str(error).capitalize()}. The wish stays: ask for it when one of them is told."
        headers = {"Retry-After": RETRY_SECONDS}
        return trouble(429, "queue-full", "No more wishes fit in now", sentence, headers=headers)
    return see_other(url_for("stories.job", job_id=asked.job_id))


@bp.post("/wishes/<int:wish_id>/set-aside")
def set_aside(wish_id: int) -> Response:
    """Not this one; it is gone from both pages."""
    house = the_house()
    wishing.set_aside(house.database, min(wish_id, fields.BIGGEST), now=house.clock())
    return see_other(url_for("tonight.index"))


def readers_page(form: WishForm, *, status: int = 200, full: int = 0) -> Response:
    """Tonight on a reader's device: stories that are for its eyes, a wish, and no word of money."""
    house, visitor = the_house(), the_visitor()
    with house.database.reading() as db:
        unread = library.shelf(db, library.Filter(only="unread", eyes=visitor.eyes), most=READY)
        mine = library.open_wishes_of(db, visitor.device.id if visitor.device else None)
        context: dict[str, Any] = {
            "ready": pages.cards(db, unread),
            "any_stories": library.count_stories(db, eyes=visitor.eyes) > 0,
            "profiles": library.all_children(db),
            "wishes": shown(db, mine, now=house.clock()),
        }
    said = replace(form, errors=forms.said(form.errors))
    return make_response(render_template("tonight/reader.html", form=said, full=full, **context), status)


def open_for_grown_ups(db: Connection, *, now: float) -> list[WishView]:
    return shown(db, library.open_wishes(db, most=SHOWN), now=now)


def shown(db: Connection, wishes: list[Wished], *, now: float) -> list[WishView]:
    """With the names of today, and the device's."""
    if not wishes:
        return []
    names = {child.id: child.nickname for child in library.all_children(db)}
    devices = {device.id: device.name for device in household.all_devices(db, now=now)}
    return [
        WishView(
            id=one.id,
            title=views.title_of(one.wish.idea),
            names=tuple(names[child] for child in one.children if child in names),
            mood=one.wish.mood.replace("_", " "),
            device=devices.get(one.device_id or 0, ""),
            created_at=one.created_at,
        )
        for one in wishes
    ]
