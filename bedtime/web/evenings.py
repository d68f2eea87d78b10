"""A story every evening: plans, and notes that expire."""

import datetime
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, make_response, render_template, request, url_for
from werkzeug.wrappers import Response

from bedtime import almanac, evenings, household, library
from bedtime.db import Connection
from bedtime.library import Schedule
from bedtime.model import STORIES
from bedtime.telling import progress
from bedtime.web import fields, views
from bedtime.web.answers import see_other
from bedtime.web.house import the_house, the_wall
from bedtime.web.planning import NoteForm, PlanForm, read_note, read_plan

bp = Blueprint("evenings", __name__)

DAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")


@dataclass(frozen=True, slots=True)
class PlanView:
    """A plan as its card shows it."""

    schedule: Schedule
    names: tuple[str, ...]
    days: str
    next_words: str
    last: views.JobPage | None


@bp.get("/evenings")
def index() -> Response:
    return _page(_empty_plan(), NoteForm())


@bp.post("/evenings")
def add() -> Response:
    """Pressed twice it is one plan: two alike would buy two stories every evening."""
    house = the_house()
    with house.database.transaction("add_schedule") as tx:
        form = read_plan({child.id for child in library.all_children(tx)})
        if not form.errors and not any(form.is_like(plan) for plan in library.schedules(tx)):
            _add(tx, form, now=house.clock())
    return _page(form, NoteForm(), status=422) if form.errors else see_other(url_for("evenings.index"))


@bp.post("/evenings/<int:schedule_id>/pause")
def pause(schedule_id: int) -> Response:
    """`paused` is yes or no; what fell due meanwhile is not caught up on."""
    house = the_house()
    with house.database.transaction("pause_schedule") as tx:
        paused = request.form.get("paused") == "yes"
        library.pause_schedule(tx, min(schedule_id, fields.BIGGEST), paused=paused, now=house.clock())
    return see_other(url_for("evenings.index"))


@bp.post("/evenings/<int:schedule_id>/delete")
def delete(schedule_id: int) -> Response:
    with the_house().database.transaction("delete_schedule") as tx:
        library.delete_schedule(tx, min(schedule_id, fields.BIGGEST))
    return see_other(url_for("evenings.index"))


@bp.post("/notes")
def add_note() -> Response:
    house = the_house()
    form, expires_at = read_note(now=house.clock(), wall=the_wall())
    if form.errors:
        return _page(_empty_plan(), form, status=422)
    with house.database.transaction("add_note") as tx:
        known = {(note.text, note.expires_at) for note in library.current_notes(tx, now=house.clock())}
        if (form.text, expires_at) not in known:
            library.add_note(tx, form.text, expires_at=expires_at, now=house.clock())
    return see_other(url_for("evenings.index"))


@bp.post("/notes/<int:note_id>/delete")
def delete_note(note_id: int) -> Response:
    with the_house().database.transaction("delete_note") as tx:
        library.delete_note(tx, min(note_id, fields.BIGGEST))
    return see_other(url_for("evenings.index"))


def _add(tx: Connection, form: PlanForm, *, now: float) -> None:
    library.add_schedule(
        tx,
        children=form.children,
        days=form.days,
        at=form.at,
        zone=form.zone,
        minutes=form.minutes,
        mood=form.mood,
        themes=tuple(form.themes.splitlines()),
        language=form.language,
        now=now,
    )


def _page(form: PlanForm, note: NoteForm, status: int = 200) -> Response:
    house = the_house()
    now = house.clock()
    with house.database.reading() as db:
        context: dict[str, Any] = {
            "plans": [_plan_view(db, schedule, now=now) for schedule in library.schedules(db)],
            "notes": library.current_notes(db, now=now),
            "profiles": library.all_children(db),
            "paused": views.paused_queue(db, STORIES),
            "zone": house.zone_now(db),
        }
    shown = {
        "today": datetime.datetime.fromtimestamp(now, the_wall()).date().isoformat(),
        "storyteller": house.storyteller,
    }
    return make_response(render_template("evenings/index.html", form=form, note=note, **shown, **context), status)


def _empty_plan() -> PlanForm:
    """A form that begins with the household's clocks and language."""
    house = the_house()
    with house.database.reading() as db:
        return PlanForm(zone=house.zone_now(db), language=household.language(db))


def _plan_view(db: Connection, schedule: Schedule, *, now: float) -> PlanView:
    children = library.children_by_id(db, schedule.children)
    last = library.last_planned(db, schedule.id)
    view = progress(db, last[1]) if last else None
    return PlanView(
        schedule,
        tuple(children[one].nickname for one in schedule.children if one in children),
        _days(schedule.days),
        _next_words(schedule, now=now),
        views.job_page(view, now=now) if view else None,
    )


def _days(days: frozenset[int]) -> str:
    """`Every evening`, `Mondays to Fridays`, `Saturdays and Sundays`."""
    first, last = min(days), max(days)
    if len(days) == len(DAYS):
        return "Every evening"
    if len(days) > 2 and last - first + 1 == len(days):
        return f"{DAYS[first]} to {DAYS[last]}"
    *most, final = [DAYS[day] for day in sorted(days)]
    return f"{', '.join(most)} and {final}" if most else final


def _next_words(schedule: Schedule, *, now: float) -> str:
    """When the next one is wanted, on the schedule's own wall: `today at 17:30`; "" while it rests, or without a wall."""
    try:
        at, zone = evenings.upcoming(schedule, now=now), almanac.zone_of(schedule.zone)
    except ValueError:  # the machine's zones have changed since
        return ""
    if at is None:
        return ""
    wanted, here = datetime.datetime.fromtimestamp(at, zone), datetime.datetime.fromtimestamp(now, zone)
    days = (wanted.date() - here.date()).days
    day = ("today", "tomorrow")[days] if days < 2 else f"{wanted:%A}" if days < 7 else f"{wanted.day} {wanted:%B}"
    skipped = f", for the clocks skip {schedule.at}" if f"{wanted:%H:%M}" != schedule.at else ""
    return f"{day} at {wanted:%H:%M}{skipped}"
