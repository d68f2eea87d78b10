"""The pages and the API, as a Flask application; nothing here starts a thread or opens the file."""

import hashlib
from functools import cache, lru_cache
from pathlib import Path

from flask import Flask, request, url_for

from bedtime.web import (
    children,
    devices,
    doors,
    evenings,
    filters,
    grownups,
    health,
    htmx,
    keeping,
    look,
    metrics,
    mishaps,
    money,
    packing,
    pairing,
    queue,
    safety,
    settings,
    setup,
    signing,
    stories,
    tonight,
    wishes,
)
from bedtime.web import jobs as _jobs  # noqa: F401 - adds its views to the blueprint of stories
from bedtime.web import marks as _marks  # noqa: F401 - the same
from bedtime.web import shelf as _shelf  # noqa: F401 - the same
from bedtime.web.house import House

ROOT = Path(__file__).parent.parent.parent
PARTS = (
    tonight,
    stories,
    wishes,
    safety,
    children,
    evenings,
    grownups,
    devices,
    pairing,
    signing,
    setup,
    look,
    money,
    queue,
    settings,
    keeping,
    metrics,
    health,
)


def create_app(house: House) -> Flask:
    """An application for one house. Threads are started by whoever serves it."""
    app = Flask("bedtime", template_folder=str(ROOT / "templates"), static_folder=str(ROOT / "static"))
    app.extensions["bedtime"] = house
    app.config.update(MAX_CONTENT_LENGTH=64 * 1024, MAX_FORM_MEMORY_SIZE=32 * 1024, MAX_FORM_PARTS=40)
    app.config.update(SEND_FILE_MAX_AGE_DEFAULT=31536000)
    app.jinja_options = {"autoescape": True, "trim_blocks": True}
    app.json.sort_keys = False  # type: ignore[attr-defined]
    for part in (htmx, filters, mishaps, packing):
        part.register(app)
    doors.register(app, house)
    for module in PARTS:
        app.register_blueprint(module.bp)
    app.jinja_env.globals.update(theme=look.theme, size=look.size, visitor=doors.the_visitor, asset=_asset)
    if not house.keeps_connections:
        app.teardown_appcontext(lambda _: house.database.close())
    return app


def _asset(path: str) -> str:
    """The URL of a static file, with a hash of its content: it may be kept for ever."""
    return _url_of(path, request.script_root)


@lru_cache(maxsize=256)
def _url_of(path: str, script_root: str) -> str:
    """Worked out once for each place under which the house is served."""
    return url_for("static", filename=path, v=_digest(path))


@cache
def _digest(path: str) -> str:
    return hashlib.sha256((ROOT / "static" / path).read_bytes()).hexdigest()[:10]
