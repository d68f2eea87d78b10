"""Filters of the templates: money, minutes, moments."""

import datetime

from flask import Flask

from bedtime import lettering, prices
from bedtime.web.house import the_house


def register(app: Flask) -> None:
    app.add_template_filter(_money, "money")
    app.add_template_filter(_minutes, "minutes")
    app.add_template_filter(_when, "when")
    app.add_template_test(lettering.is_break, "scene_break")
    app.add_template_filter(_day, "day")
    app.add_template_filter(lettering.pieces, "pieces")


def _money(micros: int) -> str:
    return prices.money(micros, the_house().settings.currency)


def _minutes(minutes: int) -> str:
    return f"{minutes} min"


def _when(moment: float) -> str:
    """`today`, `yesterday`, a weekday within the week, else the date."""
    now = datetime.datetime.fromtimestamp(the_house().clock())
    day = datetime.datetime.fromtimestamp(moment)
    ago = (now.date() - day.date()).days
    if ago <= 1:
        return "yesterday" if ago == 1 else "today"
    if ago < 7:
        return day.strftime("%A")
    return f"{day.day} {day.strftime('%B')}" + ("" if day.year == now.year else f" {day.year}")


def _day(moment: float) -> str:
    """`Thursday, 3 December`."""
    day = datetime.datetime.fromtimestamp(moment)
    return f"{day:%A}, {day.day} {day:%B}"
