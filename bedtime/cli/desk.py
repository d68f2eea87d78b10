"""What the commands work with, and how an error of ours becomes a sentence and an exit code."""

import errno
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import click

from bedtime.asking import AskRules
from bedtime.db import Database
from bedtime.errors import BedtimeError, DatabaseUnusable
from bedtime.model import Wish
from bedtime.settings import Settings
from bedtime.storytellers.language_model import LanguageModel


class CheckedForm(Protocol):
    """What is wrong with the fields of a wish, by field."""

    @property
    def errors(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class Desk:
    """Handed in by whoever puts the house together; nothing is opened before a command needs it."""

    settings: Settings
    rules: AskRules
    storyteller: LanguageModel | None
    read_wish: Callable[[Mapping[str, Any]], tuple[Wish | None, CheckedForm]]
    read_key: Callable[[str | None, str | None], str | None]
    new_key: Callable[[], str]
    draw: Callable[[int], bytes]
    somebody_works: Callable[[], bool]
    nobody_works: Callable[[], AbstractContextManager[None]]
    clock: Callable[[], float]
    monotonic: Callable[[], float]
    rest: Callable[[float], None]

    def open_database(self) -> Database:
        """The house's file as it is; none is made. Raises BedtimeError."""
        path = self.settings.instance / "bedtime.db"
        if not path.exists():
            raise DatabaseUnusable(f"there is no database yet in {path.parent}: start the server first, with make run")
        database = Database(path)
        database.open()
        return database


pass_desk = click.make_pass_decorator(Desk)


class Command(click.Command):
    """What Bedtime raises on purpose, and what the machine refuses, is told in a sentence, with exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BedtimeError as error:
            raise click.ClickException(sentence(error)) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # whoever read us has enough: click ends quietly
                raise
            raise click.ClickException(_refused(error)) from None


class Group(click.Group):
    command_class = Command


def sentence(error: BedtimeError) -> str:
    """With a capital at its head, if a word stands there: a file, a host and a setting keep their names."""
    text = str(error)
    is_word = text.partition(" ")[0].rstrip(",:").isalpha()
    return f"{text[:1].upper() if is_word else text[:1]}{text[1:]}."


def _refused(error: OSError) -> str:
    if error.filename is None:
        return f"This machine refuses: {error.strerror or error}."
    return f"{error.filename} cannot be used ({error.strerror}): check where it leads, who owns it, and its disk."


def examples(*lines: str) -> str:
    """The end of a help text: kept as it is written."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])
