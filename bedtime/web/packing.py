"""Scripts, style sheets and drawings go out gzipped: a first visit is a third smaller. Pages don't: they hold secrets
beside words that a stranger may choose, and how long such a mixture is when it is packed tells of both.
"""

import functools
import gzip
from collections.abc import Callable
from typing import Any

from flask import Flask, Response, request

PACKED = frozenset({"text/css", "text/javascript", "image/svg+xml", "application/manifest+json"})


def register(app: Flask) -> None:
    app.view_functions["static"] = _packing(app.view_functions["static"])


def _packing(view: Callable[..., Any]) -> Callable[..., Response]:
    """The view of the static files; nothing else is the same for everybody, and asked for whole."""

    @functools.wraps(view)
    def packed(**place: Any) -> Response:
        answer: Response = view(**place)
        if answer.mimetype not in PACKED:
            return answer
        answer.vary.add("Accept-Encoding")
        if answer.status_code == 200 and request.accept_encodings["gzip"] > 0:
            answer.direct_passthrough = False
            answer.set_data(_gzipped(answer.get_data()))
            answer.content_encoding = "gzip"
            answer.set_etag(answer.get_etag()[0] or "", weak=True)  # the same file, but not the same bytes
        return answer

    return packed


@functools.lru_cache(maxsize=128)
def _gzipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)
