"""What a provider's answer says: text, finish and usage out of the bytes of a 200, streamed or not, whole or cut.

The bytes alone decide whether an answer is whole, so that the live call and the recovery after a crash cannot disagree:
a stream is whole once it gave a `finish_reason` or `[DONE]`, a JSON object once its last brace is there.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bedtime.llm import said
from bedtime.llm.messages import OPENS, Messages, Unreadable

MOST_TOKENS = 10_000_000  # no model has a window as long as this: more is nonsense, and nonsense is None
_CUT_TEXT = re.compile(r'"(?:content|text)"\s*+:\s*+"((?:[^"\\]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+)')


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer. `text` may be empty; tokens are None where the provider gave no number that can be believed.

    `refusal`: by the provider's refusal field, or a stop by its content filter; `text` is what it said instead, if
    nothing else. `gap`: of a part of it only some of the text could be read, or none. `model`: the one that it says told
    it.
    """

    text: str
    finish_reason: str | None
    tokens_in: int | None
    tokens_out: int | None
    refusal: bool
    gap: bool = False
    model: str | None = None


class Reader:
    """Reads a body as it arrives: the work grows with its bytes, and how they are split changes nothing."""

    def __init__(self) -> None:
        self.failed = False  # an error stood where the answer should have gone on
        self.error: object = None
        self.length = 0  # of the text so far
        self._messages = Messages()
        self._gap = False
        self._in_pieces = False  # whatever calls itself whole beside them says them once more (Perplexity's does)
        self._answered = False
        self._finish_reason: str | None = None
        self._model: str | None = None
        self._tokens: tuple[int | None, int | None] = (None, None)
        self._text: list[str] = []
        self._refusal: list[str] = []

    @property
    def done(self) -> bool:
        """Nothing more is to come."""
        return self._messages.done

    @property
    def text(self) -> str:
        """The text so far, cleaned: no NUL, no lone surrogate; half a character at its end waits for the other half."""
        text = "".join(self._text)
        self._text = [text]
        return _clean(text[:-1] if "\ud800" <= text[-1:] <= "\udbff" else text)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        for message in self._messages.feed(chunk):
            self._take(message)

    def end(self) -> Answer | None:
        """The answer if these bytes are a whole one, else None. Call it once, after the last `feed`."""
        for message in self._messages.end():
            self._take(message)
        if self.failed or not self._answered or not (self.done or self._finish_reason):
            return None
        return self._answer()

    def _answer(self) -> Answer:
        words = "".join(self._refusal)
        refusal = bool(words.strip()) or (self._finish_reason or "").casefold() == "content_filter"
        text = "".join(self._text) or words
        used = (None, None) if text and 0 in self._tokens else self._tokens  # no words come of nothing
        finish_reason = self._finish_reason and _clean(self._finish_reason)
        return Answer(_clean(text), finish_reason, *used, refusal, self._gap, self._model)

    def _take(self, message: object) -> None:
        if isinstance(message, Unreadable):
            return self._take_what_is_left(message)
        message = message[0] if isinstance(message, list) and message else message
        if not isinstance(message, dict):
            return None
        if self._finish_reason is None and (message.get("error") or message.get("object") == "error"):
            self.failed, self.error = True, message
        usage = message.get("usage")
        if isinstance(usage, dict):
            self._tokens = _used(usage)
        if isinstance(message.get("model"), str):
            self._model = message["model"]
        choices = message.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and not choice.get("index"):
                self._take_choice(choice)

    def _take_choice(self, choice: dict[str, object]) -> None:
        text, refusal = said.piece(choice)
        self._in_pieces = self._in_pieces or bool(text or refusal)
        if not self._in_pieces:
            text, refusal = said.whole(choice)
        self._tell(text)
        self._refusal.append(refusal)
        finish_reason = choice.get("finish_reason")
        if isinstance(finish_reason, str) and finish_reason:
            self.failed = self.failed or finish_reason == "error"
            self._finish_reason = finish_reason
        self._answered = True

    def _take_what_is_left(self, raw: bytes) -> None:
        """The text in what cannot be read. Nothing is missing if there was none in what is no message, or after the finish."""
        text = "".join(_cut_text(raw))
        self._gap = self._gap or bool(text) or (raw.startswith(OPENS) and self._finish_reason is None)
        self._tell(text)

    def _tell(self, text: str) -> None:
        self._text.append(text)
        self.length += len(text)


def read_answer(raw: bytes) -> Answer | None:
    """What the body of a 200 says, if it is whole; None if it isn't, or holds an error instead."""
    reader = Reader()
    reader.feed(raw)
    return reader.end()


def text_so_far(raw: bytes) -> str:
    """What text stands in the body of a 200, wherever it was cut; "" if none does."""
    reader = Reader()
    reader.feed(raw)
    reader.end()
    return reader.text


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
