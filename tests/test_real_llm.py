"""A real language model behind a real server: told when it comes up, kept without loss, paid by its own count; a wrong key."""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from real_llm import KEY, MODEL, RealModel
from running import Running, eventually

from bedtime import llm

PRICE_IN, PRICE_OUT = 1, 4
MOST_TOKENS = 100
PATIENCE = 240.0  # it shares its cores with other tests


@pytest.fixture(scope="module")
def model() -> Iterator[RealModel]:
    """One for all tests, so that it reads the long half of the prompt once; a test starts it when it wants it up."""
    model = RealModel()
    yield model
    model.stop()


@pytest.fixture
def house(household: Callable[..., Running], model: RealModel) -> Callable[..., Running]:
    """Makes houses whose stories come from the real model, at a price."""

    def make(**more: object) -> Running:
        settings = {
            "llm_url": model.url,
            "llm_model": MODEL,
            "llm_key": KEY,
            "llm_max_tokens": MOST_TOKENS,
            "llm_first_byte_seconds": PATIENCE,
            "price_in": PRICE_IN,
            "price_out": PRICE_OUT,
        }
        return household("house", **{**settings, **more})

    return make


def page(house: Running, path: str) -> str:
    answer = house.get(path, headers={"Accept": "text/html"})
    assert answer.status_code == 200
    return html.unescape(answer.text).replace("’", "'")


def call_of(house: Running, job_id: int) -> dict[str, Any]:
    [call] = house.rows("SELECT * FROM calls WHERE job_id = ? AND status <> 'refused'", job_id)
    return call


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))


def told(house: Running, job_id: int) -> dict[str, Any]:
    job = house.ended(job_id, seconds=PATIENCE)
    assert job["status"] == "completed", job
    return dict(house.get(job["story_url"]).json())


def test_a_server_that_is_down_is_waited_for_and_the_story_is_told_when_it_comes_up(
    house: Callable[..., Running], model: RealModel
) -> None:
    model.stop()
    home = house()
    job_id = home.asked()
    eventually(lambda: "storyteller can't be reached" in page(home, f"/stories/jobs/{job_id}"), what="the words")
    job = home.job(job_id)
    assert (job["status"], job["error_code"], job["cost_micros"]) == ("pending", None, None)
    assert home.get("/healthz").json()["paused"] == {}
    home.post("/queues/stories/pause")  # while it loads its model it answers 503, and what a 503 cost nobody knows
    model.start()
    home.post("/queues/stories/resume")
    assert told(home, job_id)["paragraphs"]
    [row] = home.rows("SELECT failures, attempts FROM jobs WHERE id = ?", job_id)
    assert row["failures"] == 0 and row["attempts"] >= 2


def test_a_real_model_tells_a_story_that_ends_on_the_shelf_with_its_tokens_in_the_ledger_and_no_word_lost(
    house: Callable[..., Running], model: RealModel
) -> None:
    model.start()
    home = house()
    job_id = home.asked(idea="a shy dragon who is afraid of his own sneeze")
    story, call = told(home, job_id), call_of(home, job_id)
    assert story["told_by"] == MODEL and story["title"] and "{child" not in str(story)
    assert story["title"] in page(home, "/stories")

    assert call["status"] == "settled" and call["tokens_in"] > 500 and 0 < call["tokens_out"] <= MOST_TOKENS
    assert call["spent_micros"] == call["tokens_in"] * PRICE_IN + call["tokens_out"] * PRICE_OUT
    assert call["spent_micros"] == home.job(job_id)["cost_micros"] <= call["reserved_micros"]
    check_that_no_word_is_lost(home, call)


def check_that_no_word_is_lost(home: Running, call: dict[str, Any]) -> None:
    answer = llm.read_answer(call["raw"])
    assert answer and words(answer.text) and call["finish_reason"] == answer.finish_reason
    [kept] = home.rows("SELECT * FROM stories WHERE job_id = ?", call["job_id"])
    [cast] = home.rows("SELECT * FROM casts")
    everything = "\n".join(kept[part] for part in ("title", "text", "recap", "cast_text"))
    greeting, _, _ = answer.text.strip().partition("\n")  # a model likes to say what comes; a title ends with no colon
    missing = words(answer.text) - words(everything.replace("{child:1}", cast["stand_in"]))
    missing -= words(greeting) if greeting.rstrip("*_ ").endswith(":") else Counter()
    assert set(missing) <= {"title", "recap", "cast", "story", "the", "of"}, "only labels may go"
    assert ("cut_short" in kept["flags"]) == (answer.finish_reason == "length")


def test_a_wrong_key_pauses_the_queue_with_words_for_it_and_the_right_one_tells_what_waited(
    house: Callable[..., Running], model: RealModel
) -> None:
    model.start()
    home = house(llm_key="not-the-key")
    job_id = home.asked()
    eventually(lambda: home.get("/healthz").json()["paused"].get("stories") == "key", what="the pause")
    for path in ("/", f"/stories/jobs/{job_id}"):
        seen = page(home, path)
        assert "does not accept our key" in seen and "BEDTIME_LLM_KEY" in seen and "Resume" in seen
    assert home.job(job_id)["status"] == "pending" and home.job(job_id)["cost_micros"] is None
    assert "not-the-key" not in home.log.read_text()

    home.kill()
    home.start(llm_key=KEY)
    assert home.post("/queues/stories/resume").status_code == 303
    assert told(home, job_id)["paragraphs"]
