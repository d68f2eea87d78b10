"""Tonight: the form, what is being told, what is ready."""

from collections import Counter
from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, make_response, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from bedtime import casting, household, jobs, ledger, library
from bedtime.db import Connection
from bedtime.model import STORIES, Child, Prompt, Story
from bedtime.telling import progress_of
from bedtime.web import fields, pages, standing, views, wishes
from bedtime.web.doors import the_visitor
from bedtime.web.forms import WishForm, said
from bedtime.web.house import House, the_house

bp = Blueprint("tonight", __name__)

READY, BEING_TOLD, IDEAS_SHOWN = 6, 10, 3
USUAL_SECONDS, SLOW = 90, 2
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
def index() -> AnyResponse:
    """`continues` is the story that tomorrow's goes on from: then those who heard it are ticked."""
    if not the_visitor().is_grown_up:
        return wishes.readers_page(WishForm())
    number = fields.whole(request.args.get("continues"))
    return wish_page(_empty() if number is None else _going_on(number))


def wish_page(
    form: WishForm,
    *,
    status: int = 200,
    first_story: int | None = None,
    full: int | None = None,
    sent: Prompt | None = None,
) -> Response:
    """The page with the form, empty or with what was typed and what is wrong with it; always with a fresh key.

    `sent` is what a press of "Tell it" would send.
    """
    house = the_house()
    with house.database.reading() as db:
        context = _context(db, house)
        before = _before(db, form)
    if not form.new:
        form.new.append({"nickname": "", "band": "", "pronouns": ""})
    page = render_template(
        "tonight/index.html",
        form=form,
        errors=said(form.errors),
        key=house.new_key(),
        first_story=first_story,
        full=full,
        sent=sent,
        before=before,
        book_ends=before is not None and not goes_on(house, before),
        **context,
    )
    return make_response(page, status)


def _context(db: Connection, house: House) -> dict[str, Any]:
    now = house.clock()
    cost = house.estimate.cost(db, now=now)
    profiles = library.all_children(db)
    told = [views.job_page(view, now=now) for view in _being_told(db)]
    ready = pages.cards(db, library.tonight(db, eyes=the_visitor().eyes, most=READY))
    return {
        "profiles": profiles,
        "namesakes": namesakes(profiles),
        "leads_next": library.by_turn(db, profiles)[0].id if len(profiles) > 1 else None,
        "ideas": _ideas(now),
        "price": cost,
        "left": cost.left if cost else None,
        "stories_left": cost.stories_left if cost else None,
        "ready_in": _ready_in(db, told) if house.storyteller == "llm" else None,
        "sends_names": house.sends_names(db),
        "storyteller": house.storyteller,
        "host": house.estimate.storyteller.host if house.estimate.storyteller else "",
        "paused": views.paused_queue(db, STORIES),
        "being_told": told,
        "slow": _is_slow(told),
        "ready": ready,
        "wishes": wishes.open_for_grown_ups(db, now=now),
        "to_approve": standing.waiting(db, now=now),
    }


def goes_on(house: House, story: Story) -> bool:
    """Whether there can be a next part: an LLM makes one of any story, the book only of its own tales that have one."""
    return house.storyteller == "llm" or (story.tale is not None and house.continues(story.tale) is not None)


def namesakes(profiles: list[Child]) -> set[str]:
    """Nicknames that more than one child has."""
    return {name for name, many in Counter(child.nickname for child in profiles).items() if many > 1}


def _empty() -> WishForm:
    """A form that begins with the household's language."""
    with the_house().database.reading() as db:
        return WishForm(language=household.language(db))


def _going_on(story_id: int) -> WishForm:
    """A form that goes on from a story, with its listeners, length and language; an empty one if it is gone."""
    with the_house().database.reading() as db:
        story = library.story(db, story_id)
        before = library.request_for(db, story.request_id) if story else None
    if story is None or before is None:
        return _empty()
    wish = before.wish
    children = {child.id for child in before.children}
    return WishForm(children, minutes=wish.minutes, mood=wish.mood, language=wish.language, continues=story_id)


def _before(db: Connection, form: WishForm) -> Story | None:
    """The story that the form goes on from, with the names in its title filled in."""
    story = library.story(db, form.continues) if isinstance(form.continues, int) else None
    return story and replace(story, title=casting.fill(story.title, library.names_of(db, story.request_id)))


def _is_slow(told: list[views.JobPage]) -> bool:
    """Whether the storyteller was not reached, asks us to wait, or takes much longer than usual."""
    return any(
        page.waits_because is not None or page.elapsed_seconds > SLOW * (page.usual_seconds or USUAL_SECONDS)
        for page in told
        if not page.is_book and page.status in ("pending", "running")
    )


def _being_told(db: Connection) -> list[Any]:
    return list(progress_of(db, jobs.unfinished(db, most=BEING_TOLD)).values())


def _ready_in(db: Connection, told: list[views.JobPage]) -> str | None:
    """When a wish would be told that is asked for now, after those that wait for the same storyteller."""
    usual = ledger.usual_seconds(db)
    return None if usual is None else about(usual * (sum(not page.is_book for page in told) + 1))


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
