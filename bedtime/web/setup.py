"""Set-up by the one-time link: the household's passphrase and PIN, once."""

import hmac
import secrets
from dataclasses import dataclass, field

from flask import Blueprint, make_response, render_template, request, url_for
from werkzeug.wrappers import Response

from bedtime import doorkeeper, household, premises
from bedtime.web import doors
from bedtime.web.access import Role
from bedtime.web.answers import see_other, trouble
from bedtime.web.house import the_house

bp = Blueprint("setup", __name__)

SALT_BYTES = 16


@dataclass
class SecretsForm:
    """What is wrong with what was typed; the secrets themselves are typed anew."""

    passphrase: str = ""
    errors: dict[str, str] = field(default_factory=dict)


@bp.get("/setup/")
@bp.get("/setup/<token>")
def form(token: str = "") -> Response:
    return _shut(token) or _page(token, SecretsForm())


@bp.post("/setup/<token>")
def set_up(token: str) -> Response:
    """Keep both, sign this device in, and end the link."""
    shut = _shut(token)
    if shut is not None:
        return shut
    passphrase, pin = (household.tidy(request.form.get(name, "")) for name in ("passphrase", "pin"))
    typed = SecretsForm(passphrase[: household.LONGEST])
    wrong = {"passphrase": household.wrong_with_passphrase(passphrase), "pin": household.wrong_with_pin(pin)}
    typed.errors = {name: sentence for name, sentence in wrong.items() if sentence}
    if typed.errors:
        return _page(token, typed, status=422)
    return _keep(passphrase, pin)


def _keep(passphrase: str, pin: str) -> Response:
    house, entrance = the_house(), doors.entrance()
    salts = (secrets.token_bytes(SALT_BYTES), secrets.token_bytes(SALT_BYTES))
    kept = doorkeeper.hash_secrets(passphrase, pin, salts=salts)
    if not doorkeeper.set_up(house.database, kept, entrance, now=house.clock()):
        return _done_before()
    premises.end_set_up(house.settings.instance)
    doors.let_in(entrance.key, Role.WITH_PIN)
    return see_other(url_for("grownups.index"))


def _shut(token: str) -> Response | None:
    """The answer to a link that leads nowhere; None if it is the one that the terminal printed."""
    house = the_house()
    with house.database.reading() as db:
        if household.has_grown_up(db):
            return _done_before()
    known = premises.known_setup_token(house.settings.instance)
    if known is None or not hmac.compare_digest(known.encode(), token.encode("utf-8", "surrogatepass")):
        return doors.look_at_the_computer()
    return None


def _done_before() -> Response:
    return trouble(
        409,
        "set-up",
        "This house has its passphrase",
        "Set-up was done before, and the link works once. Forgotten? At the computer: .venv/bin/flask household reset.",
    )


def _page(token: str, typed: SecretsForm, *, status: int = 200) -> Response:
    answer = make_response(render_template("doors/setup.html", token=token, form=typed), status)
    answer.headers["Cache-Control"] = "no-store"
    return answer
