"""What one device keeps for itself: light and letters in a cookie, copies of stories."""

from functools import lru_cache

from flask import Blueprint, current_app, redirect, request, send_from_directory, url_for
from werkzeug.wrappers import Response

from bedtime.covers.moonrise import STEPS, moonrise
from bedtime.web import fields

bp = Blueprint("look", __name__)

THEMES = ("night", "day", "ember")
SIZES = ("0", "1", "2", "3", "4")
YEAR_SECONDS = 365 * 86400


def theme() -> str:
    chosen = request.cookies.get("theme", "")
    return chosen if chosen in THEMES else "night"


def size() -> int:
    chosen = request.cookies.get("size", "")
    return int(chosen) if chosen in SIZES else 2


def moon_at(fraction: float) -> str:
    """The URL of the moon that far along."""
    return _moon(round(fraction * STEPS), request.script_root)


@lru_cache
def _moon(step: int, script_root: str) -> str:
    """Worked out once for each place under which the house is served."""
    return url_for("look.moon", step=step)


@bp.post("/look")
def change() -> Response:
    """Remember what was pressed, and go back to where it was pressed."""
    answer = redirect(fields.own_path(request.form.get("next", "")) or url_for("tonight.index"), code=303)
    for name, allowed in (("theme", THEMES), ("size", SIZES)):
        value = request.form.get(name, "")
        if value in allowed:
            answer.set_cookie(
                name, value, max_age=YEAR_SECONDS, httponly=True, samesite="Lax", secure=request.is_secure
            )
    return answer


@bp.get("/look/moon-<int:step>.svg")
def moon(step: int) -> Response:
    """The picture of the waiting page."""
    drawing = Response(moonrise(step), mimetype="image/svg+xml")
    drawing.cache_control.private, drawing.cache_control.max_age = True, YEAR_SECONDS
    return drawing


@bp.get("/sw.js")
def offline() -> Response:
    """The script that opens kept copies while the house sleeps; served here, since it may answer for what is below it."""
    return send_from_directory(str(current_app.static_folder), "sw.js", mimetype="text/javascript", max_age=0)
