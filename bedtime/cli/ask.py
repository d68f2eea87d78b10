"""`flask ask`: a wish, a bar by words until the story is there, the story."""

import json
import sys
from typing import Any

import click

from bedtime import asking, library, telling
from bedtime.cli.desk import Command, Desk, examples, pass_desk
from bedtime.cli.waiting import look, wait, wish_stays
from bedtime.cli.wish import wish_of, wish_options
from bedtime.db import Database
from bedtime.telling import JobView

COLUMNS = 78


@click.command(
    cls=Command,
    epilog=examples(
        "flask ask --child Mia:4-5:she --idea 'a shy dragon'",
        "flask ask -c Mia -c Theo -m 10 --mood funny > tonight.txt",
        "flask ask -c Mia --key monday-evening --json | jq -r .story.title",
    ),
)
@wish_options
@click.option("--key", help="Idempotency key: the same key and wish again ask once.  [default: a new one]")
@click.option("--wait/--no-wait", default=True, help="Wait for the story, or only ask.  [default: wait]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the fields of the API.")
@pass_desk
def ask(desk: Desk, /, key: str | None, wait: bool, as_json: bool, **given: Any) -> None:
    """Ask for a story, show how far it is, and print it when it is there.

    What it says meanwhile goes to standard error, the story to standard output. Interrupting it does not call the wish
    off: `flask jobs cancel` does. Exit code 0: there is the story (or, with --no-wait, the wish is kept); 1: there is
    none, and why; 2: an option is wrong.
    """
    good_key = desk.new_key() if key is None else desk.read_key(None, key)
    if good_key is None:
        raise click.UsageError("--key: 1 to 255 visible ASCII characters, without spaces.")
    database = desk.open_database()
    with database.reading() as db:
        wish = wish_of(desk, db, given)
    asked = asking.ask(database, wish, key=good_key, rules=desk.rules, now=desk.clock())
    again = " This key was known: nothing new was asked." if asked.replayed else ""
    with wish_stays(asked.job_id):
        click.echo(f"Job {asked.job_id}: the wish is kept.{again}", err=True)
        if wait:
            return _wait_and_print(desk, database, asked.job_id, as_json=as_json)
        _print_job(look(database, asked.job_id), as_json=as_json)


def _wait_and_print(desk: Desk, database: Database, job_id: int, *, as_json: bool) -> None:
    view, why_not = wait(desk, database, job_id)
    told = _story(database, view.story_id)
    if as_json:
        story_url = f"/stories/{view.story_id}" if view.story_id else None
        click.echo(_json({**telling.plain_job(view, story_url=story_url), "story": told}))
    elif told:
        _print_story(told)
    if why_not:
        raise click.ClickException(why_not)


def _story(database: Database, story_id: int | None) -> dict[str, Any] | None:
    with database.reading() as db:
        story = library.story(db, story_id) if story_id else None
        return telling.plain_story(db, story, eyes=library.EVERYTHING) if story else None


def _print_story(story: dict[str, Any]) -> None:
    """Lines are broken for a person's screen only, never in a pipe or a file."""
    for text in (story["title"], *story["paragraphs"]):
        click.echo(click.wrap_text(text, COLUMNS) if sys.stdout.isatty() else text)
        click.echo()
    if story["cut_short"]:
        click.echo("The answer was cut off here, so the ending may be missing.", err=True)


def _print_job(view: JobView, *, as_json: bool) -> None:
    job = view.job
    if as_json:
        click.echo(_json({"job_id": job.id, "status": job.status, "status_url": f"/stories/jobs/{job.id}"}))
    else:
        click.echo(job.id)


def _json(fields: dict[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, indent=2)
