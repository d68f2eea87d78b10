"""How the log is written: one line a thing, and no secret in any of them."""

import logging
import re
import sys

CHATTY = ("urllib3", "waitress.queue")
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
    for chatty in CHATTY:
        logging.getLogger(chatty).setLevel(logging.WARNING)
    for handler in logging.getLogger().handlers:
        handler.addFilter(WithoutSecrets())
