"""Signing in and out, and the PIN: the pages name nobody."""

from flask import Blueprint, request, url_for
from werkzeug.wrappers import Response

from bedtime import doorkeeper, household
from bedtime.errors import TooManyGuesses
from bedtime.web import doors, fields
from bedtime.web.access import Role
from bedtime.web.answers import see_other
from bedtime.web.house import the_house

bp = Blueprint("signing", __name__)


@bp.get("/sign-in")
def sign_in() -> Response:
    if doors.the_visitor().at_home:
        return see_other(_next())
    house = the_house()
    with house.database.reading() as db:
        blocked = household.blocked_seconds(db, household.PASSPHRASE, now=house.clock())
    return doors.sign_in_page(_next(), blocked=blocked)


@bp.post("/sign-in")
def enter() -> Response:
    """The passphrase makes this device a grown-up's, under a new session id."""
    if doors.the_visitor().at_home:
        return see_other(_next())
    house, entrance = the_house(), doors.entrance()
    try:
        right = doorkeeper.sign_in(house.database, request.form.get("passphrase", ""), entrance, now=house.clock())
    except TooManyGuesses as error:
        return doors.sign_in_page(_next(), status=429, blocked=error.seconds)
    if not right:
        return doors.sign_in_page(_next(), status=422, wrong=True)
    doors.let_in(entrance.key, Role.GROWN_UP)
    return see_other(_next())


@bp.post("/sign-out")
def sign_out() -> Response:
    """This device's session is good for nothing from now on."""
    key = doors.session_id()
    if key is not None:
        with the_house().database.transaction("sign_out") as tx:
            household.sign_out_session(tx, key)
    doors.send_away()
    return see_other(url_for("signing.sign_in"))


@bp.get("/pin")
def pin() -> Response:
    """Asks for the PIN, then goes on to where one wanted to go."""
    if doors.the_visitor().pin:
        return see_other(_next())
    house = the_house()
    with house.database.reading() as db:
        blocked = household.blocked_seconds(db, household.PIN, now=house.clock())
    return doors.pin_page(_on_the_way(), status=200, blocked=blocked)


@bp.post("/pin")
def give_pin() -> Response:
    if doors.the_visitor().pin:
        return see_other(_next())
    asked_again = doors.try_pin(request.form.get(doors.PIN_FIELD, ""), _on_the_way())
    return asked_again or see_other(_next())


def _on_the_way() -> doors.Carried:
    return doors.Carried(url_for("signing.give_pin"), (("next", _next()),))


def _next() -> str:
    """Where somebody wanted to go: only ever a page of ours."""
    return fields.own_path(request.values.get("next", "")) or url_for("tonight.index")
