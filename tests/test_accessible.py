"""What a family meets is clean to axe, in all three lights."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import Devices, Houses
from playwright.sync_api import Page, expect
from provider import Provider
from running import eventually
from test_journey import ENDED, WAITING, ask, read, tell

LIGHTS = pytest.mark.parametrize("light", ["night", "day", "ember"])


def faults(page: Page) -> list[str]:
    """What axe has against a page as it is shown now, once it is there whole: rule, element, why."""
    page.wait_for_load_state()
    page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
    return [
        f"{fault['id']}: {node['html'][:120]} {node['failureSummary']}"
        for fault in Axe().run(page).response["violations"]
        for node in fault["nodes"]
    ]


@LIGHTS
def test_tonight_and_the_shelf_are_clean_when_they_are_empty(household: Houses, device: Devices, light: str) -> None:
    house = household()
    page = device(house.url, theme=light).page
    assert faults(page) == []
    page.goto(f"{house.url}/stories")
    assert faults(page) == []


@LIGHTS
def test_tonight_is_clean_with_a_form_that_is_not_right(household: Houses, device: Devices, light: str) -> None:
    page = device(household().url, theme=light).page
    page.locator("[name=nickname]").first.fill("Mia")
    tell(page).click()
    expect(page.locator("[role=alert]")).to_be_visible()
    assert faults(page) == []


@LIGHTS
def test_waiting_story_and_shelf_are_clean(paid: Houses, provider: Provider, device: Devices, light: str) -> None:
    provider.set_mode("hang_mid@0.02")
    house = paid()
    page = device(house.url, theme=light).page
    ask(page)
    expect(page.locator("progress")).not_to_have_attribute("value", "0")
    expect(page.locator(WAITING)).to_be_visible()
    assert faults(page) == []
    provider.release()
    expect(page.locator(ENDED)).to_be_visible()
    assert faults(page) == []
    read(page)
    assert faults(page) == []
    page.goto(f"{house.url}/stories")
    expect(page.locator(".cards > li")).to_have_count(1)
    assert faults(page) == []
    page.goto(house.url)
    assert faults(page) == []


@LIGHTS
def test_pages_that_say_what_went_wrong_are_clean(
    paid: Houses, provider: Provider, device: Devices, light: str
) -> None:
    provider.queue("reset_in", "status:401")
    house = paid()
    page = device(f"{house.url}/stories/7", theme=light).page
    assert faults(page) == []
    page.goto(house.url)
    ask(page)
    expect(page.locator(f"{ENDED} #again")).to_be_visible()
    assert faults(page) == []
    house.asked(idea="another one")
    eventually(lambda: house.get("/healthz").json()["paused"], what="the pause")
    page.goto(house.url)
    expect(page.locator(".paused").first).to_be_visible()
    assert faults(page) == []
