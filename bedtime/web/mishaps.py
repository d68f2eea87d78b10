"""What a person reads when something goes wrong: never a bare traceback, always what to do."""

import logging

from flask import Flask, Response
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from bedtime.errors import DatabaseBusy, DatabaseUnusable
from bedtime.loop import log_bug
from bedtime.web.answers import trouble

log = logging.getLogger("bedtime.web")

_WORDS = {
    400: ("This could not be read", "Something in it is not as a form or a script sends it."),
    403: ("This is not allowed here", "Open Bedtime itself and press there."),
    404: ("There is nothing here", "The page may have moved. Tonight and the shelf are where they were."),
    405: ("This cannot be done here", "Go back and press the button there."),
    413: ("This is too much at once", "A wish is a few sentences: shorten it and send it again."),
    415: ("This kind of content is not expected", "Send a form, or application/json."),
}


def register(app: Flask) -> None:
    app.register_error_handler(HTTPException, _refused)
    app.register_error_handler(DatabaseBusy, _busy)
    app.register_error_handler(DatabaseUnusable, _unusable)
    app.register_error_handler(Exception, _bug)


def _refused(error: HTTPException) -> Response:
    code = error.code or 500
    heading, sentence = _WORDS.get(code, ("This did not work", "Go back and try it once more."))
    if code == 400 and error.description and type(error).__name__ == "BadRequest":
        sentence = f"{sentence} ({error.description})"
    allowed = {"Allow": ", ".join(sorted(error.valid_methods or ()))} if isinstance(error, MethodNotAllowed) else {}
    return trouble(code, f"http-{code}", heading, sentence, headers=allowed)


def _busy(error: DatabaseBusy) -> Response:
    log.warning('error=DatabaseBusy reason="%s"', error)
    sentence = (
        "Nothing was lost and nothing was spent. Try again in a few seconds. If it stays so, the disk may be full."
    )
    return trouble(503, "busy", "The house is busy just now", sentence, headers={"Retry-After": "5"})


def _unusable(error: DatabaseUnusable) -> Response:
    log.error('error=DatabaseUnusable reason="%s"', error)
    sentence = (
        "The file with the stories cannot be used as it is: a grown-up finds what to do in the log of the program."
    )
    return trouble(503, "database", "The book of stories cannot be opened", sentence, headers={"Retry-After": "60"})


def _bug(error: Exception) -> Response:
    log_bug(log, "request=failed", error)
    sentence = "That was our fault, not yours. Nothing that was accepted is lost. Go back and try once more."
    return trouble(500, "fault", "Something broke in here", sentence)
