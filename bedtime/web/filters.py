"""Filters of the templates: money, minutes, moments by the household's clocks."""

import datetime

from flask import Flask

from bedtime import lettering, prices
from bedtime.web.house import the_house, the_wall


def register(app: Flask) -> None:
    app.add_template_filter(_money, "money")
    app.add_template_filter(_money_down, "money_down")
    app.add_template_filter(_exactly, "exactly")
    app.add_template_filter(prices.plainly, "plainly")
    app.add_template_filter(_minutes, "minutes")
    app.add_template_filter(_when, "when")
    app.add_template_test(lettering.is_break, "scene_break")
    app.add_template_filter(_day, "day")
    app.add_template_filter(_at, "at")
    app.add_template_filter(_span, "span")
    app.add_template_filter(lettering.pieces, "pieces")


def _money(micros: int) -> str:
    return prices.money(micros, the_house().settings.currency)


def _money_down(micros: int) -> str:
    return prices.money(micros, the_house().settings.currency, down=True)


def _exactly(micros: int) -> str:
    return prices.exactly(micros, the_house().settings.currency)


def _minutes(minutes: int) -> str:
    return f"{minutes} min"


def _when(moment: float) -> str:
    """`today`, `yesterday`, a weekday within the week, else the date."""
    now = datetime.datetime.fromtimestamp(the_house().clock(), the_wall())
    day = datetime.datetime.fromtimestamp(moment, the_wall())
    ago = (now.date() - day.date()).days
    if ago <= 1:
        return "yesterday" if ago == 1 else "today"
    if ago < 7:
        return day.strftime("%A")
    return f"{day.day} {day.strftime('%B')}" + ("" if day.year == now.year else f" {day.year}")


def _day(moment: float) -> str:
    """`Thursday, 3 December`."""
    day = datetime.datetime.fromtimestamp(moment, the_wall())
    return f"{day:%A}, {day.day} {day:%B}"


def _at(moment: float) -> str:
    """`3 December, 17:42`, and the year where it is another."""
    now = datetime.datetime.fromtimestamp(the_house().clock(), the_wall())
    at = datetime.datetime.fromtimestamp(moment, the_wall())
    year = "" if at.year == now.year else f" {at.year}"
    return f"{at.day} {at:%B}{year}, {at:%H:%M}"


def _span(seconds: float) -> str:
    """`40 seconds`, `3 minutes`, `5 hours`, `2 days`."""
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return _number(seconds / size, name)
    return _number(seconds, "second")


def _number(count: float, name: str) -> str:
    whole = max(round(count), 0)
    return f"{whole} {name}" if whole == 1 else f"{whole} {name}s"
