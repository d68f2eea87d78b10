"""Whether a server can be reached, takes our key and knows a model: asked by its list of models, which costs nothing."""

import contextlib
import json
from collections.abc import Callable

import requests
from urllib3.exceptions import HTTPError

from bedtime.errors import Closed, NotBilled, NotSent
from bedtime.llm.line import Adapter, Line
from bedtime.llm.request import Endpoint

_MOST_BYTES = 8 * 1024 * 1024
_SECONDS = 15.0


def models(endpoint: Endpoint, *, monotonic: Callable[[], float]) -> tuple[str, ...] | None:
    """The names of a server's models; None if it keeps no list. Within 15 s, and without spending.

    Raises NotSent if it can't be reached, Closed if it does not take the key, NotBilled for any other answer.
    """
    line = Line(first_byte=_SECONDS, total=_SECONDS, monotonic=monotonic)
    try:
        with line, contextlib.closing(Adapter(line)) as adapter:
            response = adapter.send(_request(endpoint), stream=True, timeout=(endpoint.connect_seconds, _SECONDS))
            body = response.raw.read(_MOST_BYTES, decode_content=True)
    except (requests.RequestException, HTTPError, OSError, ValueError):
        raise NotSent(f"{endpoint.host} could not be reached, or did not answer in time") from None
    if response.status_code in (401, 403):
        raise Closed(f"{endpoint.host} answered {response.status_code}", reason="key")
    if response.status_code in (404, 405, 501):
        return None
    if response.status_code != 200:
        raise NotBilled(f"{endpoint.host} answered {response.status_code}")
    return _names(body)


def knows(names: tuple[str, ...], model: str) -> bool:
    """Whether a model is one of a server's: some put a folder before its name in the list, or a tag behind it."""
    return not {model, f"models/{model}", f"{model}:latest"}.isdisjoint(names)


def _request(endpoint: Endpoint) -> requests.PreparedRequest:
    headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "bedtime"}
    key = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
    return requests.Request("GET", endpoint.url.rstrip("/") + "/models", headers=headers | key).prepare()


def _names(body: bytes) -> tuple[str, ...] | None:
    """Out of `{"data": [{"id"}]}`, as OpenAI has it; None if it is anything else."""
    try:
        listed = json.loads(body.decode("utf-8", "replace"))["data"]
        return tuple(str(one["id"]) for one in listed)
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
