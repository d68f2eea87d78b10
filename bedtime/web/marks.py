"""What a family leaves in a story, and takes along of it: bookmark, heart, "again!", what they thought; files."""

import base64
import io
from collections.abc import Callable

from flask import make_response, render_template, request, send_file, url_for
from werkzeug.wrappers import Response

from bedtime import covers, epub, library
from bedtime.db import Connection
from bedtime.web import fields, pages
from bedtime.web.answers import see_other, trouble
from bedtime.web.doors import the_visitor
from bedtime.web.house import the_house
from bedtime.web.htmx import is_fragment
from bedtime.web.shelf import no_story, story_row
from bedtime.web.stories import bp
from bedtime.web.tonight import goes_on

Mark = Callable[[Connection], None]


@bp.post("/stories/<int:story_id>/reading")
def reading(story_id: int) -> Response:
    """We got this far: next night starts at this paragraph."""
    house = the_house()
    paragraph = fields.whole(request.form.get("paragraph"))
    found = story_row(story_id)
    if found is None:
        return no_story()
    if paragraph is None or not 1 <= paragraph <= len(found.paragraphs):
        return trouble(422, "fields", "There is no such paragraph", f"This story has {len(found.paragraphs)} of them.")
    with house.database.transaction("reading") as tx:
        library.read_to(tx, story_id, paragraph, now=house.clock())
    return see_other(url_for("stories.story", story_id=story_id, _anchor=f"p{paragraph}"))


@bp.post("/stories/<int:story_id>/mark")
def mark(story_id: int) -> Response:
    """`favourite` yes or no, `again` yes or no, `reaction` or `take_back` with what they thought of it."""
    house = the_house()
    found = story_row(story_id)
    if found is None:
        return no_story()
    changes = _changes(story_id, now=house.clock())
    if not changes:
        return trouble(422, "fields", "Nothing was marked", "Press one of the buttons under the story.")
    with house.database.transaction("mark_story") as tx:
        for change in changes:
            change(tx)
    if not is_fragment():
        return see_other(url_for("stories.story", story_id=story_id, _anchor="marks"))
    with house.database.reading() as db:
        marked = library.story(db, story_id) or found
        page = pages.story_page(db, marked, eyes=the_visitor().eyes)
    return make_response(render_template("stories/_marks.html", story=page, goes_on=goes_on(house, found)))


def _changes(story_id: int, *, now: float) -> list[Mark]:
    form = request.form
    changes: list[Mark] = []
    if form.get("favourite") in ("yes", "no"):
        changes.append(lambda tx: library.set_favourite(tx, story_id, favourite=form["favourite"] == "yes"))
    if form.get("again") == "yes":
        changes.append(lambda tx: library.want_again(tx, story_id, now=now))
    if form.get("again") == "no":
        changes.append(lambda tx: library.not_again(tx, story_id))
    if form.get("reaction") in library.REACTIONS:
        changes.append(lambda tx: library.react(tx, story_id, form["reaction"], now=now))
    if form.get("take_back") in library.REACTIONS:
        changes.append(lambda tx: library.take_back_reaction(tx, story_id, form["take_back"]))
    return changes


@bp.get("/stories/<int:story_id>/story.<kind>")
def export(story_id: int, kind: str) -> Response:
    """The story as a file: `epub`, one-file `html`, or `txt`; made in memory, named by us."""
    makers = {"epub": _epub, "html": _html, "txt": _txt}
    found = story_row(story_id)
    if found is None or kind not in makers:
        return no_story()
    with the_house().database.reading() as db:
        page = pages.story_page(db, found, eyes=the_visitor().eyes)
    drawing = covers.cover(found.id, shape=found.shape, place=found.place, season=found.season)
    content, mimetype = makers[kind](page, drawing)
    name = f"bedtime-story-{page.id}.{kind}"
    answer = send_file(io.BytesIO(content), mimetype=mimetype, as_attachment=True, download_name=name)
    del answer.headers["Cache-Control"]  # of files that never change; whoever may see this one may change
    return answer


def _epub(page: pages.StoryPage, drawing: str) -> tuple[bytes, str]:
    book = epub.book(
        page.title,
        page.paragraphs,
        language=page.language,
        identifier=f"urn:bedtime:story:{page.id}:{int(page.created_at)}",
        author="Bedtime",
        cover_svg=drawing,
        modified=page.created_at,
    )
    return book, "application/epub+zip"


def _html(page: pages.StoryPage, drawing: str) -> tuple[bytes, str]:
    cover = "data:image/svg+xml;base64," + base64.b64encode(drawing.encode()).decode()
    return render_template("stories/file.html", story=page, cover=cover).encode(), "text/html"


def _txt(page: pages.StoryPage, drawing: str) -> tuple[bytes, str]:
    return "\n\n".join([page.title, *page.paragraphs, ""]).encode(), "text/plain"
