"""Backups, the export, and leaving: to look at, to take along, to throw away. Going back to one is done at the machine."""

import datetime
import secrets
import tempfile

from flask import Blueprint, Response, make_response, render_template, request, send_file, url_for
from werkzeug.wrappers import Response as AnyResponse

from bedtime import doorkeeper, keeping, library, premises
from bedtime.db import Connection
from bedtime.errors import BedtimeError
from bedtime.keeping import Remains
from bedtime.library.keeping import begun_at
from bedtime.web import doors
from bedtime.web.answers import see_other, trouble
from bedtime.web.house import the_house

bp = Blueprint("keeping", __name__)

WORDS = "delete everything"
OLD_SECONDS = 2 * 86_400
IN_MEMORY_BYTES = 4 * 1024 * 1024


@bp.get("/keeping")
def index() -> Response:
    house = the_house()
    remains = keeping.remains(house.settings.instance)
    with house.database.reading() as db:
        empty, late = library.is_empty(db), _is_late(db, remains)
    page = render_template("keeping/index.html", remains=remains, empty=empty, late=late and not empty)
    return make_response(page)


@bp.post("/keeping/backups")
def back_up() -> AnyResponse:
    """One now, beside the one of the day; pressed twice, the second is the newer of that day and takes its place."""
    house = the_house()
    try:
        made = keeping.back_up(house.database, now=house.clock(), observe=house.observe)
    except BedtimeError as error:
        return trouble(503, "no-backup", "No backup was made", _sentence(error), headers={"Retry-After": "60"})
    return see_other(url_for("keeping.index", _anchor=made.name))


@bp.get("/keeping/backups/<name>")
def copy(name: str) -> AnyResponse:
    """The file of a backup, to keep it elsewhere: everything is in it."""
    found = keeping.find_copy(the_house().settings.instance, name)
    if found is None:
        return _gone()
    return _not_kept(send_file(found.path, mimetype="application/vnd.sqlite3", as_attachment=True, max_age=0))


@bp.post("/keeping/backups/<name>/throw-away")
def throw_away(name: str) -> AnyResponse:
    found = keeping.find_copy(the_house().settings.instance, name)
    if found is not None:
        keeping.throw_away(found)
    return see_other(url_for("keeping.index"))


@bp.post("/keeping/replaced/<name>/throw-away")
def throw_away_replaced(name: str) -> AnyResponse:
    """A database that a restore put aside."""
    keeping.throw_away_aside(the_house().settings.instance, name)
    return see_other(url_for("keeping.index"))


@bp.get("/keeping/export.zip")
def export() -> AnyResponse:
    """Everything as plain files: small in memory, large in a file without a name, which is gone when it was sent."""
    house = the_house()
    file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES, dir=str(house.settings.instance))  # noqa: SIM115 - sent, then closed
    try:
        keeping.export(house.database, house.settings, file, now=house.clock())
    except (BedtimeError, OSError) as error:
        file.close()
        sentence = _sentence(error) if isinstance(error, BedtimeError) else "The disk is full: free some space."
        return trouble(503, "no-export", "The export was not made", sentence, headers={"Retry-After": "60"})
    file.seek(0)
    date = datetime.datetime.fromtimestamp(house.clock(), datetime.UTC)
    name = f"bedtime-{date:%Y-%m-%d}.zip"
    return _not_kept(send_file(file, mimetype="application/zip", as_attachment=True, download_name=name, max_age=0))


@bp.get("/keeping/leave")
def leaving() -> Response:
    """What would go, and what would remain."""
    return _leaving_page()


@bp.post("/keeping/leave")
def leave() -> AnyResponse:
    """Empty the house. The page that follows is the last one for this device."""
    house = the_house()
    typed, copies_too = request.form.get("words", ""), request.form.get("copies") == "yes"
    if " ".join(typed.split()).casefold() != WORDS:
        return _leaving_page(typed=typed, copies_too=copies_too, wrong=True, status=422)
    if not keeping.empty_house(house.database, copies_too=copies_too):
        sentence = "A story is being paid for just now. Wait until it has ended, and press again."
        return trouble(409, "being-paid-for", "Not yet", sentence)
    doorkeeper.await_set_up(house.database, house.settings.instance, secrets.token_bytes)
    doors.send_away()
    page = render_template(
        "keeping/left.html",
        remains=keeping.remains(house.settings.instance),
        instance=house.settings.instance,
        key_source=house.settings.sources["llm_key"] if house.settings.llm_key else None,
        on_the_network=not premises.is_loopback(house.settings.host) or bool(house.settings.hosts),
    )
    return make_response(page)


def _leaving_page(*, typed: str = "", copies_too: bool = False, wrong: bool = False, status: int = 200) -> Response:
    house = the_house()
    with house.database.reading() as db:
        children, stories = len(library.all_children(db)), len(library.story_ids(db))
    page = render_template(
        "keeping/leaving.html",
        children=children,
        stories=stories,
        remains=keeping.remains(house.settings.instance),
        words=WORDS,
        typed=typed[:100],
        copies_too=copies_too,
        wrong=wrong,
    )
    return make_response(page, status)


def _is_late(db: Connection, remains: Remains) -> bool:
    """Whether the day's backup has failed to come, so that somebody should look; in a new house it has not come yet."""
    newest = next((copy for copy in remains.copies if copy.number), None)
    since = newest.made_at if newest else begun_at(db)
    return since is not None and abs(the_house().clock() - since) > OLD_SECONDS


def _sentence(error: BedtimeError) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


def _not_kept(answer: Response) -> Response:
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _gone() -> Response:
    return trouble(
        404, "no-backup", "There is no such backup", "It was thrown away, as the older ones are by themselves."
    )
