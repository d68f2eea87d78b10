"""The shelf, and a story to read: pages and JSON on the same URLs."""

from typing import Any

from flask import Response, jsonify, make_response, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from bedtime import covers, library
from bedtime.model import Story
from bedtime.telling import plain_story
from bedtime.web import fields, pages, standing
from bedtime.web.answers import trouble, wants_json
from bedtime.web.doors import the_visitor
from bedtime.web.house import the_house
from bedtime.web.stories import bp
from bedtime.web.tonight import goes_on

SHELF_PAGE = 24
SEARCH_CHARACTERS = 100
COVER_SECONDS = 365 * 86400


@bp.get("/stories")
def shelf() -> AnyResponse:
    """The shelf, newest first; `before` is the id that the page before ended with."""
    before = fields.whole(request.args.get("before"))
    which = _filter()
    with the_house().database.reading() as db:
        found = library.shelf(db, which, before=before, most=SHELF_PAGE + 1)
        cards = pages.cards(db, found[:SHELF_PAGE])
        total, children = library.count_stories(db, eyes=which.eyes), library.all_children(db)
    asked: dict[str, Any] = {
        "q": which.words or None,
        "child": which.child_id,
        "only": which.only or None,
        "series": which.series,
    }
    more = len(found) > SHELF_PAGE
    following = url_for("stories.shelf", before=cards[-1].id, **asked) if more else None
    if wants_json():
        return jsonify({"stories": [_plain_card(card) for card in cards], "next": following})
    page = render_template("stories/shelf.html", stories=cards, next=following, total=total, children=children, **asked)
    return make_response(page)


def _filter() -> library.Filter:
    only = request.args.get("only", "")
    return library.Filter(
        words=fields.clean(request.args.get("q", ""))[:SEARCH_CHARACTERS],
        child_id=fields.whole(request.args.get("child")),
        only=only if only in ("favourites", "unread") else "",
        series=fields.whole(request.args.get("series")),
        eyes=the_visitor().eyes,
    )


@bp.get("/stories/<int:story_id>")
def story(story_id: int) -> AnyResponse:
    """A story to read."""
    house, found, eyes = the_house(), story_row(story_id), the_visitor().eyes
    if found is None:
        return no_story()
    with house.database.reading() as db:
        if wants_json():
            return jsonify(plain_story(db, found, eyes=eyes))
        page, notice = pages.story_page(db, found, eyes=eyes), standing.notice(db, found.id, now=house.clock())
    page_of = {"story": page, "goes_on": goes_on(house, found), "notice": notice}
    return make_response(render_template("stories/story.html", **page_of))


@bp.get("/stories/<int:story_id>/cover.svg")
def cover(story_id: int) -> AnyResponse:
    """The picture of a story: drawn from its seed, and alike for ever."""
    found = story_row(story_id)
    if found is None:
        return no_story()
    drawing = Response(
        covers.cover(found.id, shape=found.shape, place=found.place, season=found.season), mimetype="image/svg+xml"
    )
    drawing.cache_control.private, drawing.cache_control.max_age = True, COVER_SECONDS
    return drawing


def story_row(story_id: int) -> Story | None:
    """A story that is for the visitor's eyes; None if it isn't, or isn't there: nobody can tell which."""
    with the_house().database.reading() as db:
        if story_id > fields.BIGGEST or not library.may_see(db, story_id, eyes=the_visitor().eyes):
            return None
        return library.story(db, story_id)


def no_story() -> AnyResponse:
    return trouble(404, "no-story", "There is no such story", "It was never here, or it was taken off the shelf.")


def _plain_card(card: pages.Card) -> dict[str, Any]:
    """What it says has the same names as in the story itself."""
    return {
        "story_id": card.id,
        "story_url": url_for("stories.story", story_id=card.id),
        "title": card.title,
        "minutes": card.minutes,
        "told_by": card.told_by,
        "children": card.names,
        "created_at": card.created_at,
        "read": card.read,
        "favourite": card.favourite,
        "part": card.part,
        "parts": card.parts,
    }
