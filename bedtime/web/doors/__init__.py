"""The doors: by which name we are called, whence a press comes, who calls, and whether the table lets them in."""

import hashlib

from flask import Flask, Request
from flask.sessions import SessionInterface

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
from bedtime.web.house import House

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
    app.before_request(lambda: origins.check_origin() or gate.check())
    app.after_request(lambda answer: visitors.add_cookie(headers.say_who_may_keep_it(answer)))
    app.wsgi_app = WithHeaders(HostList(app.wsgi_app, house.settings.hosts))  # type: ignore[method-assign]
