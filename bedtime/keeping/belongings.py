"""What a household has, row by row, as plain values: times as ISO 8601, money in micro-units, names filled in."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from bedtime import casting, household, jobs, ledger, library
from bedtime.db import Connection
from bedtime.ledger import CallLine
from bedtime.model import Story
from bedtime.settings import Settings
from bedtime.settings.showing import shown

Plain = dict[str, Any]


def children(db: Connection) -> list[Plain]:
    return [asdict(child) for child in library.all_children(db)]


def plans(db: Connection, *, now: float) -> Plain:
    """Stories of every evening, and notes that have not expired."""
    schedules = [
        {**asdict(plan), "days": sorted(plan.days), "since": _iso(plan.since)} for plan in library.schedules(db)
    ]
    notes = [{**asdict(note), "expires_at": _iso(note.expires_at)} for note in library.current_notes(db, now=now)]
    return {"evenings": schedules, "notes": notes}


def choices(db: Connection, settings: Settings) -> Plain:
    """What the family chose and what is set at the machine; of a key only that there is one."""
    chosen = {name: value for name, value in household.choices(db).items() if not name.startswith(household.KEY_HOST)}
    return {"chosen": chosen, "machine": {line.name: line.value for line in shown(settings)}}


def wish(db: Connection, request_id: int) -> Plain | None:
    found = library.request_for(db, request_id)
    if found is None:
        return None
    asked = found.wish
    return {
        "wish_id": found.id,
        "children": list(library.listening_names(db, found.id)),
        "idea": asked.idea,
        "today": asked.today,
        "minutes": asked.minutes,
        "mood": asked.mood,
        "lesson": asked.lesson,
        "language": asked.language,
        "continues": asked.continues,
        "job_id": found.job_id,
        "asked_at": _iso(found.created_at),
    }


def wished(db: Connection, *, now: float) -> list[Plain]:
    """What was left with the grown-ups, answered or not; `wish_id` is the wish that was asked for then, if one was."""
    names = {child.id: child.nickname for child in library.all_children(db)}
    devices = {device.id: device.name for device in household.all_devices(db, now=now)}
    return [
        {
            "wished_id": one.id,
            "children": [names[child] for child in one.children if child in names],
            "idea": one.wish.idea,
            "mood": one.wish.mood,
            "device": devices.get(one.device_id or 0),
            "wished_at": _iso(one.created_at),
            "answered_at": _iso(one.decided_at),
            "wish_id": one.request_id,
        }
        for one in library.all_wishes(db)
    ]


def draft(db: Connection, call: CallLine) -> str:
    """What had arrived of an answer that became no story, as it is read; empty if nothing had."""
    job = jobs.get(db, call.job_id)
    names = library.names_of(db, job.payload["request_id"]) if job else {}
    return casting.fill(ledger.draft_of(db, call.id), names)


def story(db: Connection, told: Story) -> Plain:
    """As it is read, with what the family left in it; and as it was told first, if somebody edited it."""
    names = library.names_of(db, told.request_id)
    standing = library.standing(db, told.id)
    assert standing is not None  # the same snapshot has the story
    return {
        "story_id": told.id,
        "title": casting.fill(told.title, names),
        "paragraphs": [casting.fill(paragraph, names) for paragraph in told.paragraphs],
        "first_title": _filled(standing.first_title, names),
        "first_text": _filled(standing.first_text, names),
        "language": told.language,
        "minutes": told.minutes,
        "told_by": told.told_by,
        "tale": told.tale,
        "told_at": _iso(told.created_at),
        "children": list(library.listening_names(db, told.request_id)),
        "wish_id": told.request_id,
        "job_id": told.job_id,
        "series": told.series,
        "part": told.part,
        "recap": casting.fill(told.recap, names),
        "cast": casting.fill(told.cast, names),
        "favourite": told.favourite,
        "wanted_again": library.wanted_again(db, told.id),
        "read_to_paragraph": library.bookmark(db, told.id),
        "read_at": _iso(library.last_read(db, told.id)),
        "reactions": sorted(library.reactions_to(db, told.id)),
        "flags": list(told.flags),
        "held": list(standing.held),
        "approved_at": _iso(standing.approved_at),
        "hidden_at": _iso(standing.hidden_at),
    }


def _filled(text: str | None, names: dict[int, str]) -> str | None:
    return None if text is None else casting.fill(text, names)


def _iso(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
