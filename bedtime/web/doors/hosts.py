"""By which names we may be called; and whether somebody calls from this very machine, with nothing in between."""

import functools
import ipaddress
import re
import socket
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from bedtime.premises import is_loopback
from bedtime.web.doors.headers import WSGI

_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(:[0-9]{1,5})?", re.ASCII | re.IGNORECASE)
LONGEST_HOST = 300  # a name has 253 characters at most
_FORWARDED = re.compile(  # how the names of a proxy's headers begin, as WSGI has them
    "^HTTP_(FORWARDED|VIA|X_REAL_IP|X_CLIENT_IP|CF_CONNECTING_IP|TRUE_CLIENT_IP|X_CLUSTER_CLIENT_IP"
    "|X_FORWARDED|X_ORIGINAL|X_ENVOY|X_PROXY)",
    re.MULTILINE,
)


class HostList:
    """WSGI: a name that is not ours is refused before Flask sees it; DNS rebinding needs a name, so any address may pass."""

    def __init__(self, app: WSGI, origins: Iterable[str]) -> None:
        self._app = app
        machine = socket.gethostname().lower()
        short = machine.split(".")[0]
        known = {urlsplit(origin).hostname or "" for origin in origins}
        self._names = {"localhost", machine, short, f"{short}.local", *known} - {""}

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if self._is_ours(environ.get("HTTP_HOST", "")):
            return self._app(environ, start_response)
        start_response("400 Bad Request", [("Content-Type", "text/plain; charset=utf-8")])
        return [b"This address is not one of mine. Call me by localhost, by my IP address, or set BEDTIME_HOSTS.\n"]

    def _is_ours(self, host: str) -> bool:
        name = name_in(host)
        return name is not None and (name.lower().rstrip(".") in self._names or _is_address(name))


def name_in(host: str) -> str | None:
    """The name or address in a Host header, without its port; None if it is no Host."""
    return _name_in(host) if len(host) <= LONGEST_HOST else None


@functools.lru_cache
def _name_in(host: str) -> str | None:
    found = _HOST.fullmatch(host)
    return found["name"] if found else None


def is_at_home(environ: Mapping[str, Any]) -> bool:
    """Whether peer and Host are both this machine's own loopback, and no proxy says that it speaks for somebody else."""
    peer, name = environ.get("REMOTE_ADDR", ""), name_in(environ.get("HTTP_HOST", "")) or ""
    return is_loopback(peer) and is_loopback(name) and not _FORWARDED.search("\n".join(environ))


@functools.lru_cache
def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True
