"""`flask household`: for whoever sits at the machine and stands before a closed door."""

import sys

import click

from bedtime import doorkeeper, premises
from bedtime import household as people
from bedtime.cli.desk import Desk, Group, examples, pass_desk
from bedtime.errors import BedtimeError

SALT_BYTES = 16


@click.group(cls=Group, epilog=examples("flask household link", "flask household unlock", "flask household reset"))
def household() -> None:
    """Who may come in. Works while the server runs, and without one."""


@household.command(epilog=examples("flask household link"))
@pass_desk
def link(desk: Desk) -> None:
    """Show the one-time link to set-up. Exit code 1 if the house has its passphrase already."""
    settings, database = desk.settings, desk.open_database()
    with database.reading() as db:
        if people.has_grown_up(db):
            raise BedtimeError(
                "this house has its passphrase, and the link works once: flask household reset sets a new one"
            )
    token = premises.setup_token(settings.instance, desk.draw)
    click.echo(f"{premises.url_for_others(settings, host=settings.host, port=settings.port)}/setup/{token}")
    if premises.is_loopback(settings.host) and not settings.hosts:
        click.echo("Bedtime listens to this computer only. For tablets and phones: make run HOST=0.0.0.0", err=True)


@household.command(epilog=examples("flask household unlock"))
@pass_desk
def unlock(desk: Desk) -> None:
    """End the wait after too many wrong guesses at the passphrase or the PIN."""
    doorkeeper.unlock(desk.open_database())
    click.echo("The next guess may come at once.")


@household.command(epilog=examples("flask household reset", "flask household reset < two-lines.txt"))
@pass_desk
def reset(desk: Desk) -> None:
    """A new passphrase and a new PIN; every device is signed out and every script's token revoked.

    They are asked for here. Where nobody types, standard input holds them in UTF-8: the passphrase in its first line, the
    PIN in its second.
    """
    database = desk.open_database()
    passphrase, pin = _new_secrets()
    for wrong in (people.wrong_with_passphrase(passphrase), people.wrong_with_pin(pin)):
        if wrong:
            raise click.ClickException(wrong)
    salts = (desk.draw(SALT_BYTES), desk.draw(SALT_BYTES))
    doorkeeper.reset(database, doorkeeper.hash_secrets(passphrase, pin, salts=salts), now=desk.clock())
    premises.end_set_up(desk.settings.instance)
    click.echo(
        "Both are new. Every device is signed out: grown-ups come in with the passphrase, readers are paired anew."
    )


def _new_secrets() -> tuple[str, str]:
    try:
        return _typed() if _somebody_types() else _read()
    except UnicodeDecodeError:  # whose own message holds what was read
        raise click.ClickException(
            "What came is not UTF-8, so the pages would not know it again: save the file as UTF-8, or type both"
        ) from None


def _somebody_types() -> bool:
    return sys.stdin.isatty()


def _typed() -> tuple[str, str]:
    passphrase = click.prompt(
        "New passphrase, ten characters or more", hide_input=True, confirmation_prompt="Once more"
    )
    pin = click.prompt("New PIN, six digits", hide_input=True, confirmation_prompt="Once more")
    return people.tidy(passphrase), people.tidy(pin)


def _read() -> tuple[str, str]:
    """Strictly, whatever the locale says: what a terminal may guess at, nobody could type on a page."""
    first, second = sys.stdin.buffer.readline(), sys.stdin.buffer.readline()
    return people.tidy(first.decode("utf-8-sig")), people.tidy(second.decode())
