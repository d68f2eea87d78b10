"""Every fault of a provider through the running product: job, queue, call, money, kept text, and what the family reads."""

import html
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import paid_settings
from outcome_table import OUTCOMES, SLOW, Outcome
from provider import Provider
from provider_modes import MODES
from running import MIA, Running, eventually

from bedtime import llm


class Desk:
    """One house and its provider, used by many rows: each row leaves it able to tell the next story."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.provider = Provider(folder / "bills.jsonl").start()
        self.house = Running(folder / "house", **{**paid_settings(self.provider), **settings}).start()

    def close(self) -> None:
        self.house.__exit__()
        self.provider.stop()

    def post(self, key: str) -> dict[str, Any]:
        answer = self.house.ask(key)
        assert answer.status_code == 202, answer.text
        return {**answer.json(), "replayed": answer.headers.get("Idempotent-Replayed")}

    def fate(self, mode: str, key: str) -> dict[str, Any]:
        """The job's row once its first call, answered in this mode, came to an end."""
        self.provider.queue(mode)
        job_id = self.post(key)["job_id"]

        def look() -> dict[str, Any] | None:
            [job] = self.house.rows("SELECT * FROM jobs WHERE id = ?", job_id)
            return job if job["attempts"] and job["status"] != "running" else None

        return eventually(look, seconds=150, what=f"the end of {mode}")  # type: ignore[return-value]

    def call(self, job_id: int) -> dict[str, Any]:
        [call] = self.house.rows("SELECT * FROM calls WHERE job_id = ?", job_id)
        return call

    def paused(self) -> str | None:
        [queue] = self.house.rows("SELECT paused_reason FROM queues WHERE name = 'stories'")
        return str(queue["paused_reason"]) if queue["paused_reason"] else None

    def page(self, job_id: int) -> str:
        answer = self.house.get(f"/stories/jobs/{job_id}", headers={"Accept": "text/html"})
        assert answer.status_code == 200
        return html.unescape(answer.text).replace("’", "'")

    def rest(self, job_id: int) -> None:
        """Nothing waits, nothing is paused, and the next story is told: all is where it was before."""
        self.house.post(f"/stories/jobs/{job_id}/cancel")
        self.house.post("/queues/stories/resume")
        assert self.house.ended(self.house.asked())["status"] == "completed"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    desk = Desk(tmp_path_factory.mktemp("desk"), monthly_cap="1000")
    yield desk
    desk.close()


@pytest.fixture(scope="module")
def slow_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    seconds = {"llm_first_byte_seconds": 1.5, "llm_idle_seconds": 1.5, "llm_total_seconds": 3}
    desk = Desk(tmp_path_factory.mktemp("slow"), monthly_cap="1000", **seconds)
    yield desk
    desk.close()


@pytest.mark.parametrize("outcome", OUTCOMES, ids=str)
def test_what_a_provider_answers_decides_what_becomes_of_the_wish(desk: Desk, outcome: Outcome) -> None:
    check(desk, outcome)


@pytest.mark.parametrize("outcome", SLOW, ids=str)
def test_a_provider_that_keeps_us_waiting_is_left_with_what_did_arrive(slow_desk: Desk, outcome: Outcome) -> None:
    check(slow_desk, outcome)


def test_every_answer_that_the_provider_of_the_tests_knows_is_in_the_table() -> None:
    assert {re.split("[:@]", outcome.mode)[0] for outcome in (*OUTCOMES, *SLOW)} == {
        *MODES,
        "429",
        "status",
        "redirect",
    }


def check(desk: Desk, outcome: Outcome) -> None:
    posts, bills, key = len(desk.provider.requests()), len(desk.provider.bills()), uuid.uuid4().hex
    job = desk.fate(outcome.mode, key)
    try:
        check_job(desk, outcome, job)
        check_money(outcome, desk.call(job["id"]))
        check_text(desk, outcome, job["id"])
        check_words(desk, outcome, job["id"])
        assert len(desk.provider.requests()) == posts + 1 and len(desk.provider.bills()) == bills + outcome.bills

        again = desk.post(key)
        assert (again["job_id"], again["replayed"]) == (job["id"], "true")
    finally:
        desk.rest(job["id"])
    assert len(desk.provider.requests()) == posts + 2, "the second press, or the queue by itself, sent once more"
    assert "DatabaseBusy" not in desk.house.log.read_text(), "a text held up the house while it was looked at"


def check_job(desk: Desk, outcome: Outcome, job: dict[str, Any]) -> None:
    assert (job["status"], job["error_code"], job["failures"]) == (outcome.status, outcome.code, outcome.failures)
    assert desk.paused() == outcome.paused
    assert (job["sent_at"] is not None) == (outcome.call != "refused"), "sent, unless it certainly was not billed"
    if outcome.wait:
        call = desk.call(job["id"])
        least, most = outcome.wait
        assert least - 0.001 <= job["run_after"] - call["settled_at"] <= most + 0.001


def check_money(outcome: Outcome, call: dict[str, Any]) -> None:
    assert (call["status"], call["attempt"]) == (outcome.call, 1)
    assert call["reserved_micros"] > 4 * 4 * 3 * 120, "the limit alone costs this much"
    counts = {"refused": 0, "unknown": call["reserved_micros"], "settled": call["spent_micros"]}[call["status"]]
    assert counts == (call["reserved_micros"] if outcome.spent == "worst" else outcome.spent)


def check_text(desk: Desk, outcome: Outcome, job_id: int) -> None:
    """Whatever arrived is kept: raw and story, or the draft."""
    call = desk.call(job_id)
    stories = desk.house.rows("SELECT * FROM stories WHERE job_id = ?", job_id)
    assert len(stories) == (outcome.status == "completed")
    assert (call["raw"] is not None) == (outcome.call == "settled" and outcome.mode != "status:400:content_filter")
    text = stories[0]["text"] if stories else call["draft"]
    named = desk.house.rows("SELECT stand_in FROM casts JOIN stories USING (request_id) WHERE job_id = ?", job_id)
    assert not [row["stand_in"] for row in named if row["stand_in"] in text], "a stand-in is no name of this house"
    if stories:
        assert stories[0]["flags"] == outcome.flags and "\0" not in text
        assert llm.read_answer(call["raw"]), "the raw answer is whole"
    start, end = "found the l", "closed its eye."
    match outcome.text:
        case "all":
            assert start in text and text.endswith(end) and "{child:1}" in text
        case "half":
            assert start in text and end not in text and 150 < len(text.split()) < 450
        case "start":
            assert text.startswith("The La")
        case "none":
            assert text == ""
        case "huge":
            assert len(text) > 8 * 1024 * 1024 * 0.98, "the text of the 8 MiB that were taken"
        case words:
            assert words in text


def check_words(desk: Desk, outcome: Outcome, job_id: int) -> None:
    seen, page, call = desk.house.job(job_id), desk.page(job_id), desk.call(job_id)
    assert (seen["status"], seen["error_code"]) == (
        outcome.status,
        outcome.code if outcome.status == "failed" else None,
    )
    assert outcome.says in page and "Traceback" not in page and "{child" not in page
    expected = call["reserved_micros"] if outcome.spent == "worst" else outcome.spent or None
    assert seen["cost_micros"] == expected and seen["message"]
    if outcome.status == "completed":
        story = desk.house.get(seen["story_url"]).json()
        assert story["cut_short"] == ("cut_short" in outcome.flags) and MIA["nickname"] in " ".join(story["paragraphs"])
    elif outcome.text in ("half", "start"):
        assert "found" in seen["draft"] or outcome.text == "start"
        assert seen["draft"].split("\n")[0][:6] in page, "what did arrive is shown"
    if outcome.paused:
        tonight = html.unescape(desk.house.get("/", headers={"Accept": "text/html"}).text).replace("’", "'")
        assert outcome.says in tonight and "Resume" in tonight
