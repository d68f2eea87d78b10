"""Waiting for a story at the command line: how far it is, and when waiting makes no sense any more."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from bedtime.cli.desk import Desk
from bedtime.db import Database
from bedtime.errors import NotFound
from bedtime.telling import JobView, message, progress

LOOK_SECONDS = 0.25
ABSENT_LOOKS = 8  # a server that starts again is back by then


def look(database: Database, job_id: int) -> JobView:
    """How far a job is. Raises NotFound."""
    with database.reading() as db:
        view = progress(db, job_id)
    if view is None:
        raise NotFound(f"there is no wish {job_id}")
    return view


@contextmanager
def wish_stays(job_id: int) -> Iterator[None]:
    """Around whatever comes after the wish was kept: to interrupt it does not call the wish off."""
    try:
        yield
    except KeyboardInterrupt:
        raise click.ClickException(f"You wait no longer, the wish stays: flask jobs show {job_id}") from None


def wait(desk: Desk, database: Database, job_id: int) -> tuple[JobView, str | None]:
    """The job once it has ended, or nobody will tell it now; and why there is no story (None: there is one)."""
    view, absent = look(database, job_id), 0
    with click.progressbar(
        length=view.expected_words, file=sys.stderr, show_eta=False, show_percent=False, show_pos=True
    ) as bar:
        while True:
            bar.label = _label(view)
            bar.update(max(view.words - bar.pos, 0))
            bar.render_progress()
            if not view.waits:
                return view, None if view.story_id else message(view)
            absent = 0 if desk.somebody_works() else absent + 1
            if view.paused or absent >= ABSENT_LOOKS:
                return view, _stuck(view)
            desk.rest(LOOK_SECONDS)
            view = look(database, job_id)


def _label(view: JobView) -> str:
    return "It is being told" if view.job.status == "running" else message(view)


def _stuck(view: JobView) -> str:
    """The wish is kept all the same."""
    if view.paused:
        return f"Job {view.job.id}: {message(view)} To resume: flask jobs resume"
    return (
        f"Job {view.job.id} is kept, and will be told when a server runs: none does now. Start one with make run, "
        f"then look with flask jobs show {view.job.id}."
    )
