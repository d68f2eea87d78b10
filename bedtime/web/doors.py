"""Who may call, and what every answer says to the browser: hosts, origins, content types, headers."""

import ipaddress
import socket
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

from flask import Flask, Response, request

from bedtime.web.answers import trouble
from bedtime.web.house import the_house

WSGI = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
FORMS = frozenset({"application/x-www-form-urlencoded", "multipart/form-data", "application/json"})
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "media-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class HostList:
    """WSGI: a name that is not ours is refused before Flask sees it; DNS rebinding needs a name, so any address may pass."""

    def __init__(self, app: WSGI, origins: Iterable[str]) -> None:
        self._app = app
        machine = socket.gethostname().lower()
        known = {urlsplit(origin).hostname or "" for origin in origins}
        self._names = {"localhost", machine, f"{machine.split('.')[0]}.local", *known} - {""}

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if self._is_ours(environ.get("HTTP_HOST", "")):
            return self._app(environ, start_response)
        start_response("400 Bad Request", [("Content-Type", "text/plain; charset=utf-8"), *HEADERS.items()])
        return [b"This address is not one of mine. Call me by localhost, by my IP address, or set BEDTIME_HOSTS.\n"]

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
            urlsplit(f"//{host}").port  # noqa: B018 - raises for a port that is none
        except ValueError:
            return False
        return "@" not in host and (name.rstrip(".") in self._names or _is_address(name))


def register(app: Flask) -> None:
    app.before_request(_check_origin)
    app.after_request(_add_headers)


def _check_origin() -> Response | None:
    """A page elsewhere in the browser must not be able to ask, spend or change."""
    if request.method in SAFE:
        return None
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site not in (None, "same-origin", "none") or not _is_own(origin):
        return trouble(403, "origin", "This came from another page", "Open Bedtime itself and press there.")
    if request.content_length and request.mimetype not in FORMS:
        return trouble(415, "content-type", "This kind of content is not expected", "Send a form, or application/json.")
    return None


def _is_own(origin: str | None) -> bool:
    return origin is None or origin in (f"{request.scheme}://{request.host}", *the_house().settings.hosts)


def _add_headers(answer: Response) -> Response:
    answer.headers.update(HEADERS)
    if request.endpoint == "static":
        return answer
    answer.headers.setdefault("Cache-Control", "private, no-cache")
    answer.headers["Vary"] = "Accept, HX-Request, Cookie"
    return answer


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
