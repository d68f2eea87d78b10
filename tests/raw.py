"""Requests that no polite client sends: headers twice, bytes that are no ASCII, a body that is no JSON."""

import contextlib
import http.client
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from running import MIA, Running

WISH = {"children": [MIA], "minutes": 3}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def send(
    house: Running,
    *headers: tuple[str, str | bytes],
    body: bytes | None = None,
    path: str = "/stories/generate",
    kind: str = "application/json",
) -> Answer:
    """One POST with exactly these headers; the wish of `WISH` unless there is a body."""
    content = json.dumps(WISH).encode() if body is None else body
    with contextlib.closing(http.client.HTTPConnection(urlsplit(house.url).netloc, timeout=30)) as connection:
        connection.putrequest("POST", path)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(content))), *headers):
            connection.putheader(name, value)
        connection.endheaders(content)
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())


def keyed(house: Running, key: str | bytes, body: bytes | None = None, **more: Any) -> Answer:
    return send(house, ("Idempotency-Key", key), body=body, **more)


def check_problem(answer: Answer, status: int, kind: str, *more: str) -> dict[str, Any]:
    """RFC 9457: the four fields, and those that the kind adds."""
    assert answer.status == status, answer.body
    assert answer.headers["Content-Type"].split(";")[0] == "application/problem+json"
    problem: dict[str, Any] = answer.json
    assert set(problem) == {"type", "title", "status", "detail", *more}
    assert (problem["type"], problem["status"]) == (f"urn:bedtime:{kind}", status)
    assert problem["title"] and problem["detail"].endswith((".", ")")), problem
    assert varies(answer.headers["Vary"])
    return problem


def varies(vary: str) -> bool:
    """Whoever keeps an answer must know what it hangs on."""
    return {"accept", "hx-request"} <= {name.strip().lower() for name in vary.split(",")}


def requests_kept(house: Running) -> int:
    return int(house.rows("SELECT count(*) AS kept FROM story_requests")[0]["kept"])


def names(rows: Sequence[tuple[Any, ...]]) -> list[str]:
    """The first column, for the names of parametrized tests."""
    return [str(row[0]) for row in rows]
