"""Tonight: the form, what is being told, what is ready."""

from typing import Any

from flask import Blueprint, Response, make_response, render_template

from bedtime import jobs, library
from bedtime.db import Connection
from bedtime.model import STORIES
from bedtime.telling import progress
from bedtime.web import views
from bedtime.web.forms import WishForm
from bedtime.web.house import House, the_house

bp = Blueprint("tonight", __name__)

READY, BEING_TOLD, IDEAS_SHOWN = 6, 10, 3
IDEAS = (
    "a lost mitten",
    "the last bus home",
    "a whale who hums",
    "the cat who kept the time",
    "a snowman’s umbrella",
    "the smallest fire engine",
    "a letter for the moon",
    "the bear who was early for winter",
    "a boat in the bathtub",
    "who left the gate open",
    "the lighthouse that wanted a day off",
    "a very slow race",
    "the pillow that remembered",
    "a hen on the night train",
    "what the attic keeps",
)


@bp.get("/")
def index() -> Response:
    return wish_page(WishForm())


def wish_page(
    form: WishForm, *, status: int = 200, first_story: int | None = None, full: int | None = None
) -> Response:
    """The page with the form, empty or with what was typed and what is wrong with it; always with a fresh key."""
    house = the_house()
    with house.database.reading() as db:
        context = _context(db, house)
    if not form.new:
        form.new.append({"nickname": "", "band": "", "pronouns": ""})
    page = render_template(
        "tonight/index.html",
        form=form,
        errors=form.errors,
        key=house.new_key(),
        first_story=first_story,
        full=full,
        **context,
    )
    return make_response(page, status)


def _context(db: Connection, house: House) -> dict[str, Any]:
    now = house.clock()
    cost = house.estimate.cost(db, now=now)
    pages = [views.job_page(view, now=now) for view in _being_told(db)]
    return {
        "profiles": library.all_children(db),
        "ideas": _ideas(now),
        "price": cost,
        "left": cost.left if cost else None,
        "stories_left": cost.stories_left if cost else None,
        "ready_in": _ready_in(pages),
        "sends_names": house.settings.send_names,
        "storyteller": house.storyteller,
        "host": house.estimate.storyteller.host if house.estimate.storyteller else "",
        "paused": views.paused_queue(db, STORIES),
        "being_told": pages,
        "ready": views.cards(db, library.tonight(db, most=READY)),
    }


def _being_told(db: Connection) -> list[Any]:
    found = [progress(db, job.id) for job in jobs.unfinished(db, most=BEING_TOLD)]
    return [view for view in found if view is not None]


def _ready_in(pages: list[views.JobPage]) -> str | None:
    usual = next((page.usual_seconds for page in pages if page.usual_seconds), None)
    return None if usual is None else about(usual * (len(pages) + 1))


def about(seconds: float) -> str:
    """A span as a parent says it."""
    if seconds < 45:
        return "under a minute"
    halves = round(seconds / 30)
    whole, half = divmod(halves, 2)
    return f"about {whole or ''}{'½' if half else ''} min"


def _ideas(now: float) -> list[str]:
    """Other ones every day."""
    day = int(now // 86400)
    return [IDEAS[(day * IDEAS_SHOWN + n) % len(IDEAS)] for n in range(IDEAS_SHOWN)]
