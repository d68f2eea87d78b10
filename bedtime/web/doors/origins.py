"""A page elsewhere in the browser must not be able to ask, spend or change."""

from flask import Request, Response

from bedtime.web.answers import trouble
from bedtime.web.house import House

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
FORMS = frozenset({"application/x-www-form-urlencoded", "multipart/form-data", "application/json"})


def check_origin(request: Request, house: House) -> Response | None:
    """Before each request: whence an unsafe one came, and what kind of content it brings."""
    if request.method in SAFE:
        return None
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site not in (None, "same-origin", "none") or not _is_own(origin, request, house):
        return trouble(403, "origin", "This came from another page", "Open Bedtime itself and press there.")
    if (request.mimetype or _has_body(request)) and request.mimetype not in FORMS:
        return trouble(415, "content-type", "This kind of content is not expected", "Send a form, or application/json.")
    return None


def _is_own(origin: str | None, request: Request, house: House) -> bool:
    return origin is None or origin in (f"{request.scheme}://{request.host}", *house.settings.hosts)


def _has_body(request: Request) -> bool:
    return bool(request.content_length) or "Transfer-Encoding" in request.headers
