"""The JSON messages in a body as it arrives: the events of a stream, or one object; whole, broken or cut.

An event is all its `data:` lines up to an empty line (https://html.spec.whatwg.org/multipage/server-sent-events.html,
9.2.6). Servers that leave the empty line out are understood too: there a line that is JSON by itself is an event.
"""

import json
from collections.abc import Iterator

_BOM = b"\xef\xbb\xbf"
OPENS = (b"{", b"[")
_NOT_DATA = (b":", b"event:", b"id:", b"retry:")


class Unreadable(bytes):
    """What stands where a message should, and is no JSON."""


class Messages:
    """Takes a body apart: the work grows with its bytes, and how they are split changes nothing."""

    def __init__(self) -> None:
        self.done = False  # nothing more is to come: [DONE] was read, or the one object is whole
        self._line = bytearray()
        self._returned = False  # a carriage return was last: a line feed after it ends no second line
        self._streamed = False
        self._event: list[bytes] = []  # its lines, while the first is no JSON by itself
        self._plain: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[object]:
        """Each message that is complete with these bytes, or Unreadable. Take them all before the next `feed`."""
        if not chunk:
            return
        if self._returned:
            chunk = chunk.removeprefix(b"\n")
        self._returned = chunk.endswith(b"\r")
        first, *others = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._line += first
        for other in others:
            yield from self._read_line(bytes(self._line))
            self._line = bytearray(other)

    def end(self) -> Iterator[object]:
        """What is left, after the last `feed`."""
        yield from self._read_line(bytes(self._line))
        yield from self._end_event()
        if not self._streamed and self._plain:
            message = _parsed(b"\n".join(self._plain))
            self.done = not isinstance(message, Unreadable)
            yield message

    def _read_line(self, line: bytes) -> Iterator[object]:
        line = line.strip().removeprefix(_BOM)
        if self.done:
            return
        if not line:
            yield from self._end_event()
        elif line.startswith(b"data:"):
            self._streamed = True
            yield from self._read_data(line.removeprefix(b"data:").strip())
        elif self._event and not line.startswith(_NOT_DATA):  # JSON of many lines, of which only the first was marked
            self._event.append(line)
        elif self._plain or not line.startswith(_NOT_DATA):
            self._plain.append(line)

    def _read_data(self, data: bytes) -> Iterator[object]:
        if data == b"[DONE]":
            yield from self._end_event()
            self.done = True
        elif self._event:
            self._event.append(data)
        elif data:
            message = _parsed(data)
            if isinstance(message, Unreadable) and data.startswith(OPENS):
                self._event.append(data)
            else:
                yield message

    def _end_event(self) -> Iterator[object]:
        """One message of all its lines; where they are none, each line for itself: it may be an event that nobody ended."""
        lines, self._event = self._event, []
        if len(lines) > 1:
            message = _parsed(b"\n".join(lines))
            yield from map(_parsed, lines) if isinstance(message, Unreadable) else [message]
        else:
            yield from map(Unreadable, lines)


def _parsed(raw: bytes) -> object:
    try:
        message: object = json.loads(raw.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return Unreadable(raw)
    return message
