"""How the log is written: one line a thing, and no secret in any of them."""

import logging
import re
import sys

CHATTY = {"urllib3": logging.WARNING, "waitress.queue": logging.ERROR}  # the latter counts who waits for a thread
_SECRET_PATH = re.compile(r"(/(?:setup|pair)/)[^\s?\"']+")
_QUERY = re.compile(r"\?\S*(?= HTTP/)")


class WithoutSecrets(logging.Filter):
    """The development server logs each address: cut short where it lets somebody in, or says what was searched for."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = _QUERY.sub("?…", _SECRET_PATH.sub(r"\1…", record.getMessage())), ()
        return True


def write_logs(level: str) -> None:
    """From `level` up, to standard error."""
    logging.basicConfig(
        stream=sys.stderr, level=level.upper(), format="%(asctime)s %(levelname)s %(message)s", force=True
    )
    for chatty, from_level in CHATTY.items():
        logging.getLogger(chatty).setLevel(from_level)
    for handler in logging.getLogger().handlers:
        handler.addFilter(WithoutSecrets())
