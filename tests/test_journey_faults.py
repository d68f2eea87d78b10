"""The waiting page while things go wrong around it: it says so, goes on by itself, and ends with the story."""

import re

import pytest
from browser import Devices, Houses
from playwright.sync_api import Page, Route, expect
from provider import Provider
from running import Running, eventually
from test_journey import ENDED, WAITING, ask, job_of, not_reached, read


def says(page: Page) -> None:
    expect(page.locator(".say")).not_to_be_empty()


def is_quiet(page: Page) -> None:
    expect(page.locator(".say")).to_be_empty()


def same_port(house: Running) -> str:
    return house.url.rsplit(":", 1)[1]


def test_a_paused_queue_shows_why_and_goes_on_after_resume(paid: Houses, provider: Provider, device: Devices) -> None:
    provider.set_mode("status:401")
    house = paid()
    page = device(house.url).page
    wish = ask(page)
    expect(page.locator(f"{WAITING} .paused")).to_be_visible()
    expect(page.locator(".meanwhile")).to_contain_text("is not bought any more")
    assert house.get("/healthz").json()["paused"] == {"stories": "key"}
    provider.set_mode("ok")
    page.locator(".paused button").click()
    page.wait_for_url(f"{house.url}/")
    expect(page.locator(".paused")).to_have_count(0)
    page.goto(house.url + wish)
    assert "Mia" in read(page)
    assert len(provider.bills()) == 1


def test_a_page_left_open_goes_on_when_the_queue_is_resumed_elsewhere(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    provider.set_mode("status:402")
    house = paid()
    page = device(house.url, turns=True).page
    ask(page)
    expect(page.locator(f"{WAITING} .paused")).to_be_visible()
    expect(page.locator(WAITING)).to_have_attribute("hx-trigger", re.compile("every 15s"))
    provider.set_mode("ok")
    assert house.post("/queues/stories/resume").status_code == 303
    house.ended(job_of(page))
    page.clock.run_for(15_000)
    assert "Mia" in read(page)


def test_a_storyteller_that_comes_back_tells_while_the_page_waits(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    provider.stop()
    house = paid()
    page = device(house.url).page
    ask(page)
    not_reached(house, job_of(page))
    provider.start()
    assert "Mia" in read(page)
    assert len(provider.bills()) == 1


def test_a_storyteller_that_dies_in_the_middle_leaves_its_words_and_a_question(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    provider.set_mode("hang_mid@0.03")
    house = paid()
    page = device(house.url).page
    ask(page)
    expect(page.locator("progress")).not_to_have_attribute("value", "0")
    provider.stop()
    expect(page.locator(f"{ENDED} #again [type=checkbox]")).to_be_visible()
    expect(page.locator(".saved")).to_contain_text("lamp")
    assert house.job(job_of(page))["error_code"] == "maybe_billed"


def test_a_house_that_dies_while_a_wish_waits_comes_back_with_the_story(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    provider.stop()
    house = paid()
    page = device(house.url).page
    ask(page)
    not_reached(house, job_of(page))
    house.kill()
    says(page)
    provider.start()
    house.start(port=same_port(house))
    expect(page.locator(ENDED)).to_be_visible()
    is_quiet(page)
    assert "Mia" in read(page)
    assert len(provider.bills()) == 1


def test_a_house_that_dies_with_the_whole_answer_on_disk_comes_back_with_the_story(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    house = paid()
    house.kill()
    house.start(crash_at="receive.after_commit")
    provider.set_mode("hang")
    page = device(house.url).page
    ask(page)
    provider.release()
    says(page)
    house.wait()
    house.start(port=same_port(house))
    assert "Mia" in read(page)
    assert len(provider.requests()) == 1


def test_an_answer_503_is_said_and_does_not_end_the_polling(paid: Houses, provider: Provider, device: Devices) -> None:
    provider.set_mode("hang")
    phone = device(paid().url)
    page = phone.page
    ask(page)
    refused: list[str] = []

    def busy(route: Route) -> None:
        """What a proxy says while the house behind it starts."""
        refused.append(route.request.url)
        route.fulfill(status=503, content_type="text/html", body="<!doctype html><html><h1>503</h1></html>")

    page.route(re.compile(r"/stories/jobs/\d+$"), busy)
    says(page)

    def refused_twice() -> bool:
        page.wait_for_timeout(20)
        return len(refused) >= 2

    eventually(refused_twice, what="the second refused poll")
    expect(page.locator(WAITING)).to_be_visible()
    page.unroute_all()
    provider.release()
    assert "Mia" in read(page)


def test_a_tab_that_nobody_sees_asks_nothing_and_looks_at_once_when_it_is_seen(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    provider.set_mode("hang")
    house = paid()
    page = device(house.url, turns=True).page
    ask(page)
    page.clock.run_for(5_000)
    page.wait_for_function("fetched > 0")
    page.evaluate("turn(true)")
    before = page.evaluate("fetched")
    page.clock.run_for(60_000)
    assert page.evaluate("fetched") == before
    provider.release()
    house.ended(job_of(page))
    page.evaluate("turn(false)")
    assert page.evaluate("fetched") == before + 1
    assert "Mia" in read(page)


@pytest.mark.parametrize("button", ["#cancel button", "form[action$='/tale'] button"])
def test_a_press_that_finds_the_house_gone_can_be_made_again(
    paid: Houses, provider: Provider, device: Devices, button: str
) -> None:
    provider.stop()
    house = paid()
    page = device(house.url).page
    wish = ask(page)
    not_reached(house, job_of(page))
    expect(page.locator("#cancel button")).to_be_visible()
    house.kill()
    with page.expect_event("requestfailed", lambda request: request.method == "POST"):
        page.locator(button).click(no_wait_after=True)
    house.start(port=same_port(house))
    page.goto(house.url + wish)
    page.locator(button).click()
    expect(page.locator(ENDED)).to_be_visible()
