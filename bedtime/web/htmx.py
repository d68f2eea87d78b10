"""The one place that knows htmx-flask: it speaks the headers of htmx 2, of which we need these two, unchanged in 4."""

from flask import Flask, Response
from htmx_flask import Htmx, make_response, request


def register(app: Flask) -> None:
    Htmx(app)


def is_fragment() -> bool:
    """htmx asks, and will put the answer into the page that is shown."""
    return bool(request.htmx)


def elsewhere(url: str) -> Response:
    """Lead htmx to another page: a 303 would be followed inside the fragment."""
    answer: Response = make_response("", redirect=url)
    return answer
