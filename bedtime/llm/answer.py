"""What a provider's answer says: text, finish and usage out of the bytes of a 200, streamed or not, whole or cut.

The bytes alone decide whether an answer is whole, so that the live call and the recovery after a crash cannot disagree:
a stream is whole once it gave a `finish_reason` or `[DONE]`, a JSON object once its last brace is there.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bedtime.llm import said

MOST_TOKENS = 10_000_000  # no model has a window as long as this: more is nonsense, and nonsense is None
_BOM = b"\xef\xbb\xbf"
_NOT_DATA = (b":", b"event:", b"id:", b"retry:")
_CUT_TEXT = re.compile(r'"(?:content|text)"\s*+:\s*+"((?:[^"\\]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+)')


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer. `text` may be empty; tokens are None where the provider gave no number that can be believed.

    `refusal`: by the provider's refusal field, or a stop by its content filter; `text` is what it said instead, if
    nothing else.
    """

    text: str
    finish_reason: str | None
    tokens_in: int | None
    tokens_out: int | None
    refusal: bool


class Reader:
    """Reads a body as it arrives: the work grows with its bytes, and how they are split changes nothing."""

    def __init__(self) -> None:
        self.done = False  # nothing more is to come: [DONE] was read
        self.failed = False  # an error stood where the answer should have gone on
        self.error: object = None
        self.length = 0  # of the text so far
        self._line = bytearray()
        self._plain: list[bytes] = []
        self._unread = b""
        self._events = 0
        self._in_pieces = False  # whatever calls itself whole beside them says them once more (Perplexity's does)
        self._answered = False
        self._finish_reason: str | None = None
        self._tokens: tuple[int | None, int | None] = (None, None)
        self._text: list[str] = []
        self._refusal: list[str] = []

    @property
    def text(self) -> str:
        """The text so far, cleaned: no NUL, no lone surrogate; half a character at its end waits for the other half."""
        text = "".join(self._text)
        self._text = [text]
        return _clean(text[:-1] if "\ud800" <= text[-1:] <= "\udbff" else text)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes. A carriage return ends a line too; inside JSON both are only white space."""
        first, *others = chunk.replace(b"\r", b"\n").split(b"\n")
        self._line += first
        for other in others:
            self._read_line(bytes(self._line))
            self._line = bytearray(other)

    def end(self) -> Answer | None:
        """The answer if these bytes are a whole one, else None. Call it once, after the last `feed`."""
        self._read_line(bytes(self._line))
        if not self._events and self._plain:
            self._read_json(b"\n".join(self._plain))
        if self.failed or not self._answered or not (self.done or self._finish_reason):
            return None
        return self._answer()

    def end_cut(self) -> str:
        """The text of bytes that may stop anywhere. Call it instead of `end`."""
        if self.end() is None and self._unread:
            self._text += _cut_text(self._unread)
        return self.text

    def _answer(self) -> Answer:
        words = "".join(self._refusal)
        refusal = bool(words.strip()) or (self._finish_reason or "").casefold() == "content_filter"
        text = "".join(self._text) or words
        used = (None, None) if text and 0 in self._tokens else self._tokens  # no words come of nothing
        return Answer(_clean(text), self._finish_reason and _clean(self._finish_reason), *used, refusal)

    def _read_line(self, line: bytes) -> None:
        line = line.strip().removeprefix(_BOM)
        if self.done or not line:
            return
        if line.startswith(b"data:"):
            self._read_event(line.removeprefix(b"data:").strip())
        elif self._plain or not line.startswith(_NOT_DATA):
            self._plain.append(line)

    def _read_event(self, event: bytes) -> None:
        self._events += 1
        if event == b"[DONE]":
            self.done = True
        else:
            self._take(self._parsed(event))

    def _read_json(self, body: bytes) -> None:
        message = self._parsed(body)
        self._take(message[0] if isinstance(message, list) and message else message)
        self.done = not self._unread

    def _parsed(self, raw: bytes) -> object:
        try:
            message: object = json.loads(raw.decode("utf-8", "replace"), strict=False)
        except (ValueError, RecursionError):
            self._unread = raw
            return None
        self._unread = b""
        return message

    def _take(self, message: object) -> None:
        if not isinstance(message, dict):
            return
        if self._finish_reason is None and (message.get("error") or message.get("object") == "error"):
            self.failed, self.error = True, message
        usage = message.get("usage")
        if isinstance(usage, dict):
            self._tokens = _used(usage)
        choices = message.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and not choice.get("index"):
                self._take_choice(choice)

    def _take_choice(self, choice: dict[str, object]) -> None:
        text, refusal = said.piece(choice)
        self._in_pieces = self._in_pieces or bool(text or refusal)
        if not self._in_pieces:
            text, refusal = said.whole(choice)
        self._text.append(text)
        self.length += len(text)
        self._refusal.append(refusal)
        finish_reason = choice.get("finish_reason")
        if isinstance(finish_reason, str) and finish_reason:
            self.failed = self.failed or finish_reason == "error"
            self._finish_reason = finish_reason
        self._answered = True


def read_answer(raw: bytes) -> Answer | None:
    """What the body of a 200 says, if it is whole; None if it isn't, or holds an error instead."""
    reader = Reader()
    reader.feed(raw)
    return reader.end()


def text_so_far(raw: bytes) -> str:
    """What text stands in the body of a 200, wherever it was cut; "" if none does."""
    reader = Reader()
    reader.feed(raw)
    return reader.end_cut()


def _used(usage: dict[str, object]) -> tuple[int | None, int | None]:
    """What went in and came out. What was thought is billed as well: Gemini counts it in the total, and not in the
    completion (https://github.com/mozilla-ai/any-llm/issues/1290).
    """
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    tokens_in, tokens_out, total = (_tokens(usage.get(name)) for name in names)
    if tokens_in is not None and tokens_out is not None and total is not None:
        tokens_out = max(tokens_out, total - tokens_in)
    return tokens_in, tokens_out


def _tokens(count: object) -> int | None:
    return count if type(count) is int and 0 <= count <= MOST_TOKENS else None


def _cut_text(raw: bytes) -> Iterator[str]:
    """The strings of a JSON text that was cut, the last one without its end."""
    for found in _CUT_TEXT.finditer(raw.decode("utf-8", "replace").rstrip("\ufffd")):
        yield str(json.loads(f'"{found[1]}"', strict=False))


def _clean(text: str) -> str:
    """No NUL; two halves of a character that came apart are joined; a half alone is replaced."""
    text = text.replace("\0", "")
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
