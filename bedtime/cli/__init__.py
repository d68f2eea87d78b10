"""The commands under `flask`, for whoever runs the house: ask, jobs, household, doctor, prompt. None of them starts a worker."""

import copy

import click

from bedtime.cli.ask import ask
from bedtime.cli.desk import Desk
from bedtime.cli.doctor import doctor
from bedtime.cli.household import household
from bedtime.cli.jobs import jobs
from bedtime.cli.prompt import prompt

__all__ = ["Desk", "commands"]


def commands(desk: Desk) -> list[click.Command]:
    """The commands, at work on one house. They exit with 0: done, 1: it did not work, 2: wrong use."""
    return [_at(desk, command) for command in (ask, jobs, household, doctor, prompt)]


def _at(desk: Desk, command: click.Command) -> click.Command:
    ours = copy.copy(command)
    ours.context_settings = {**command.context_settings, "obj": desk}
    return ours
