"""Money, queue and settings in a real browser: clean to axe in all three lights, and within a phone's width."""

from pathlib import Path

import pytest
from browser import Devices, Houses
from playwright.sync_api import Page, expect
from provider import Provider
from running import Running, eventually
from test_accessible import LIGHTS, faults


@pytest.fixture
def lived_in(paid: Houses, provider: Provider) -> Running:
    """A house in which one of everything has happened, and which is paused."""
    provider.queue("ok", "cut_stream", "status:400", "refusal")
    house = paid()
    for idea in ("a lamp", "w" * 80, "no", "never"):
        house.ended(house.asked(idea=idea))
    house.post("/queues/stories/pause")
    house.asked(idea="waits")
    house.post("/money/cap", data={"cap": "0.10"})
    return house


def check(page: Page, url: str) -> None:
    page.goto(url)
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@LIGHTS
def test_money_queue_and_settings_are_clean(lived_in: Running, device: Devices, light: str) -> None:
    page = device(lived_in.url, theme=light).page
    for path in ("/money", "/money/calls/1", "/money/calls/2", "/queue", "/settings"):
        check(page, lived_in.url + path)


def test_pages_with_something_wrong_are_clean_and_say_what(lived_in: Running, device: Devices) -> None:
    page = device(f"{lived_in.url}/settings").page
    page.locator("#monthly_cap_micros").fill("-1")
    page.locator("#zone").fill("Europe/Berln")
    page.get_by_role("button", name="Keep it so").click()
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.locator("#zone")).to_have_value("Europe/Berln")
    expect(page.locator("#zone")).to_have_accessible_description(
        "'Europe/Berln' is not a time zone: did you mean Europe/Berlin?"
    )
    assert faults(page) == []
    page.goto(f"{lived_in.url}/money/calls/2")
    page.get_by_label("It cost, in USD").fill("NaN")
    page.get_by_role("button", name="Settle it").click()
    expect(page.get_by_label("It cost, in USD")).to_be_focused()
    assert faults(page) == []
    page.get_by_label("It cost, in USD").fill("0.004")
    page.get_by_role("button", name="Settle it").click()
    expect(page.locator(".outcome")).to_have_text("Settled by hand, from the provider’s bill.")


def test_a_key_that_is_not_sent_is_told_and_trusted_without_a_script(
    paid: Houses, provider: Provider, device: Devices, tmp_path: Path
) -> None:
    house = paid()
    house.ended(house.asked())
    house.kill()
    house.start(llm_url=provider.url.replace("127.0.0.1", "localhost"))
    job_id = house.asked()
    eventually(lambda: house.get("/healthz").json()["paused"], what="the pause")
    page = device(f"{house.url}/queue", javascript=False).page
    page.get_by_role("link", name="Settings").first.click()
    page.get_by_role("button", name="Send this key to localhost").click()
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    assert house.ended(job_id)["status"] == "completed"
