"""What people type into a plan for evenings or a note, checked, with all of it kept."""

import datetime
from dataclasses import dataclass, field

from flask import request

from bedtime import almanac
from bedtime.library import Schedule
from bedtime.model import MOODS
from bedtime.web import fields
from bedtime.web.forms import IN_WORDS

MOST_CHILDREN, MOST_THEMES, THEME_CHARACTERS, NOTE_CHARACTERS, LONGEST_NOTE_DAYS = 3, 12, 120, 200, 366


@dataclass
class PlanForm:
    """What was typed into a plan, and what is wrong with it."""

    children: tuple[int, ...] = ()
    days: frozenset[int] = frozenset(range(7))
    at: str = "17:30"
    zone: str = ""
    minutes: int = 6
    mood: str = "calm"
    themes: str = ""
    language: str = "en"
    errors: dict[str, str] = field(default_factory=dict)

    def is_like(self, plan: Schedule) -> bool:
        """Whether it would bring the stories that this plan brings already."""
        typed = (self.children, self.days, self.at, self.zone, self.minutes, self.mood, self.language)
        there = (plan.children, plan.days, plan.at, plan.zone, plan.minutes, plan.mood, plan.language)
        return not plan.paused and typed == there and tuple(self.themes.splitlines()) == plan.themes


@dataclass
class NoteForm:
    text: str = ""
    until: str = ""
    errors: dict[str, str] = field(default_factory=dict)


def read_plan(known: set[int]) -> PlanForm:
    """The plan as it was typed, for children that are `known`, with what is wrong with it."""
    form = PlanForm(zone=request.form.get("zone", ""), at=request.form.get("at", ""), mood=request.form.get("mood", ""))
    wanted = [fields.whole(one) for one in request.form.getlist("child")]
    form.children = tuple(one for one in dict.fromkeys(wanted) if one is not None and one in known)
    form.days = frozenset(day for day in map(fields.whole, request.form.getlist("day")) if day is not None and day < 7)
    form.minutes = fields.whole(request.form.get("minutes")) or 0
    themes = [fields.clean(line) for line in request.form.get("themes", "").splitlines()]
    form.themes = "\n".join(theme for theme in themes if theme)
    form.language = fields.clean(request.form.get("language", "en"))[:35]
    _check_plan(form)
    return form


def _check_plan(form: PlanForm) -> None:
    themes = form.themes.splitlines()
    if not 1 <= len(form.children) <= MOST_CHILDREN:
        form.errors["children"] = "Say who is listening: one child, two or three."
    if not 3 <= form.minutes <= 15:
        form.errors["minutes"] = "A whole number of minutes, from 3 to 15."
    if form.mood not in MOODS:
        form.errors["mood"] = IN_WORDS["mood"]
    if len(themes) > MOST_THEMES or any(len(theme) > THEME_CHARACTERS for theme in themes):
        form.errors["themes"] = f"Up to {MOST_THEMES} themes, one a line, each of up to {THEME_CHARACTERS} characters."
    form.language, language = fields.language(form.language) or form.language, fields.language(form.language)
    if language is None:
        form.errors["language"] = "A language as in web pages: en, de, pt-BR."
    if not form.days:
        form.errors["days"] = "On which days? At least one."
    try:
        at = datetime.time.fromisoformat(form.at)
        form.at = at.strftime("%H:%M")
    except ValueError:
        form.errors["at"] = "A time of the day, such as 17:30."
        return
    try:
        almanac.Schedule(form.days or frozenset({0}), at.replace(tzinfo=None), form.zone)
    except ValueError as error:
        form.errors["zone"] = f"{str(error)[:1].upper()}{str(error)[1:]}"


def read_note(*, now: float, wall: datetime.tzinfo) -> tuple[NoteForm, float]:
    """The note as it was typed, and the end of its last day on the household's clocks."""
    form = NoteForm(fields.clean(request.form.get("text", "")), request.form.get("until", ""))
    if not 1 <= len(form.text) <= NOTE_CHARACTERS:
        form.errors["text"] = f"A few words, up to {NOTE_CHARACTERS} characters."
    try:
        day = datetime.date.fromisoformat(form.until)
        expires_at = datetime.datetime.combine(day + datetime.timedelta(days=1), datetime.time(), wall).timestamp()
    except (ValueError, OverflowError):
        form.errors["until"] = "Until which day? As 2027-01-31."
        return form, 0.0
    if not now < expires_at <= now + LONGEST_NOTE_DAYS * 86400:
        form.errors["until"] = "Until a day from today on, within a year."
    return form, expires_at
