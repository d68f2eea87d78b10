"""The polled fragment: a trigger while there is something to wait for, none when it is over, and never much."""

from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from browser import Houses
from provider import Provider
from requests import Response
from running import Running, eventually

MOST_BYTES = 1024
HTMX = {"HX-Request": "true", "Accept": "text/html, */*"}
BURST = "hang_mid@0.02"


class Roots(HTMLParser):
    """The elements that stand at the top of a fragment, and all attributes in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.roots: list[dict[str, str | None]] = []
        self.attributes: set[str] = set()
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes |= {name for name, _ in attrs}
        if not self._open:
            self.roots.append(dict(attrs))
        if tag not in ("img", "input", "br", "meta", "link"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


def fragment(house: Running, job_id: int) -> Response:
    answer = house.get(f"/stories/jobs/{job_id}", headers=HTMX)
    assert answer.status_code == 200
    assert "<html" not in answer.text
    assert "HX-Request" in answer.headers["Vary"]
    return answer


def waits(house: Running, job_id: int) -> str:
    """The fragment of a job that is waited for, checked: one root that polls its own address, and few bytes."""
    answer = fragment(house, job_id)
    roots = Roots(answer.text).roots
    assert len(roots) == 1
    assert roots[0]["hx-get"] == f"/stories/jobs/{job_id}"
    assert str(roots[0]["hx-trigger"]).startswith("every ")
    assert len(answer.content) <= MOST_BYTES, answer.text
    return answer.text


def is_over(house: Running, job_id: int) -> str:
    answer = fragment(house, job_id)
    found = Roots(answer.text)
    assert len(found.roots) == 1
    assert not {"hx-get", "hx-trigger"} & found.attributes
    return answer.text


def test_a_fragment_polls_while_the_story_is_thought_of_and_written(paid: Houses, provider: Provider) -> None:
    provider.set_mode("hang")
    house = paid()
    first, second = house.asked(idea="a shy dragon", minutes=15), house.asked(idea="a brave snail", minutes=15)
    provider.wait_for(1)
    assert "every 2s" in waits(house, first)
    assert "every 2s" in waits(house, second)
    provider.set_mode(BURST)
    provider.release()
    house.ended(first)
    house.until(second, lambda job: job["words"] > 100)
    assert "every 2s" in waits(house, second)
    assert f'href="{house.job(first)["story_url"]}"' in is_over(house, first)


def test_a_fragment_looks_seldom_where_nothing_can_move(paid: Houses, provider: Provider) -> None:
    provider.set_mode("status:401")
    house = paid()
    jobs = [house.asked() for _ in range(3)]
    eventually(lambda: house.get("/healthz").json()["paused"], what="the pause")
    assert "every 15s" in waits(house, jobs[0])
    assert "every 15s" in waits(house, jobs[2])


def test_a_fragment_goes_on_while_the_storyteller_cannot_be_reached(paid: Houses, provider: Provider) -> None:
    provider.stop()
    house = paid()
    first, second, third = (house.asked() for _ in range(3))
    eventually(lambda: house.rows("SELECT id FROM jobs WHERE error_code IS NOT NULL"), what="the first try")
    for job_id in (first, second, third):
        waits(house, job_id)


ENDINGS: dict[str, tuple[str, Callable[[Running, int], object]]] = {
    "told": ("ok", lambda house, job_id: house.ended(job_id)),
    "refused": ("refusal", lambda house, job_id: house.ended(job_id)),
    "unreadable": ("empty200", lambda house, job_id: house.ended(job_id)),
    "lost": ("reset_in", lambda house, job_id: house.ended(job_id)),
    "too dear": ("ok", lambda house, job_id: house.ended(job_id)),
    "called off": ("status:401", lambda house, job_id: house.post(f"/stories/jobs/{job_id}/cancel")),
}


@pytest.mark.parametrize("ending", sorted(ENDINGS))
def test_a_fragment_without_a_trigger_ends_the_polling(paid: Houses, provider: Provider, ending: str) -> None:
    mode, end = ENDINGS[ending]
    provider.set_mode(mode)
    house = paid(**({"monthly_cap": "0.0001"} if ending == "too dear" else {}))
    job_id = house.asked()
    if ending == "called off":
        eventually(lambda: house.get("/healthz").json()["paused"], what="the pause")
    end(house, job_id)
    is_over(house, job_id)


def test_htmx_is_led_to_another_page_and_never_given_one_in_a_fragment(household: Houses) -> None:
    house = household()
    missing = house.get("/stories/jobs/99", headers=HTMX)
    assert missing.status_code == 404
    assert "<html" not in missing.text
    wish = {"nickname": "Mia", "band": "4-5", "pronouns": "she", "idempotency_key": "one-key"}
    pressed = house.post("/stories/generate", data=wish, headers=HTMX)
    assert pressed.status_code == 200
    assert pressed.headers["HX-Redirect"] == "/stories/jobs/1"
    assert pressed.text == ""
