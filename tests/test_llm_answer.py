"""What the bytes of a body say: however they are split, whole only with its mark, and harmless whatever they are."""

import itertools
import json

import pytest
from growth import times_dearer
from hypothesis import given, settings
from hypothesis import strategies as st
from provider_modes import event, stream, whole

from bedtime.llm import Answer, read_answer, text_of_another_shape, text_so_far
from bedtime.llm.answer import Reader

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60)
DONE = b"data: [DONE]\n\n"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "delta", "message", "content", "type", "text", "refusal", "error", "usage"]),
            inner,
        )
    ),
    max_leaves=12,
)


def body_of(text: str, *, crlf: bool = False, done: bool = True) -> bytes:
    body = b"".join(stream(text, done=done))
    return body.replace(b"\n", b"\r\n") if crlf else body


def delta(text: str) -> bytes:
    return event({"content": text})


@given(TEXT, st.booleans(), st.booleans(), st.lists(st.integers(0, 2000)))
def test_how_a_body_is_split_changes_nothing(text: str, crlf: bool, streamed: bool, cuts: list[int]) -> None:
    body = body_of(text, crlf=crlf) if streamed else whole({"content": text})
    reader = Reader()
    places = [0, *sorted(cuts), len(body)]
    for start, end in itertools.pairwise(places):
        reader.feed(body[start:end])
    assert reader.end() == read_answer(body)


@settings(max_examples=20)
@given(TEXT)
def test_a_part_of_a_body_is_an_answer_only_if_it_holds_the_mark(text: str) -> None:
    for body, mark in ((body_of(text), b'"finish_reason": "stop"}]}'), (whole({"content": text}), b"}}")):
        end = body.index(mark) + len(mark) if mark != b"}}" else len(body)
        for cut in range(len(body)):
            assert (read_answer(body[:cut]) is not None) is (cut >= end), body[:cut]


@settings(max_examples=20)
@given(TEXT)
def test_the_text_of_a_part_is_the_beginning_of_the_text(text: str) -> None:
    for body in (body_of(text), whole({"content": text})):
        full = text_so_far(body)
        for cut in range(len(body)):
            assert full.startswith(text_so_far(body[:cut]))


@given(
    st.binary()
    | st.lists(st.sampled_from([b"data:", b"\r", b"\n", b"{", b'"content":"', b"\\ud83d", b"\xff", DONE])).map(b"".join)
)
def test_any_bytes_are_read_without_harm(raw: bytes) -> None:
    answer = read_answer(raw)
    for text in (text_so_far(raw), answer.text if answer else ""):
        assert "\0" not in text
        text.encode()


@given(JSON)
def test_any_object_is_read_without_harm(message: object) -> None:
    raw = json.dumps(message).encode()
    for body in (raw, b"data: " + raw, b"data: " + json.dumps({"choices": [message]}).encode() + b"\n" + DONE):
        read_answer(body)
        text_so_far(body)
        text_of_another_shape(body)


def test_a_flood_of_small_pieces_takes_time_by_its_length_only() -> None:
    def stream_of(words: int) -> None:
        body, reader = body_of("so on and on " * words), Reader()
        for start in range(0, len(body), 16):
            reader.feed(body[start : start + 16])
        assert reader.end() is not None

    def never_ends(pieces: int) -> None:
        reader = Reader()
        for _ in range(pieces):
            reader.feed(b'{"content": "and')
        assert reader.end() is None

    assert times_dearer(stream_of, 12_800) < 8
    assert times_dearer(never_ends, 64_000) < 8


@pytest.mark.parametrize(
    "body", [b"", b"\0" * 9000, b"[" * 9000, b'{"a":' * 9000, b"\xff" * 9000, b"<p>" + b"word " * 99, b"word " * 49]
)
def test_what_is_no_text_of_fifty_words_is_none(body: bytes) -> None:
    assert text_of_another_shape(body) == ""


@pytest.mark.parametrize(
    "body",
    [b"word " * 50, b'{"a": [{"b": "' + b"word " * 50, b'["", {"b": "' + b"word " * 50 + b'"}, 5]', b"\xffa " * 50],
)
def test_the_longest_text_in_whatever_it_is(body: bytes) -> None:
    assert len(text_of_another_shape(body).split()) >= 50


def test_halves_of_a_character_in_two_pieces_are_joined() -> None:
    first, second = event({"content": "A \ud83c"}, ascii_only=True), event({"content": "\udf19"}, ascii_only=True)
    assert text_so_far(first) == "A "
    assert text_so_far(first + second) == "A 🌙"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        DONE,
        b": keep-alive\n\n" + DONE,
        b"{}",
        b"[]",
        b"null",
        b'{"choices": []}',
        b'{"choices": [{"message": {"content": "x"}}], "error": {"message": "late"}}',
        b'{"object": "error", "message": "no", "choices": [{}]}',
        b"[" * 100_000,
        delta("Once") + b'data: {"error": "gone"}\n\n' + event({}, finish="stop") + DONE,
        delta("Once") + event({"content": ""}, finish="error") + DONE,
        delta("Once"),
        b"<html>data: [DONE]</html>",
    ],
)
def test_what_is_no_whole_answer_is_none(body: bytes) -> None:
    assert read_answer(body) is None


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (delta("Once") + DONE, "Once"),
        (delta("Once") + b"data: [DONE]", "Once"),
        (delta("Once").replace(b"\n\n", b"\r") + DONE, "Once"),
        (b"\xef\xbb\xbf" + delta("Once") + DONE, "Once"),
        (delta("Once") + b"data: {broken\n\n" + delta(" upon") + DONE, "Once upon"),
        (delta("Once") + DONE + delta(" more"), "Once"),
        (event({}, error=None) + delta("Once") + DONE, "Once"),
        (delta("Once") + event({}, finish="stop") + b'data: {"error": "too late to matter"}\n\n', "Once"),
        (event({"content": [{"type": "text", "text": "On"}, "ce"]}) + DONE, "Once"),
        (
            b'data: {"choices": [{"index": 1, "delta": {"content": "not"}}, {"delta": {"content": "Once"}}]}\n' + DONE,
            "Once",
        ),
        (b'\n \n{"choices": [\n{"message":\r\n{"content": "Once"}}]}\n', "Once"),
        (b'[{"choices": [{"message": {"content": "Once"}}]}]', "Once"),
        (b'{"choices": [{"message": {"content": "a\ttab\x07"}}]}', "a\ttab\x07"),
        (b'{"choices": [{"message": null}]}', ""),
        (b'{"choices": [{"delta": null, "message": {"content": "Once"}}]}', "Once"),
        (b'{"choices": [{"delta": {"content": []}, "message": {"content": "Once"}}]}', "Once"),
        (b'{"choices": [{"delta": {"content": "Once"}, "message": {"content": null}}]}', "Once"),
        (b'{"choices": [{"delta": {"content": ""}, "message": "Once", "text": ""}]}', "Once"),
        (b'{"choices": [{"message": {"content": null}, "text": "Once"}]}', "Once"),
        (b'{"choices": [{"message": {"content": [{"type": null, "text": "Once"}]}}]}', "Once"),
    ],
)
def test_what_is_whole_is_read(body: bytes, text: str) -> None:
    answer = read_answer(body)
    assert answer is not None and answer.text == text


def test_the_text_of_a_cut_object_ends_where_it_was_cut() -> None:
    body = whole({"role": "assistant", "content": 'A "lamp"\nand a lámpara.'})
    assert text_so_far(body[: body.index(b"mpara")]) == 'A "lamp"\nand a lá'
    assert text_so_far(body[: body.index(b'lamp\\"') + 5]) == 'A "lamp'
    assert text_so_far(body[: body.index(b'"A ')]) == ""


def test_an_answer_says_all_that_it_knows() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": True}
    body = whole({"content": None, "refusal": "No."}, finish="Content_Filter", usage=usage)
    assert read_answer(body) == Answer("No.", "Content_Filter", 3, None, refusal=True)


@pytest.mark.parametrize(
    ("refusals", "refused"),
    [(["", ""], False), ([[], " "], False), ([None, ""], False), (["", "I", " ", "cannot."], True)],
)
def test_only_a_refusal_with_a_word_in_it_is_one(refusals: list[object], refused: bool) -> None:
    answer = read_answer(b"".join(event({"content": "Once", "refusal": refusal}) for refusal in refusals) + DONE)
    assert answer and (answer.text, answer.refusal) == ("Once" * len(refusals), refused)


@pytest.mark.parametrize(
    ("usage", "used"),
    [
        ({"prompt_tokens": 20, "completion_tokens": 198, "total_tokens": 623}, (20, 603)),
        ({"prompt_tokens": 20, "completion_tokens": 198, "total_tokens": 218}, (20, 198)),
        ({"prompt_tokens": 20, "completion_tokens": 198, "total_tokens": 20}, (20, 198)),
        ({"prompt_tokens": 20, "completion_tokens": 198, "total_tokens": "many"}, (20, 198)),
        ({"prompt_tokens": 21, "completion_tokens": 0, "total_tokens": 81}, (21, 60)),
        ({"prompt_tokens": 21, "completion_tokens": 0, "total_tokens": 21}, (None, None)),
        ({"prompt_tokens": 0, "completion_tokens": 198, "total_tokens": 198}, (None, None)),
    ],
)
def test_what_was_thought_counts_as_used_and_nothing_does_not(
    usage: dict[str, object], used: tuple[int | None, int | None]
) -> None:
    answer = read_answer(whole({"content": "A lamp."}, usage=usage))
    assert answer and (answer.tokens_in, answer.tokens_out) == used


def test_an_empty_answer_may_have_used_nothing() -> None:
    answer = read_answer(whole({"content": None}, usage={"prompt_tokens": 21, "completion_tokens": 0}))
    assert answer and (answer.tokens_in, answer.tokens_out) == (21, 0)
