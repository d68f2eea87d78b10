"""What the provider of the tests can answer: one mode, one reply."""

import base64
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from provider_story import story

FREE = (400, 401, 402, 403, 404, 413, 415, 422, 429)
_USAGE = {"prompt_tokens": 612, "completion_tokens": 655, "total_tokens": 1267}
_HTML = b"<!doctype html><html><title>Bad gateway</title><body><h1>502</h1></body></html>"
_ERRORS: dict[str, object] = {
    "openai": {
        "error": {"message": "The provider said no.", "type": "invalid_request_error", "param": None, "code": None}
    },
    "lm_studio": {"error": "The provider said no."},
    "gemini": [{"error": {"code": 400, "message": "The provider said no.", "status": "INVALID_ARGUMENT"}}],
    "old_vllm": {"object": "error", "message": "The provider said no.", "type": "BadRequestError", "code": 400},
    "quota": {
        "error": {
            "message": "You exceeded your current quota.",
            "type": "insufficient_quota",
            "code": "insufficient_quota",
        }
    },
    "content_filter": {"error": {"message": "The prompt was filtered.", "code": "content_filter", "status": 400}},
}
_WAITS = {"date": "Fri, 06 Nov 2099 08:50:07 GMT", "past": "Sun, 06 Nov 1994 08:49:37 GMT"}


@dataclass(frozen=True)
class Reply:
    """How one request is answered; `status` None: not at all. `wait` and `pace` are seconds, before all and each."""

    status: int | None = 200
    headers: tuple[tuple[str, str], ...] = ()
    pieces: Sequence[bytes] = ()
    framing: str = "length"  # length, chunked, close
    end: str = "whole"  # whole, cut, reset, silence
    hang_at: int | None = None  # until released: before this piece; -1 before the status line
    drips: bytes = (
        b""  # one letter now and then, for ever, after the head and the pieces; without a status, instead of them
    )
    wait: float = 0.0
    pace: float = 0.0
    bill: bool | None = None
    interim: Sequence[int] = ()  # statuses that are said before the answer

    @property
    def billed(self) -> bool:
        return self.status not in FREE if self.bill is None else self.bill


def reads(mode: str) -> float:
    """Which part of the request's body is read before anything happens."""
    return {"reset_before": 0.0, "reset_in_request": 0.5}.get(mode.partition("@")[0], 1.0)


def reply(mode: str, body: bytes, elsewhere: str) -> Reply:
    """The reply of `name[:argument[:argument]][@seconds]` to a request; `elsewhere` is another server's URL."""
    name, _, pace = mode.partition("@")
    name, *arguments = name.split(":")
    text = story(body)
    if name == "redirect":
        return Reply(307, (("Location", f"{elsewhere}/v1/chat/completions"),))
    made = _WITH_ARGUMENTS[name](*arguments) if name in _WITH_ARGUMENTS else _MODES[name](text)
    if not pace:
        return made
    return replace(made, wait=float(pace)) if name == "slow_first_byte" else replace(made, pace=float(pace))


def event(delta: object, *, finish: str | None = None, ascii_only: bool = False, **more: object) -> bytes:
    chunk = {"id": "c1", "object": "chat.completion.chunk", "model": "test", **more}
    chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return b"data: " + json.dumps(chunk, ensure_ascii=ascii_only).encode() + b"\n\n"


def stream(
    text: str, *, finish: str | None = "stop", usage: object = _USAGE, done: bool = True, ascii_only: bool = False
) -> list[bytes]:
    """`text` as events, three words each, as OpenAI sends it."""
    pieces = [event({"role": "assistant", "content": ""})]
    for words in re.findall(r"(?:\S+\s*){1,3}", text):
        pieces.append(event({"content": words}, ascii_only=ascii_only))
    if finish:
        pieces.append(event({}, finish=finish))
    if usage:
        pieces.append(b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n\n")
    return [*pieces, b"data: [DONE]\n\n"] if done else pieces


def whole(message: object, *, finish: str = "stop", usage: object = _USAGE) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return json.dumps({"id": "c1", "object": "chat.completion", "choices": [choice], "usage": usage}).encode()


def _chunked(pieces: Sequence[bytes], **more: object) -> Reply:
    return replace(Reply(200, (("Content-Type", "text/event-stream"),), pieces, "chunked"), **more)  # type: ignore[arg-type]


def _json(body: bytes, **more: object) -> Reply:
    return replace(Reply(200, (("Content-Type", "application/json"),), [body]), **more)  # type: ignore[arg-type]


def _limited(kind: str = "") -> Reply:
    body = json.dumps(_ERRORS["quota" if kind == "quota" else "openai"]).encode()
    wait = _WAITS.get(kind, kind)
    return Reply(429, () if kind in ("", "quota") else (("Retry-After", wait),), [body])


def _status(status: str, shape: str = "openai") -> Reply:
    body = _HTML if shape == "html" else json.dumps(_ERRORS[shape]).encode()
    return Reply(int(status), (), [body], bill=True if shape == "content_filter" else None)


def _half(pieces: Sequence[bytes]) -> Sequence[bytes]:
    return pieces[: len(pieces) // 2]


def _in_bytes(pieces: Sequence[bytes], size: int) -> list[bytes]:
    body = b"".join(pieces)
    return [body[start : start + size] for start in range(0, len(body), size)]


def _as_object(text: str) -> str:
    title, *paragraphs = text.partition("\n\n***")[0].split("\n\n")
    return json.dumps({"title": title, "paragraphs": paragraphs, "recap": "A lamp was slow.", "cast": "A lamp."})


def _as_one_string(text: str) -> str:
    """What stands between the paragraphs is a letter here: `\\n\\nOttoline`."""
    title, _, story = text.partition("\n\n***")[0].partition("\n\n")
    return json.dumps({"title": title, "story": story})


def _crlf(text: str) -> Reply:
    pieces = [b": keep-alive\n\nevent: message\n" + piece for piece in stream(text)]
    return _chunked([piece.replace(b"\n", b"\r\n") for piece in pieces])


def _error_in_the_middle(text: str) -> Reply:
    failed = event({"content": ""}, finish="error", error={"code": 502, "message": "Provider disconnected"})
    return _chunked([*_half(stream(text)), failed, b"data: [DONE]\n\n"])


def _reasoned(text: str) -> Reply:
    thoughts = [event({"reasoning_content": "A lamp? "}), event({"reasoning": "Yes, a lamp.", "content": None})]
    return _chunked([*thoughts, *stream(text)])


def _parts(text: str) -> Reply:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "A lamp?"}]}
    return _json(whole({"role": "assistant", "content": [thinking, {"type": "text", "text": text}]}))


def _empty_refusals(text: str) -> Reply:
    return _chunked([piece.replace(b'"content":', b'"refusal": "", "content":') for piece in stream(text)])


def _empty_delta(text: str) -> Reply:
    delta = b'"delta": {"role": "assistant", "content": ""}, "message":'
    return _json(whole({"role": "assistant", "content": text}).replace(b'"message":', delta))


def _message_beside(text: str) -> Reply:
    """As Perplexity has it: beside each piece, and once more without one, all that was said so far."""
    pieces = re.findall(r"(?:\S+\s*){1,90}", text)
    beside = [{"index": 0, "message": {"content": "".join(pieces[: end + 1])}} for end in range(len(pieces))]
    choices = [one | {"delta": {"content": piece}} for one, piece in zip(beside, pieces, strict=True)]
    choices.append(beside[-1] | {"delta": {"content": ""}, "finish_reason": "stop"})
    return _chunked([b"data: " + json.dumps({"choices": [one], "usage": _USAGE}).encode() + b"\n\n" for one in choices])


def _over_lines(text: str, mark: bytes) -> Reply:
    """Each event over many lines, every one but the first with this mark."""
    whole_lines = [json.dumps(json.loads(piece[6:]), indent=1).encode() for piece in stream(text, done=False)]
    return _chunked(
        [*(b"data: " + lines.replace(b"\n", b"\n" + mark) + b"\n\n" for lines in whole_lines), b"data: [DONE]\n"]
    )


def _bad_escape(text: str) -> Reply:
    """One event more in the middle, and it is no JSON."""
    start = text.index("found")
    broken = event({"content": "The fox can't sleep. "}).replace(b"'", b"\\'")
    return _chunked([*stream(text[:start], finish=None, usage=None, done=False), broken, *stream(text[start:])])


def _told(text: str) -> Reply:
    """`text:BASE64`: a story of the test's own."""
    return _chunked(stream(base64.urlsafe_b64decode(text).decode()))


def _told_by(model: str) -> Reply:
    """`told_by:MODEL`: a story by another model than was asked for."""
    pieces = stream("A lamp\n\nIt shone and shone.\n\nThen it closed its eye.")
    return _chunked([piece.replace(b'"model": "test"', b'"model": "%s"' % model.encode()) for piece in pieces])


_WITH_ARGUMENTS: dict[str, Callable[..., Reply]] = {
    "429": _limited,
    "status": _status,
    "text": _told,
    "told_by": _told_by,
}
_MODES: dict[str, Callable[[str], Reply]] = {
    "ok": lambda text: _chunked(stream(text)),
    "ok_json": lambda text: _json(whole({"role": "assistant", "content": text})),
    "content_parts": _parts,
    "empty_refusals": _empty_refusals,
    "empty_delta": _empty_delta,
    "message_beside": _message_beside,
    "split_events": lambda text: _over_lines(text, b"data:"),
    "marked_once": lambda text: _over_lines(text, b""),
    "not_parted": lambda text: _chunked([piece.replace(b"\n\n", b"\n") for piece in stream(text)]),
    "bad_escape": _bad_escape,
    "slow_first_byte": lambda text: _chunked(stream(text), wait=1.0),
    "early_hints": lambda text: _chunked(stream(text), interim=(103, 100, 102, 103)),
    "only_hints": lambda text: Reply(None, drips=b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000),
    "hang": lambda text: _chunked(stream(text), hang_at=-1),
    "hang_mid": lambda text: _chunked(stream(text), hang_at=len(stream(text)) // 2),
    "timeout": lambda text: Reply(None, end="silence"),
    "drip": lambda text: _chunked(_in_bytes(stream(text), 1), pace=0.05),
    "drip_headers": lambda text: Reply(None, drips=b"HTTP/1.1 200 OK\r\nX-Slow: "),
    "drip_framing": lambda text: _chunked(_half(stream(text)), drips=b"0"),
    "reset_before": lambda text: Reply(None, end="reset"),
    "reset_in_request": lambda text: Reply(None, end="reset"),
    "reset_after_read": lambda text: Reply(None, end="reset"),
    "reset_in": lambda text: _chunked(_half(stream(text)), end="reset"),
    "reset_after": lambda text: _chunked(stream(text), end="reset"),
    "empty200": lambda text: _json(b""),
    "cut_json": lambda text: _json(whole({"role": "assistant", "content": text})[:1500], framing="close"),
    "cut_stream": lambda text: _chunked(_half(stream(text)), framing="close"),
    "cut_length": lambda text: _json(whole({"role": "assistant", "content": text}), end="cut"),
    "html200": lambda text: Reply(200, (("Content-Type", "text/html"),), [_HTML]),
    "text200": lambda text: Reply(200, (("Content-Type", "text/plain"),), [text.encode()]),
    "other_json": lambda text: _json(json.dumps({"model": "m", "message": {"role": "a", "content": [text]}}).encode()),
    "error200": _error_in_the_middle,
    "error200_json": lambda text: _json(json.dumps(_ERRORS["openai"]).encode()),
    "huge": lambda text: _chunked([event({"content": "and so on " * 1600})] * 640),
    "bad_utf8": lambda text: _chunked([piece.replace(b"lamp", b"la\xffmp") for piece in stream(text)]),
    "surrogate": lambda text: _chunked(stream(text.replace("lamp", "la\ud83dmp"), ascii_only=True)),
    "nul": lambda text: _chunked(stream(text.replace("lamp", "la\0mp"))),
    "refusal": lambda text: _chunked([event({"content": None, "refusal": "I cannot help with that."}), *stream("")]),
    "refusal_text": lambda text: _chunked(stream("I'm sorry, but I can't help with that request.")),
    "null_content": lambda text: _chunked([event({"role": "assistant", "content": None}), *stream("")]),
    "finish_length": lambda text: _chunked(stream(text[: len(text) // 2], finish="length")),
    "finish_content_filter": lambda text: _chunked(stream(text[: len(text) // 2], finish="content_filter")),
    "finish_unknown": lambda text: _chunked(stream(text, finish="bored")),
    "reasoning_beside": _reasoned,
    "think_inside": lambda text: _chunked(stream(f"<think>\nA lamp? Yes, a lamp.\n</think>\n\n{text}")),
    "fenced": lambda text: _chunked(stream(f"```text\n{text}\n```")),
    "no_title": lambda text: _chunked(stream(text.partition("\n\n")[2])),
    "no_trailer": lambda text: _chunked(stream(text.partition("\n\n***")[0])),
    "json_text": lambda text: _chunked(stream(_as_object(text))),
    "json_story": lambda text: _chunked(stream(_as_one_string(text))),
    "usage_missing": lambda text: _chunked(stream(text, usage=None)),
    "usage_negative": lambda text: _chunked(stream(text, usage={"prompt_tokens": -5, "completion_tokens": -1})),
    "usage_absurd": lambda text: _chunked(stream(text, usage={"prompt_tokens": 10**30, "completion_tokens": "many"})),
    "usage_zero": lambda text: _chunked(stream(text, usage={"prompt_tokens": 0, "completion_tokens": 0})),
    "usage_thinking": lambda text: _chunked(
        stream(text, usage={"prompt_tokens": 612, "completion_tokens": 1, "total_tokens": 1267})
    ),
    "no_done": lambda text: _chunked(stream(text, done=False)),
    "crlf_comments": _crlf,
    "split_utf8": lambda text: _chunked(_in_bytes(stream(text.replace("lamp", "lámpara 💡")), 7)),
}
MODES = tuple(_MODES)
