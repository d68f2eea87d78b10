"""What every answer says to the browser."""

from flask import Response, g, request

from bedtime.web.access import Role, least

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
PAGES, NOT_KEPT = "private, no-cache", "no-store"  # a page that is not stored is not shown again by the back button


def add_headers(answer: Response) -> Response:
    """After each request. Stored nowhere: any page on a device that is signed in, since it may be signed out or become a
    reader's, and a story may be hidden from a reader's later; and what stands behind the PIN.
    """
    answer.headers.update(HEADERS)
    if request.endpoint == "static":
        return answer
    behind_the_pin = request.endpoint is not None and least(request.endpoint) is Role.WITH_PIN
    visitor = g.get("visitor")
    signed_in = visitor is not None and visitor.device is not None
    answer.headers.setdefault("Cache-Control", NOT_KEPT if behind_the_pin or signed_in else PAGES)
    answer.headers["Vary"] = "Accept, HX-Request, Cookie"
    return answer
