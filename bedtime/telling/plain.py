"""A job and a story as scripts read them: the same fields in the API and at the command line."""

from typing import Any

from bedtime import casting, library
from bedtime.db import Connection
from bedtime.model import Story
from bedtime.telling.progress import JobView
from bedtime.telling.words import message


def plain_job(view: JobView, *, story_url: str | None) -> dict[str, Any]:
    """How far a job is. Times are unix seconds; money is in micro-units."""
    job = view.job
    return {
        "job_id": job.id,
        "status": job.status,
        "place": view.place,
        "words": view.words,
        "expected_words": view.expected_words,
        "draft": view.draft,
        "error_code": job.error_code if job.status == "failed" else None,
        "message": message(view),
        "story_url": story_url,
        "cost_micros": view.cost_micros,
        "created_at": job.created_at,
        "completed_at": job.completed_at,
    }


def plain_story(db: Connection, story: Story, *, eyes: int) -> dict[str, Any]:
    """A story with its names filled in; `series` only for one of several parts that are for these eyes."""
    names = library.names_of(db, story.request_id)
    first = story.series or story.id
    parts = library.parts_of(db, first, eyes=eyes)
    return {
        "story_id": story.id,
        "title": casting.fill(story.title, names),
        "paragraphs": [casting.fill(paragraph, names) for paragraph in story.paragraphs],
        "language": story.language,
        "minutes": story.minutes,
        "told_by": story.told_by,
        "children": list(library.listening_names(db, story.request_id)),
        "cut_short": "cut_short" in story.flags,
        "series": {"id": first, "part": story.part, "parts": parts[-1][0]} if len(parts) > 1 else None,
    }
