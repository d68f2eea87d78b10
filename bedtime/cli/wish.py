"""The options of a wish, for the commands that take one, checked as the form of the page is."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from bedtime import library
from bedtime.cli.desk import Desk
from bedtime.db import Connection
from bedtime.model import BANDS, MOODS, PRONOUNS, Wish

F = TypeVar("F", bound=Callable[..., Any])

_OPTION_OF = {"children": "--child", "nickname": "--child", "band": "--child", "pronouns": "--child", "form": "wish"}
_CHILD = f"Who listens: a known nickname, a profile's number, or NICKNAME:BAND:PRONOUNS ({', '.join(BANDS)}; \
{', '.join(PRONOUNS)}). Up to three times."


def wish_options(command: F) -> F:
    """Everything that can be wished for; only --child has to be given."""
    for option in reversed(
        (
            click.option("--child", "-c", "children", multiple=True, metavar="CHILD", help=_CHILD),
            click.option("--idea", "-i", help="What it should be about; without it, a surprise."),
            click.option("--today", help="Something from today."),
            click.option("--minutes", "-m", type=int, help="How long it takes to read aloud: 3 to 15.  [default: 6]"),
            click.option("--mood", type=click.Choice(MOODS), help="What kind of evening.  [default: calm]"),
            click.option("--lesson", help="What it should quietly be about, never said aloud."),
            click.option("--language", help="A tag as in web pages: en, de, pt-BR.  [default: en]"),
            click.option("--continues", type=int, metavar="STORY", help="The number of a story to go on from."),
            click.option("--from-book", is_flag=True, default=None, help="A tale from the built-in book, free."),
        )
    ):
        command = option(command)
    return command


def wish_of(desk: Desk, db: Connection, given: Mapping[str, Any]) -> Wish:
    """The checked wish. Raises UsageError (exit code 2) with a sentence for each field that is wrong."""
    raw = {name: value for name, value in given.items() if value is not None}
    raw["children"] = [_child(db, text) for text in given["children"]]
    wish, form = desk.read_wish(raw)
    if wish is None:
        wrong = [f"{_OPTION_OF.get(name, f'--{name}')}: {what}" for name, what in form.errors.items()]
        raise click.UsageError("\n".join(wrong))
    return wish


def _child(db: Connection, text: str) -> int | dict[str, str]:
    if text.isdecimal():
        return int(text)
    nickname, *more = text.rsplit(":", 2)
    if len(more) == 2:
        return {"nickname": nickname, "band": more[0], "pronouns": more[1]}
    named = [child.id for child in library.all_children(db) if child.nickname.casefold() == text.casefold()]
    if len(named) == 1:
        return named[0]
    many = "several children have" if named else "no child has"
    raise click.UsageError(
        f"--child: {many} the nickname {text!r} here. Say NICKNAME:BAND:PRONOUNS, as in Mia:4-5:she."
    )
