"""Who calls: a device by its cookie, a script by its token, or whoever sits at the computer itself."""

import logging
import secrets
from dataclasses import dataclass, replace
from typing import cast

from flask import Request, Response, current_app, g, request

from bedtime import household, library
from bedtime.doorkeeper import PIN_SECONDS, Entrance
from bedtime.errors import DatabaseBusy
from bedtime.household import Device
from bedtime.web.access import Role
from bedtime.web.doors.hosts import is_at_home
from bedtime.web.house import House, the_house

log = logging.getLogger("bedtime.doors")

COOKIE_SECONDS = 400 * 86400  # the longest that browsers keep one; how long a session lasts, the database says
DEVICES = (
    ("iPad", "iPad"),
    ("iPhone", "iPhone"),
    ("Silk", "Fire tablet"),
    ("Android", "Android device"),
    ("CrOS", "Chromebook"),
    ("Windows", "Windows computer"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux computer"),
)


@dataclass(frozen=True, slots=True)
class Visitor:
    """`at_home`: at the computer itself, before there is a passphrase. `stranger`: there is none, and they are not."""

    role: Role
    device: Device | None = None
    at_home: bool = False
    stranger: bool = False

    @property
    def pin(self) -> bool:
        """Whether the PIN was given and still holds."""
        return self.role >= Role.WITH_PIN

    @property
    def is_grown_up(self) -> bool:
        return self.role >= Role.GROWN_UP

    @property
    def may_read(self) -> bool:
        return self.role >= Role.READER

    @property
    def eyes(self) -> int:
        """Which stories they may see: see library/eyes.py."""
        if self.is_grown_up:
            return library.EVERYTHING
        return (
            library.APPROVED
            if self.device is None or (self.device.role == "reader" and self.device.approval)
            else library.UNHELD
        )


NOBODY = Visitor(Role.NOBODY)


def the_visitor() -> Visitor:
    """Whose request is being answered: role, device, PIN. Nobody, before the doors were looked at."""
    return cast(Visitor, g.get("visitor", NOBODY))


def recognise(request: Request, house: House) -> Visitor:
    """Look the caller up, and remember them for this request."""
    g.visitor = visitor = _look_up(request, house)
    if visitor.device is not None:
        _see(visitor.device, house)
    return visitor


def let_in(key: str, role: Role, device: Device | None = None) -> None:
    """From this answer on the device has this session id."""
    g.new_session = key
    g.visitor = replace(the_visitor(), role=role, device=device or the_visitor().device, stranger=False)


def send_away() -> None:
    """With this answer the device forgets its session id."""
    g.new_session, g.visitor = "", NOBODY


def entrance() -> Entrance:
    """This device, as it asks to be let in: with a new session id of 256 bits."""
    return Entrance(secrets.token_urlsafe(32), session_id(), called())


def session_id() -> str | None:
    return request.cookies.get(current_app.config["SESSION_COOKIE_NAME"])


def called() -> str:
    """What to call a device that nobody has named."""
    agent = request.user_agent.string
    return next((name for sign, name in DEVICES if sign in agent), "A device")


def add_cookie(answer: Response, key: str | None) -> Response:
    """After each request: a session that began or ended with it, by what `let_in` and `send_away` remembered."""
    if key is None:
        return answer
    name = current_app.config["SESSION_COOKIE_NAME"]
    if key:
        answer.set_cookie(
            name, key, max_age=COOKIE_SECONDS, httponly=True, samesite="Lax", secure=_is_encrypted(), path="/"
        )
    else:
        answer.delete_cookie(name, httponly=True, samesite="Lax", secure=_is_encrypted(), path="/")
    return answer


def _look_up(request: Request, house: House) -> Visitor:
    now = house.clock()
    with house.database.reading() as db:
        if not household.has_grown_up(db):
            at_home = is_at_home(request.environ) and not house.settings.hosts
            return Visitor(Role.WITH_PIN, at_home=True) if at_home else Visitor(Role.NOBODY, stranger=True)
        bearer, key = request.authorization, session_id()
        if bearer is not None:
            device = household.device_of(db, bearer.token or "", script=True, now=now)
        else:
            device = household.device_of(db, key, script=False, now=now) if key else None
    return NOBODY if device is None else Visitor(_role_of(device, now=now), device)


def _role_of(device: Device, *, now: float) -> Role:
    if device.role == "grown_up":
        return Role.WITH_PIN if now < device.pin_until <= now + PIN_SECONDS else Role.GROWN_UP
    return Role.SCRIPT if device.role == "script" else Role.READER


def _see(device: Device, house: House) -> None:
    """When it called last, to the hour: a busy file is no reason not to answer."""
    now = house.clock()
    if abs(now - device.seen_at) < household.SECONDS_BETWEEN_SIGHTINGS:
        return
    try:
        with house.database.transaction("see_device") as tx:
            household.was_seen(tx, device.id, now=now)
    except DatabaseBusy as error:
        log.info('seen=later device=%d reason="%s"', device.id, error)


def _is_encrypted() -> bool:
    """TLS as the browser has it: ours, or that of a proxy under a name of BEDTIME_HOSTS."""
    return request.is_secure or f"https://{request.host}" in the_house().settings.hosts
