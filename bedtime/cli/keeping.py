"""`flask backup`, `flask restore`, `flask export`: for whoever looks after the machine."""

from collections.abc import Iterator
from pathlib import Path

import click

from bedtime import keeping
from bedtime.cli.desk import Command, Desk, examples, pass_desk
from bedtime.cli.tables import moment
from bedtime.db import copies
from bedtime.errors import BedtimeError
from bedtime.keeping.carrying import EVERYTHING, SPENDING
from bedtime.keeping.restoring import Restored

FILE = click.Path(path_type=Path, resolve_path=True)  # whole: a command may not run in the folder that is thought of


@click.command(
    cls=Command, epilog=examples("flask backup", "flask backup --list", "flask backup /media/stick/bedtime.db")
)
@click.argument("file", required=False, type=FILE)
@click.option("--list", "listed", is_flag=True, help="Only show the backups that there are.")
@pass_desk
def backup(desk: Desk, file: Path | None, listed: bool) -> None:
    """Make a checked copy of the database now, while the server runs or without one; print where it is.

    Without FILE it goes to the backups of the house, where the server makes one a day: of those the newest of seven days
    and of four weeks are kept. A FILE of your own is never thrown away, and never overwritten.
    """
    if listed:
        return click.echo("\n".join(_listed(desk)) or "No backup has been made yet.")
    if file is None:
        return click.echo(keeping.back_up(desk.open_database(), now=desk.clock()).path)
    _check_free(file, copies.hash_of(file))
    broken = keeping.back_up_to(desk.open_database(), file)
    click.echo(file)
    if broken:
        raise BedtimeError(
            f"the copy is whole, but {_stories(broken)} not as written: an older backup may have it as it was"
        )


@click.command(
    cls=Command,
    epilog=examples("flask backup --list", "flask restore instance/backups/bedtime-0007-2026-11-05-0312.db"),
)
@click.argument("file", type=FILE)
@pass_desk
def restore(desk: Desk, file: Path) -> None:
    """Go back to a backup. The server has to be stopped first.

    The database that is replaced is set aside, never deleted. What it has that the backup does not have yet is taken
    over: stories, wishes, every call and what it cost. What was deleted or changed since comes back as it was. No wish
    that waits is bought afterwards: each is failed as restored, and may be asked again. Every device is signed out;
    passphrase and PIN are those of the backup.
    """
    with desk.nobody_works():
        done = keeping.restore(desk.settings, file, now=desk.clock())
    click.echo("\n".join(_told(done, file)))


@click.command(cls=Command, epilog=examples("flask export bedtime.zip"))
@click.argument("file", type=FILE)
@pass_desk
def export(desk: Desk, file: Path) -> None:
    """Write everything that the household has into a ZIP of plain files: stories, wishes, calls, settings without secrets."""
    database = desk.open_database()
    _check_free(file)
    try:
        with copies.half_of(file) as half:
            with half.open("wb") as opened:
                stories = keeping.export(database, desk.settings, opened, now=desk.clock())
            half.rename(file)
    except OSError as error:
        raise BedtimeError(f"{file} cannot be written ({error.strerror}): choose another place") from None
    click.echo(f"{file}: {stories} {'story' if stories == 1 else 'stories'}, readable for you only.")


def _check_free(*files: Path) -> None:
    for file in files:
        if file.exists():
            raise BedtimeError(f"{file} is there already: choose another name")


def _listed(desk: Desk) -> Iterator[str]:
    for copy in keeping.copies_of(desk.settings.instance):
        yield f"{moment(copy.made_at)}  {copy.size // 1000:>9} kB  {copy.path}"


def _told(done: Restored, file: Path) -> Iterator[str]:
    yield f"Restored: {file}, with {done.checked.stories} stories."
    if done.checked.broken:
        yield f"In it {_stories(list(done.checked.broken))} not as written: an older backup may have it as it was."
    if done.aside is None:
        yield "There was no database to replace."
    else:
        yield from _taken_over(done)
        yield f"The replaced database is kept: {done.aside}"
    if done.carried.failed:
        yield f"{len(done.carried.failed)} wishes that waited are not bought now: each may be asked again on its page."
    yield "Every device is signed out. Passphrase and PIN are those of the backup; flask household reset sets new ones."


def _taken_over(done: Restored) -> Iterator[str]:
    carried = done.carried
    if carried.what == EVERYTHING:
        yield f"Taken over from the replaced database: {carried.stories} newer stories, {carried.calls} newer calls."
    elif carried.what == SPENDING:
        yield (
            f"The replaced database did not go on from this backup: what {carried.calls} calls cost was taken over; "
            f"{carried.left} stories are only in the replaced one."
        )
    else:
        yield (
            "The replaced database could not be read, so what was spent and chosen since this backup, and where the key was "
            "used, is not known here: look at the provider's bill, at the settings, and at the storyteller's address."
        )


def _stories(broken: list[int]) -> str:
    return f"story {broken[0]} is" if len(broken) == 1 else f"stories {', '.join(map(str, broken))} are"
