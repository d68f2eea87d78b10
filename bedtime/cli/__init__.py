"""The commands under `flask`, for whoever runs the house: ask, jobs, household, doctor, prompt, backup, restore,
export. None of them starts a worker."""

import copy

import click

from bedtime.cli.ask import ask
from bedtime.cli.desk import Desk
from bedtime.cli.doctor import doctor
from bedtime.cli.household import household
from bedtime.cli.jobs import jobs
from bedtime.cli.keeping import backup, export, restore
from bedtime.cli.prompt import prompt

__all__ = ["Desk", "commands"]

COMMANDS = (ask, jobs, household, doctor, prompt, backup, restore, export)


def commands(desk: Desk) -> list[click.Command]:
    """The commands, at work on one house. They exit with 0: done, 1: it did not work, 2: wrong use."""
    return [_at(desk, command) for command in COMMANDS]


def _at(desk: Desk, command: click.Command) -> click.Command:
    ours = copy.copy(command)
    ours.context_settings = {**command.context_settings, "obj": desk}
    return ours
