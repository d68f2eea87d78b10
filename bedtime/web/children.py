"""Profiles of children: one line each, changed in place; deleted with the consequences told."""

from dataclasses import dataclass, field

from flask import Blueprint, make_response, render_template, request, url_for
from werkzeug.wrappers import Response

from bedtime import family, keeping, library
from bedtime.model import BANDS, PRONOUNS, Child
from bedtime.web import fields
from bedtime.web.answers import see_other, trouble
from bedtime.web.forms import IN_WORDS, NICKNAME
from bedtime.web.house import the_house

bp = Blueprint("children", __name__)

PROFILE_TEXT = 300


@dataclass
class ChildForm:
    """What was typed into one profile, what the page showed there before, and what is wrong with it."""

    child: Child
    was: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


@bp.get("/children")
def index() -> Response:
    return _page()


@bp.post("/children")
def add() -> Response:
    form = _read(0)
    if form.errors:
        return _page(wrong=form, status=422)
    house = the_house()
    family.add_child(house.database, form.child, now=house.clock())
    return see_other(url_for("children.index"))


@bp.post("/children/<int:child_id>")
def change(child_id: int) -> Response:
    form = _read(child_id)
    if form.errors:
        return _page(wrong=form, status=422)
    changed = [name for name in family.PROFILE if form.was.get(name) != getattr(form.child, name)]
    if not family.change_child(the_house().database, form.child, changed):
        return _gone()
    return see_other(url_for("children.index", _anchor=f"child-{child_id}"))


@bp.get("/children/<int:child_id>/delete")
def leaving(child_id: int) -> Response:
    """What deleting this child would take along."""
    with the_house().database.reading() as db:
        found = family.leaving(db, child_id) if child_id <= fields.BIGGEST else None
    if found is None:
        return _gone()
    instance = the_house().settings.instance
    copies, aside = keeping.copies_with_child(instance, child_id), keeping.set_aside(instance)
    return make_response(render_template("children/leaving.html", leaving=found, copies=copies, aside=aside))


@bp.post("/children/<int:child_id>/delete")
def delete(child_id: int) -> Response:
    house = the_house()
    with_stories = request.form.get("stories") == "yes"
    family.delete_child(house.database, min(child_id, fields.BIGGEST), with_stories=with_stories, now=house.clock())
    return see_other(url_for("children.index"))


def _page(wrong: ChildForm | None = None, status: int = 200) -> Response:
    house = the_house()
    with house.database.reading() as db:
        children, sends_names = library.all_children(db), house.sends_names(db)
    forms = [wrong if wrong and wrong.child.id == child.id else _shown(child) for child in children]
    new = wrong if wrong and wrong.child.id == 0 else ChildForm(Child(0, "", "", ""))
    page = render_template("children/index.html", forms=forms, new=new, sends_names=sends_names)
    return make_response(page, status)


def _shown(child: Child) -> ChildForm:
    return ChildForm(child, {name: getattr(child, name) for name in family.PROFILE})


def _read(child_id: int) -> ChildForm:
    texts = {name: fields.clean(request.form.get(name, "")) for name in ("likes", "friends", "leave_out")}
    nickname = fields.clean(request.form.get("nickname", ""))
    band, pronouns = request.form.get("band", ""), request.form.get("pronouns", "")
    form = ChildForm(Child(min(child_id, fields.BIGGEST), nickname, band, pronouns, **texts))
    form.was = fields.shown_before(request.form, family.PROFILE)
    if not 1 <= len(nickname) <= NICKNAME:
        form.errors["nickname"] = f"What do you call them? Between one letter and {NICKNAME}."
    if band not in BANDS:
        form.errors["band"] = IN_WORDS["band"]
    if pronouns not in PRONOUNS:
        form.errors["pronouns"] = f"In the story: {', '.join(PRONOUNS)}?"
    for name, text in texts.items():
        if len(text) > PROFILE_TEXT:
            form.errors[name] = f"This is {len(text)} characters long, and {PROFILE_TEXT} fit: shorten it a little."
    return form


def _gone() -> Response:
    return trouble(404, "no-child", "There is no such child", "The profile was deleted, perhaps on another device.")
