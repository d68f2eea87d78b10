"""A grown-up has mended what paused a queue."""

from flask import Blueprint, url_for
from werkzeug.wrappers import Response

from bedtime import asking
from bedtime.model import STORIES
from bedtime.web.answers import see_other, trouble
from bedtime.web.house import the_house

bp = Blueprint("queues", __name__)


@bp.post("/queues/<name>/resume")
def resume(name: str) -> Response:
    """Claiming goes on; pressed twice it changes nothing more."""
    if name != STORIES:
        return trouble(404, "no-queue", "There is no such queue", "Only the storyteller's queue can be paused.")
    asking.resume(the_house().database, name)
    return see_other(url_for("tonight.index"))
