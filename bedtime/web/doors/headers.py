"""What every answer says to the browser."""

from collections.abc import Callable, Iterable
from typing import Any

from flask import Response

from bedtime.web.access import Role, least

WSGI = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

HEADERS = (
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "media-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
)
PAGES, NOT_KEPT = "private, no-cache", "no-store"  # a page that is not stored is not shown again by the back button


class WithHeaders:
    """WSGI: every answer carries HEADERS, also one that Flask never saw."""

    def __init__(self, app: WSGI) -> None:
        self._app = app

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            return start_response(status, [*headers, *HEADERS], *more)

        return self._app(environ, start)


def say_who_may_keep_it(answer: Response, endpoint: str | None, *, signed_in: bool) -> Response:
    """After each request. Stored nowhere: any page on a device that is signed in, since it may be signed out or become a
    reader's, and a story may be hidden from a reader's later; and what stands behind the PIN.
    """
    if endpoint == "static":
        return answer
    behind_the_pin = endpoint is not None and least(endpoint) is Role.WITH_PIN
    answer.headers.setdefault("Cache-Control", NOT_KEPT if behind_the_pin or signed_in else PAGES)
    answer.headers["Vary"] = "Accept, HX-Request, Cookie"
    return answer
