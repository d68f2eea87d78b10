"""Exactly one POST to an OpenAI-compatible server, streamed, within its deadline, and the outcome that it had.

No official client: theirs send a call three times where it fails once, and each may be billed.
"""

import contextlib
import http.client
from collections.abc import Callable, Iterator
from typing import Protocol

import requests
from urllib3.exceptions import HTTPError, LocationParseError, NameResolutionError, NewConnectionError, SSLError

from bedtime.errors import Closed, MaybeBilled, NotSent, ProviderError
from bedtime.llm.answer import Answer, Reader
from bedtime.llm.line import Adapter, Line
from bedtime.llm.outcome import outcome, with_words
from bedtime.llm.request import Endpoint, request
from bedtime.model import Prompt

MOST_BYTES = 8 * 1024 * 1024
_RECORD_BYTES = 8  # what keeping a chunk costs beside its bytes: many tiny ones must not outgrow the space set aside
_CHUNK_BYTES = 64 * 1024
_LONG = 64 * 1024
_ERROR_BYTES = 64 * 1024
_ERROR_SECONDS = 10.0
_BROKEN = (requests.RequestException, HTTPError, http.client.HTTPException, OSError, ValueError)


class Bytes(Protocol):
    """The one thing that we use of a response of urllib3."""

    def read1(self, amt: int, *, decode_content: bool) -> bytes: ...


def post(
    endpoint: Endpoint,
    prompt: Prompt,
    *,
    keep: Callable[[bytes], None],
    on_text: Callable[[str], None],
    observe: Callable[[str], None],
    monotonic: Callable[[], float],
) -> Answer:
    """Buy one answer: one POST, never a second, and return what came if it is whole.

    Each chunk of a 200's body goes to `keep` before anything looks at it. `on_text` gets the whole text so far whenever
    it grew (in a flood, now and then). `observe` hears `call.sent`, `call.first_byte`, `call.mid_body` and
    `call.last_byte`. Raises NotSent, Limited, Closed, Refused or MaybeBilled; what `keep` raises goes through, and then
    the outcome is as unknown as with MaybeBilled. Ends within `total_seconds`, but for looking up the name.
    """
    ready = request(endpoint, prompt, observe=observe)
    line = Line(first_byte=endpoint.first_byte_seconds, total=endpoint.total_seconds, monotonic=monotonic)
    private = (endpoint.key or "", prompt.system, prompt.user)
    with line, contextlib.closing(Adapter(line)) as adapter, _sent(adapter, ready, endpoint, line) as response:
        if response.status_code != 200:
            line.allow(_ERROR_SECONDS)
            body = _error_body(response.raw)
            raise outcome(endpoint.host, response.status_code, response.headers, body, private=private)
        reader = Reader()
        for text in _told(reader, _chunks(response.raw, line, endpoint.idle_seconds, keep, observe)):
            on_text(text)
        answer = reader.end()
        if answer is None:
            raise MaybeBilled(_why_not_whole(reader, line, endpoint, private))
    observe("call.last_byte")
    return answer


def _sent(adapter: Adapter, ready: requests.PreparedRequest, endpoint: Endpoint, line: Line) -> requests.Response:
    """The response, its headers read. The socket's own time-outs only stand behind the line's."""
    timeout = (min(endpoint.connect_seconds, endpoint.total_seconds), endpoint.total_seconds + 1)
    try:
        return adapter.send(ready, stream=True, timeout=timeout, verify=True)
    except _BROKEN as error:
        raise _broken(error, endpoint, line) from None


def _broken(error: Exception, endpoint: Endpoint, line: Line) -> ProviderError:
    """The connection alone decides: before it stood, not a byte had left; after that nobody can know."""
    if line.connected:
        return MaybeBilled(
            f"{endpoint.host} {'did not answer in time' if line.expired else 'broke off without an answer'}"
        )
    reason = getattr(error.args[0] if error.args else None, "reason", error)
    if isinstance(error, (LocationParseError, requests.exceptions.InvalidURL)):
        return Closed("BEDTIME_LLM_URL names no host that can be looked up", reason="storyteller")
    if isinstance(reason, NameResolutionError):
        return NotSent(f"the name {endpoint.host} was not found")
    if isinstance(reason, NewConnectionError):
        return NotSent(f"{endpoint.host} could not be reached")
    if isinstance(reason, SSLError):
        return NotSent(f"{endpoint.host} has no certificate that can be trusted")
    return NotSent(f"no connection to {endpoint.host} within {endpoint.connect_seconds:g} s")


def _chunks(
    raw: Bytes, line: Line, idle_seconds: float, keep: Callable[[bytes], None], observe: Callable[[str], None]
) -> Iterator[bytes]:
    """Each chunk of the body once it is kept, until its end, a failure, or the most that is taken."""
    size = 0
    while size <= MOST_BYTES and (chunk := _read(raw)):
        line.allow(idle_seconds)
        keep(chunk)
        observe("call.mid_body" if size else "call.first_byte")
        size += len(chunk) + _RECORD_BYTES
        yield chunk


def _read(raw: Bytes) -> bytes:
    """The next bytes; b"" at the end and at a failure alike, because the bytes that came say whether they are whole."""
    try:
        return raw.read1(_CHUNK_BYTES, decode_content=True)
    except _BROKEN:
        return b""


def _told(reader: Reader, chunks: Iterator[bytes]) -> Iterator[str]:
    """The text whenever it grew; in a flood, by a sixteenth: to pass on all of it each time would take its square."""
    told = 0
    for chunk in chunks:
        reader.feed(chunk)
        if reader.length > told + (told // 16 if told > _LONG else 0):
            told = reader.length
            yield reader.text
        if reader.done:
            return


def _error_body(raw: Bytes) -> bytes:
    body = b""
    while len(body) < _ERROR_BYTES and (chunk := _read(raw)):
        body += chunk
    return body


def _why_not_whole(reader: Reader, line: Line, endpoint: Endpoint, private: tuple[str, ...]) -> str:
    if reader.failed:
        return with_words(f"{endpoint.host} broke off with an error", reader.error, private=(*private, reader.text))
    if line.expired:
        return f"the answer of {endpoint.host} was not whole when its time was up"
    return f"the answer of {endpoint.host} was not whole"
