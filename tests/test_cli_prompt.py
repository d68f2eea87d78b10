"""`flask prompt`: exactly what would leave the house for a wish, before anybody asks."""

import json
import re
from collections.abc import Callable

from provider import Provider
from running import Running
from terminal import flask, said

MIA = ("--child", "Mia:4-5:she", "--minutes", "3")


def test_prompt_shows_exactly_what_is_sent(paid: Callable[..., Running], provider: Provider) -> None:
    house = paid()
    wish = (
        "-c",
        "Mia:4-5:she",
        "-c",
        "Theo:6-7:he",
        "--idea",
        "Theo and a lamp",
        "--today",
        "Mia lost a tooth",
        "-m",
        "4",
    )
    for _ in range(2):  # new children, then known ones who have heard a story
        shown = json.loads(said(flask(house, "prompt", *wish, "--json"), 0))
        requests = house.rows("SELECT id FROM story_requests")
        said(flask(house, "ask", *wish), 0)
        sent = provider.requests()[-1]["json"]
        assert [message["content"] for message in sent["messages"]] == [shown["system"], shown["user"]]
        assert (sent["model"], sent["max_tokens"]) == (shown["model"], shown["max_tokens"])
        assert len(house.rows("SELECT id FROM story_requests")) == len(requests) + 1
    assert not re.search(r"\b(Mia|Theo)\b", shown["system"] + shown["user"])


def test_prompt_writes_nothing_and_sends_nothing(paid: Callable[..., Running], provider: Provider) -> None:
    house = paid()
    text = said(flask(house, "prompt", *MIA, "--idea", "a lamp for Mia"), 0)
    assert "--- system ---" in text and "--- user ---" in text and "at most $" in text
    assert "Mia" not in text
    assert provider.requests() == []
    for table in ("children", "story_requests", "jobs", "casts", "calls"):
        assert house.rows(f"SELECT 1 FROM {table}") == []


def test_prompt_says_that_the_book_sends_nothing(household: Callable[..., Running]) -> None:
    assert "nothing leaves the house" in said(flask(household(), "prompt", *MIA), 0)
