"""The doors: by which name we are called, whence a press comes, who calls, and whether the table lets them in."""

import hashlib

from flask import Flask, Request, Response
from flask.globals import app_ctx, request_ctx
from flask.sessions import SessionInterface
from werkzeug.wrappers import Response as AnyResponse

from bedtime.web.doors import gate, headers, origins, visitors
from bedtime.web.doors.gate import (
    PIN_FIELD,
    Carried,
    carried,
    look_at_the_computer,
    pin_page,
    require_pin,
    sign_in_page,
    try_pin,
)
from bedtime.web.doors.headers import WithHeaders
from bedtime.web.doors.hosts import HostList, is_at_home
from bedtime.web.doors.visitors import Visitor, entrance, let_in, send_away, session_id, the_visitor
from bedtime.web.house import House, the_house

__all__ = [
    "PIN_FIELD",
    "Carried",
    "HostList",
    "Visitor",
    "carried",
    "entrance",
    "is_at_home",
    "let_in",
    "look_at_the_computer",
    "pin_page",
    "register",
    "require_pin",
    "send_away",
    "session_id",
    "sign_in_page",
    "the_visitor",
    "try_pin",
]


class NoCookieOfFlask(SessionInterface):
    """Sessions stand in the database: Flask's signed cookie would be unpacked at every request, and never used."""

    def open_session(self, app: Flask, request: Request) -> None:
        return None


def register(app: Flask, house: House) -> None:
    """Settings and gates. Two installs on one machine share a jar of cookies: each has a name of its own."""
    install = hashlib.sha256(b"cookie" + house.secret_key).hexdigest()[:12]
    app.config.update(
        SECRET_KEY=house.secret_key,
        SESSION_COOKIE_NAME=f"bedtime-{install}",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
    )
    app.session_interface = NoCookieOfFlask()
    app.before_request(lambda: _stopped(request_ctx.request, the_house()))
    app.after_request(_seen_off)
    app.wsgi_app = WithHeaders(HostList(app.wsgi_app, house.settings.hosts))  # type: ignore[method-assign]


def _stopped(asked: Request, house: House) -> AnyResponse | None:
    """The doors ask much of each request: Flask's proxies, which look theirs up at each word, are asked once."""
    return origins.check_origin(asked, house) or gate.check(asked, house)


def _seen_off(answer: Response) -> Response:
    remembered = app_ctx.g
    visitor: Visitor | None = remembered.get("visitor")
    signed_in = visitor is not None and visitor.device is not None
    headers.say_who_may_keep_it(answer, request_ctx.request.endpoint, signed_in=signed_in)
    return visitors.add_cookie(answer, remembered.get("new_session"))
