"""The devices of the house: who is let in, pairing a new one, tokens for scripts, signing out."""

import secrets
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import segno
from flask import Blueprint, make_response, render_template, request, url_for
from werkzeug.wrappers import Response

from bedtime import household, premises, values
from bedtime.household import Pairing
from bedtime.web import doors, fields
from bedtime.web.answers import see_other, trouble
from bedtime.web.doors.hosts import name_in
from bedtime.web.house import the_house

bp = Blueprint("devices", __name__)

NAME = 40
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that is easily taken for another
CODE_LETTERS, GROUP = 12, 4  # 59 bits, for ten minutes
HIGHEST_CAP = 1000


@dataclass
class DeviceForm:
    """What was typed for a new device, and what is wrong with it."""

    name: str = ""
    role: str = "reader"
    approval: bool = True
    cap: str = "0.50"
    was: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


@bp.get("/devices")
def index() -> Response:
    return _page()


@bp.post("/devices/pairings")
def add_pairing() -> Response:
    """The page with the code: it is seen this once, and only its hash is kept."""
    house = the_house()
    shut = _nobody_could_come()
    if shut is not None:
        return shut
    form = _read()
    if form.role not in ("reader", "grown_up"):
        form.errors["role"] = "A reader’s device, or a grown-up’s?"
    if form.errors:
        return _page(pairing=form, status=422)
    code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LETTERS))
    made = Pairing(form.name, form.role, form.approval)
    with house.database.transaction("add_pairing") as tx:
        household.add_pairing(tx, made, code=code, now=house.clock())
    shown = "-".join(code[at : at + GROUP] for at in range(0, CODE_LETTERS, GROUP))
    url = f"{_base()}{url_for('pairing.code', code=shown)}"
    page = render_template("devices/pairing.html", pairing=made, url=url, picture=_picture(url))
    return make_response(page)


@bp.post("/devices/scripts")
def add_script() -> Response:
    """The page with the token: it is seen this once, and only its hash is kept."""
    house = the_house()
    shut = _nobody_could_come()
    if shut is not None:
        return shut
    form = _read()
    try:
        cap = values.micros(HIGHEST_CAP)(form.cap)
    except ValueError as error:
        form.errors["cap"] = f"Expected {error}."
    if form.errors:
        return _page(script=form, status=422)
    token = secrets.token_urlsafe(32)
    with house.database.transaction("add_script") as tx:
        household.add_device(tx, name=form.name, role="script", key=token, now=house.clock(), daily_cap_micros=cap)
    page = render_template("devices/token.html", name=form.name, token=token, base=_base(), cap=cap)
    return make_response(page)


@bp.post("/devices/<int:device_id>")
def change(device_id: int) -> Response:
    """Its name; and for a reader, whether only approved stories are seen there. Only what was changed in the page."""
    form = _read()
    if form.errors:
        return _page(wrong_id=device_id, wrong=form, status=422)
    name = None if form.was.get("name") == form.name else form.name
    approval = None if form.was.get("approval") == ("yes" if form.approval else "no") else form.approval
    with the_house().database.transaction("change_device") as tx:
        there = household.change_device(tx, min(device_id, fields.BIGGEST), name=name, approval=approval)
    return see_other(url_for("devices.index", _anchor=f"device-{device_id}")) if there else _gone()


@bp.post("/devices/<int:device_id>/sign-out")
def sign_out(device_id: int) -> Response:
    """Its session or its token is good for nothing from now on; pressed twice it changes nothing more."""
    with the_house().database.transaction("sign_out") as tx:
        household.sign_out(tx, min(device_id, fields.BIGGEST))
    this = doors.the_visitor().device
    if this is not None and this.id == device_id:
        doors.send_away()
    return see_other(url_for("devices.index"))


def _page(
    *,
    pairing: DeviceForm | None = None,
    script: DeviceForm | None = None,
    wrong_id: int = 0,
    wrong: DeviceForm | None = None,
    status: int = 200,
) -> Response:
    house = the_house()
    with house.database.reading() as db:
        found = household.all_devices(db, now=house.clock())
        has_grown_up, approval = household.has_grown_up(db), household.approval(db)
    page = render_template(
        "devices/index.html",
        devices=found,
        has_grown_up=has_grown_up,
        on_the_network=not premises.is_loopback(house.settings.host) or bool(house.settings.hosts),
        pairing=pairing or DeviceForm(approval=approval),
        script=script or DeviceForm(),
        wrong_id=wrong_id,
        wrong=wrong,
    )
    return make_response(page, status)


def _read() -> DeviceForm:
    form = DeviceForm(
        name=fields.clean(request.form.get("name", "")),
        role=request.form.get("role", ""),
        approval=request.form.get("approval") == "yes",
        cap=request.form.get("cap", "").strip()[:20],
        was=fields.shown_before(request.form, ("name", "approval")),
    )
    if not 1 <= len(form.name) <= NAME:
        form.errors["name"] = f"What do you call it? Between one letter and {NAME}."
    return form


def _base() -> str:
    """The address under which other devices call: the one that this page was called by, unless only we can use it."""
    settings, url = the_house().settings, urlsplit(request.host_url)
    if settings.hosts or premises.is_loopback(name_in(request.host) or ""):
        return premises.url_for_others(settings, host="0.0.0.0", port=url.port or 80)
    return f"{url.scheme}://{url.netloc}"


def _picture(url: str) -> str:
    """The QR code as a data URI: no second request, and nothing of it in any address."""
    return str(
        segno.make(url, error="m", micro=False).svg_data_uri(border=3, dark="#14131d", light="#efe6d6", omitsize=True)
    )


def _nobody_could_come() -> Response | None:
    """Without a passphrase nobody comes in from the network, whatever they show."""
    with the_house().database.reading() as db:
        if household.has_grown_up(db):
            return None
    return trouble(
        409,
        "no-passphrase",
        "A passphrase comes first",
        "Other devices can come in once the house has one. At the computer, .venv/bin/flask household link shows the way to it.",
    )


def _gone() -> Response:
    return trouble(404, "no-device", "There is no such device", "It was signed out, perhaps on another device.")
