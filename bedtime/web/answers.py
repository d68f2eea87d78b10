"""How an answer goes out: a page, a fragment for htmx, or JSON; and how an error says what to do."""

import functools
from collections.abc import Mapping
from typing import Any

from flask import Response, jsonify, make_response, redirect, render_template, request, url_for
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header
from werkzeug.wrappers import Response as AnyResponse

from bedtime.web.htmx import elsewhere, is_fragment

JSON = "application/json"
LONGEST_ACCEPT = 500  # browsers send some 150 characters; what is remembered for the next time is short


def wants_json() -> bool:
    """Where `Accept` prefers JSON or takes anything; htmx, browsers and whoever names only HTML get HTML."""
    return not is_fragment() and _prefers_json(request.headers.get("Accept", "")[:LONGEST_ACCEPT])


@functools.lru_cache
def _prefers_json(accept: str) -> bool:
    return parse_accept_header(accept, MIMEAccept).best_match((JSON, "text/html"), default=JSON) == JSON


def see_other(url: str) -> AnyResponse:
    """303 for a plain form; for htmx, which would swap the whole page into its target, `HX-Redirect`."""
    if is_fragment():
        return elsewhere(url)
    return redirect(url, code=303)


def problem(status: int, kind: str, title: str, detail: str, **more: Any) -> Response:
    """An `application/problem+json` body (RFC 9457)."""
    answer = jsonify({"type": f"urn:bedtime:{kind}", "title": title, "status": status, "detail": detail, **more})
    answer.status_code = status
    answer.mimetype = "application/problem+json"
    return answer


def trouble(
    status: int, kind: str, heading: str, sentence: str, *, headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """An error as a page, a fragment, or JSON: what happened, and what to do. Needs no database."""
    if wants_json():
        answer = problem(status, kind, heading, sentence, **more)
    else:
        name = "_error.html" if is_fragment() else "error.html"
        page = render_template(
            name,
            heading=heading,
            sentence=sentence,
            action_href=url_for("tonight.index"),
            action_text="Back to tonight",
        )
        answer = make_response(page, status)
    answer.headers.update(dict(headers or {}))
    return answer
