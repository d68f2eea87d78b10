"""Stories that wait for a grown-up: why, the text, approve, edit, hide."""

from dataclasses import dataclass, field
from typing import Any

from flask import Blueprint, make_response, render_template, request, url_for
from werkzeug.wrappers import Response

from bedtime import approving, casting, lettering, library
from bedtime.db import Connection
from bedtime.errors import NotFound
from bedtime.library import Standing
from bedtime.web import fields, standing
from bedtime.web.answers import see_other, trouble
from bedtime.web.house import the_house

bp = Blueprint("safety", __name__)

SHOWN, TITLE, TEXT = 20, 200, 100_000


@dataclass(frozen=True, slots=True)
class Look:
    """A story as a grown-up looks at it, names filled in. `first` is it as it was told, if somebody edited it since."""

    standing: Standing
    title: str
    paragraphs: tuple[str, ...]
    names: tuple[str, ...]
    first_title: str
    first: tuple[str, ...]

    @property
    def shown(self) -> str:
        """So that nobody edits what they have not seen."""
        return approving.hash_of((self.title, *self.paragraphs))

    @property
    def dir(self) -> str:
        return lettering.direction(self.standing.language)


@dataclass
class EditForm:
    """What was typed, and what is wrong with it."""

    title: str
    text: str
    errors: dict[str, str] = field(default_factory=dict)


@bp.get("/safety")
def index() -> Response:
    """What waits, what a check held first; and what was hidden."""
    house = the_house()
    with house.database.reading() as db:
        waiting = [_look(db, one) for one in library.to_approve(db, most=SHOWN)]
        hidden = [_look(db, one) for one in library.hidden_stories(db, most=SHOWN)]
        total, held = library.count_to_approve(db)
        readers = standing.has_readers(db, now=house.clock())
    newest = max((look.standing.story_id for look in waiting if not look.standing.held), default=0)
    shown: dict[str, Any] = {"waiting": waiting, "hidden": hidden, "total": total, "free": total - held}
    return make_response(render_template("safety/index.html", newest=newest, has_readers=readers, **shown))


@bp.get("/safety/stories/<int:story_id>")
def story(story_id: int) -> Response:
    return _page(story_id)


@bp.post("/safety/stories/<int:story_id>/approve")
def approve(story_id: int) -> Response:
    """The text with the hash of the form, and no other."""
    house = the_house()
    sha256 = request.form.get("sha256", "")
    if approving.approve(house.database, _number(story_id), sha256=sha256, now=house.clock()):
        return see_other(url_for("safety.index"))
    return _page(story_id, status=409, changed=True)


@bp.post("/safety/approve-rest")
def approve_rest() -> Response:
    """All that no check held, up to the newest that was on the page."""
    house = the_house()
    approving.approve_rest(house.database, up_to=fields.whole(request.form.get("up_to")) or 0, now=house.clock())
    return see_other(url_for("safety.index"))


@bp.post("/safety/stories/<int:story_id>/edit")
def edit(story_id: int) -> Response:
    """Names, words, paragraphs; the first text is kept."""
    form, paragraphs = _read()
    if form.errors:
        return _page(story_id, status=422, form=form)
    try:
        kept = approving.edit(
            the_house().database,
            _number(story_id),
            title=form.title,
            paragraphs=paragraphs,
            shown=request.form.get("shown", ""),
        )
    except NotFound:
        return _gone()
    if not kept:
        return _page(story_id, status=409, form=form, changed=True)
    return see_other(url_for("safety.story", story_id=story_id))


@bp.post("/safety/stories/<int:story_id>/hide")
def hide(story_id: int) -> Response:
    house = the_house()
    there = approving.hide(house.database, _number(story_id), now=house.clock())
    return see_other(url_for("safety.index")) if there else _gone()


@bp.post("/safety/stories/<int:story_id>/show")
def show(story_id: int) -> Response:
    there = approving.show_again(the_house().database, _number(story_id))
    return see_other(url_for("safety.story", story_id=story_id)) if there else _gone()


def _page(story_id: int, *, status: int = 200, form: EditForm | None = None, changed: bool = False) -> Response:
    """`changed`: somebody else edited it, or hid it, since the page was opened."""
    with the_house().database.reading() as db:
        found = library.standing(db, _number(story_id))
        look = _look(db, found) if found else None
    if look is None:
        return _gone()
    form = form or EditForm(look.title, "\n\n".join(look.paragraphs))
    return make_response(render_template("safety/story.html", look=look, form=form, changed=changed), status)


def _look(db: Connection, story: Standing) -> Look:
    names = library.names_of(db, story.request_id)
    first = story.first_text if story.first_text is not None else ""
    return Look(
        standing=story,
        title=casting.fill(story.title, names),
        paragraphs=tuple(casting.fill(piece, names) for piece in story.text.split("\n\n")),
        names=library.listening_names(db, story.request_id),
        first_title=casting.fill(story.first_title or "", names),
        first=tuple(casting.fill(piece, names) for piece in first.split("\n\n")) if first else (),
    )


def _read() -> tuple[EditForm, list[str]]:
    typed = request.form.get("text", "").replace("\r\n", "\n").replace("\r", "\n")
    form = EditForm(fields.clean(request.form.get("title", "")), typed)
    if not 1 <= len(form.title) <= TITLE:
        form.errors["title"] = f"A title has between one letter and {TITLE}."
    if len(typed) > TEXT:
        form.errors["text"] = f"This is {len(typed)} characters long, and {TEXT} fit."
        return form, []
    paragraphs = fields.paragraphs(typed)
    if not paragraphs:
        form.errors["text"] = "Nothing is left of the story. To keep it from readers’ devices, hide it."
    return form, paragraphs


def _number(story_id: int) -> int:
    return min(story_id, fields.BIGGEST)


def _gone() -> Response:
    return trouble(404, "no-story", "There is no such story", "It was never here, or it was taken off the shelf.")
