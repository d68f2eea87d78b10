"""`flask jobs`: the queue as it is, one job, and what a grown-up may do with either."""

import json

import click

from bedtime import asking, telling
from bedtime import jobs as queue
from bedtime.cli.desk import Desk, Group, examples, pass_desk
from bedtime.cli.tables import job_lines, job_table, queue_table
from bedtime.cli.waiting import look
from bedtime.errors import MayCostTwice
from bedtime.model import STATUSES, STORIES, Job

JOB = click.argument("job_id", metavar="JOB", type=click.IntRange(1, 2**63 - 1))


@click.group(
    cls=Group,
    epilog=examples(
        "flask jobs list --status failed", "flask jobs show 12", "flask jobs again 12 --understood", "flask jobs resume"
    ),
)
def jobs() -> None:
    """Look at the queue, and act on it. Works while the server runs, and without one."""


@jobs.command("list", epilog=examples("flask jobs list", "flask jobs list --status failed --most 10"))
@click.option("--status", type=click.Choice(STATUSES), help="Only those.")
@click.option("--most", type=click.IntRange(1, 10_000), default=20, show_default=True, help="So many, the newest.")
@pass_desk
def list_jobs(desk: Desk, status: str | None, most: int) -> None:
    """The queues with their counts, then jobs with their reasons, the newest first. Nobody's name or wish."""
    with desk.open_database().reading() as db:
        queues = [(one, queue.times(db, one.name)) for one in queue.queues_now(db)]
        found = queue.listing(db, status=status, most=most)
    click.echo(queue_table(queues, now=desk.clock()))
    click.echo()
    click.echo(job_table(found, now=desk.clock()) if found else "No jobs.")


@jobs.command(epilog=examples("flask jobs show 12", "flask jobs show 12 --json | jq -r .message"))
@JOB
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the fields of the API.")
@pass_desk
def show(desk: Desk, job_id: int, as_json: bool) -> None:
    """How far one job is, what it cost, and what to do about it."""
    view = look(desk.open_database(), job_id)
    story_url = f"/stories/{view.story_id}" if view.story_id else None
    if as_json:
        click.echo(json.dumps(telling.plain_job(view, story_url=story_url), ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(job_lines(view, currency=desk.settings.currency)))


@jobs.command(epilog=examples("flask jobs cancel 12"))
@JOB
@pass_desk
def cancel(desk: Desk, job_id: int) -> None:
    """Call a job off, as long as nothing was sent for it. Exit code 1 if it is being paid for, or has ended."""
    database = desk.open_database()
    ended = asking.cancel(database, job_id, now=desk.clock())
    with database.reading() as db:
        job = queue.get(db, job_id)
    if not ended:
        raise click.ClickException(_not_cancelled(job, job_id))
    click.echo(f"Job {job_id} was called off. Nothing was sent, and nothing was spent.")


def _not_cancelled(job: Job | None, job_id: int) -> str:
    if job is None:
        return f"There is no job {job_id}."
    if job.status in ("pending", "running"):
        return f"Job {job_id} is being paid for already: it goes on, and its story will be on the shelf."
    return f"Job {job_id} has ended already: {job.status}."


@jobs.command(epilog=examples("flask jobs again 12", "flask jobs again 12 --understood"))
@JOB
@click.option("--understood", is_flag=True, help="Ask again though the first answer may have been billed.")
@pass_desk
def again(desk: Desk, job_id: int, understood: bool) -> None:
    """Make a new job for the wish of one that failed or was called off; twice makes one. Prints its number."""
    database = desk.open_database()
    try:
        new = asking.ask_again(database, job_id, rules=desk.rules, understood=understood, now=desk.clock())
    except MayCostTwice as error:
        raise click.ClickException(f"{error}. If you know that, add --understood.") from None
    click.echo(f"Job {job_id} was asked again, as job {new}.", err=True)
    click.echo(new)


@jobs.command(epilog=examples("flask jobs pause"))
@pass_desk
def pause(desk: Desk) -> None:
    """Let the storyteller rest: nothing more is sent until `flask jobs resume`. Wishes wait, none is lost."""
    if asking.pause(desk.open_database(), STORIES, now=desk.clock()):
        click.echo("The storyteller is paused. What is being told now is told to its end.")
    else:
        click.echo("The storyteller was paused already.")


@jobs.command(epilog=examples("flask jobs resume"))
@pass_desk
def resume(desk: Desk) -> None:
    """Go on telling, once what paused the storyteller is mended."""
    resumed = asking.resume(desk.open_database(), STORIES)
    click.echo("The storyteller goes on." if resumed else "The storyteller was not paused.")
    if not desk.somebody_works():
        click.echo("But no server runs now: start one with make run.", err=True)
