"""A device that shows a pairing code: it says what it will become, and a press lets it in."""

from flask import Blueprint, make_response, render_template, url_for
from werkzeug.wrappers import Response

from bedtime import doorkeeper, household
from bedtime.household import Pairing
from bedtime.web import doors
from bedtime.web.access import Role
from bedtime.web.answers import see_other
from bedtime.web.house import the_house

bp = Blueprint("pairing", __name__)


@bp.get("/pair/<code>")
def code(code: str) -> Response:
    """Looking at it uses nothing up: messengers and previews look at links too."""
    house = the_house()
    with house.database.reading() as db:
        pairing = household.open_pairing(db, plain(code), now=house.clock())
    return _page(code, pairing, status=200 if pairing else 410)


@bp.post("/pair/<code>")
def pair(code: str) -> Response:
    """The code is used up, and this device is let in under a new session id."""
    house, entrance = the_house(), doors.entrance()
    pairing = doorkeeper.pair(house.database, plain(code), entrance, now=house.clock())
    if pairing is None:
        return _page(code, None, status=410)
    doors.let_in(entrance.key, Role.GROWN_UP if pairing.role == "grown_up" else Role.READER)
    return see_other(url_for("tonight.index"))


def plain(code: str) -> str:
    """As it was drawn, however it was typed: without dashes and spaces, in small letters."""
    return "".join(char for char in code.lower() if char.isalnum())


def _page(code: str, pairing: Pairing | None, *, status: int) -> Response:
    answer = make_response(render_template("doors/pair.html", code=code, pairing=pairing), status)
    answer.headers["Cache-Control"] = "no-store"
    return answer
