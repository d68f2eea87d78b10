"""Where one event of a stream ends and the next begins; and that nothing which cannot be read is passed over in silence."""

import itertools
import json

import pytest
from growth import times_dearer
from hypothesis import given
from hypothesis import strategies as st
from provider_modes import event, stream

from bedtime.llm import Answer, read_answer, text_so_far
from bedtime.llm.answer import Reader

DONE = b"data: [DONE]\n"
BROKEN = b'data: {"choices": [{"delta": {"content": "The fox can\\\'t"}}]}\n\n'
ONCE, UPON = event({"content": "Once"}), event({"content": " upon"})


def over_lines(events: list[bytes], mark: str, indent: int | None) -> list[str]:
    """The lines of these events, each spread over many, with an empty one after it."""
    texts = [json.dumps(json.loads(one[6:]), indent=indent) for one in events]
    return [line for text in texts for line in (*(mark + line for line in text.split("\n")), "")]


def read(body: bytes) -> Answer:
    answer = read_answer(body)
    assert answer is not None
    return answer


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["data: ", "data:"]),
    st.sampled_from([None, 0, 1]),
    st.sampled_from([[], ["data: [DONE]"], ["data:[DONE]", ""]]),
    st.lists(st.integers(0, 3000)),
)
def test_an_event_is_all_its_lines_however_they_end_and_wherever_they_are_cut(
    text: str, end: str, mark: str, indent: int | None, done: list[str], cuts: list[int]
) -> None:
    lines = over_lines(stream(text, done=False), mark, indent)
    body = end.join([": keep-alive", "", *lines[: None if done else -1], *done]).encode()
    reader = Reader()
    for start, stop in itertools.pairwise([0, *sorted(cuts), len(body)]):
        reader.feed(body[start:stop])
    assert reader.end() == read(b"".join(stream(text)))


def test_a_line_that_is_an_event_is_told_at_once_and_one_that_is_not_when_it_is_whole() -> None:
    reader = Reader()
    reader.feed(ONCE.rstrip() + b"\n")
    assert reader.text == "Once"
    head, tail = UPON.rstrip().split(b'"delta"')
    reader.feed(head + b'\ndata: "delta"' + tail + b"\n")
    assert reader.text == "Once"
    reader.feed(b"\n")
    assert reader.text == "Once upon"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (ONCE + BROKEN + UPON + DONE, "OnceThe fox can upon"),
        (ONCE + b"data: {broken\n\n" + UPON + DONE, "Once upon"),
        (ONCE + b"data: {broken\n" + UPON.replace(b"\n\n", b"\n") + DONE, "Once upon"),
        (ONCE + BROKEN.replace(b"\n\n", b"\n") + UPON + DONE, "OnceThe fox can upon"),
        (ONCE + b'data: {"choices": [\ndata: {"delta": {"content": " up\ndata: on"}}\n\n' + DONE, "Once up"),
        (ONCE + BROKEN.rstrip() + b"\n" + DONE, "OnceThe fox can"),
        (ONCE + event({}, finish="stop") + BROKEN.rstrip(), "OnceThe fox can"),
    ],
)
def test_of_what_cannot_be_read_the_text_is_taken_and_the_answer_says_so(body: bytes, text: str) -> None:
    answer = read(body)
    assert (answer.text, answer.gap) == (text, True)
    assert text_so_far(body) == text


@pytest.mark.parametrize(
    "body",
    [
        ONCE + b"data:\n\ndata\n\nretry: 5\nevent: ping\ndata: {}\n\n: so it goes\n" + UPON + DONE,
        ONCE + b"data: ping\n\n" + UPON + DONE,
        ONCE.replace(b"\n\n", b"\n") + b"data: still here\n" + UPON + DONE,
        ONCE + UPON + event({}, finish="stop") + b'data: {"choices": [], "usa',
        b'data: {"choices": [{"delta": {"content": "Once\n upon"}}]}\n'.replace(b"\n ", b" ") + DONE,
    ],
)
def test_what_is_no_part_of_the_answer_leaves_no_gap(body: bytes) -> None:
    assert (read(body).text, read(body).gap) == ("Once upon", False)


def test_a_letter_that_should_have_been_escaped_breaks_no_event() -> None:
    for body in (b'data: {"choices": [{"delta": {"content": "Once\n%bupon"}}]}\n' % mark for mark in (b"", b"data: ")):
        assert (read(body + DONE).text, read(body + DONE).gap) == ("Once\nupon", False)


def test_a_flood_of_lines_that_make_no_event_takes_time_by_its_length_only() -> None:
    def never_ends(lines: int) -> None:
        reader = Reader()
        for _ in range(lines):
            reader.feed(b'data: {"content":\n')
        assert reader.end() is None

    assert times_dearer(never_ends, 64_000) < 8
