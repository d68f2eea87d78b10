"""What a provider says about an error is passed on in one short line, and never what it was sent."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedtime.errors import Refused
from bedtime.llm.outcome import outcome, retry_after, with_words

KEY = "sk-canary-7f3a9-Zq81"
PROMPT = ("You tell quiet stories.", "The wish: a shy dragon\nwho is called Ottoline")


def said(message: str) -> str:
    body = json.dumps({"error": {"message": message}}).encode()
    return str(outcome("story.home", 422, {}, body, private=(KEY, *PROMPT)))


def test_a_message_is_one_short_line() -> None:
    assert said("too\r\nlong\t: \x07 4096\x00 tokens") == "story.home answered 422: too long : 4096 tokens"
    assert len(said("far " * 1000)) < 250


@pytest.mark.parametrize("form", [KEY, f"'{KEY}'", "sk-can*********Zq81", f"Bearer:{KEY}.", KEY[:8], "…Zq81"])
def test_a_key_that_is_repeated_is_left_out(form: str) -> None:
    message = said(f"Incorrect API key provided: {form} at the door")
    assert message == "story.home answered 422: Incorrect API key provided: … at the door"


def test_a_short_key_is_left_out_as_well() -> None:
    assert with_words("no", b'{"message": "bad key ollama here"}', private=("ollama",)) == "no: bad key … here"


@pytest.mark.parametrize(
    "echo",
    [
        "Invalid input: 'a shy dragon who'",
        'Input: {"content": "The wish: a shy dragon\\nwho is called Ottoline"}',
        "A SHY, DRAGON",
        "Ottoline",
    ],
)
def test_a_message_that_repeats_the_prompt_is_left_out(echo: str) -> None:
    assert said(echo) == "story.home answered 422"


@given(st.text())
def test_whatever_is_said_makes_one_short_line(message: str) -> None:
    line = said(message)
    assert len(line.splitlines()) == 1 and len(line) <= 250
    assert line.isprintable()


@given(st.binary())
def test_any_error_body_makes_an_outcome(body: bytes) -> None:
    assert isinstance(outcome("story.home", 400, {}, body, private=(KEY, *PROMPT)), Refused)


@given(st.text())
def test_any_retry_after_is_seconds_from_zero_or_nothing(value: str) -> None:
    for date in ("", value, "Sun, 06 Nov 1994 08:49:37 GMT"):
        wait = retry_after({"Retry-After": value, "Date": date})
        assert wait is None or 0 <= wait <= 1_000_000_000


def test_a_date_counts_from_the_date_of_the_answer() -> None:
    headers = {"Retry-After": "Sun, 06 Nov 1994 08:51:07 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"}
    assert retry_after(headers) == 90
    assert retry_after({"Retry-After": headers["Retry-After"]}) is None
    assert retry_after({"Retry-After": "9" * 400}) == 1_000_000_000
