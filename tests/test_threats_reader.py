"""A child's device: what a check held, what nobody approved and what was hidden is reached by no way that there is."""

from collections.abc import Callable

import pytest
from browser import Devices
from doors import Device, path_of_code
from playwright.sync_api import Error, Page, expect
from provider import Provider
from readers import CANARY, HARMLESS, UNSAFE, Home, ask_and_set_up, told, ways_to
from running import Running, eventually

Houses = Callable[..., Running]
JSON = "application/json"


def reads(device: Device, *, headers: dict[str, str] | None = None) -> list[str]:
    """The ways on which this device comes upon the canary."""
    found = []
    for path in ways_to(1):
        for accept in ("text/html", JSON):
            answer = device.get(path, headers={"Accept": accept, **(headers or {})})
            is_story = path.startswith("/stories/1")
            if CANARY.encode() in answer.content.replace(b'value="quilli"', b"") or (is_story and answer.ok):
                found.append(path)
    return found


def test_held_text_is_reached_by_no_reader(paid: Houses, provider: Provider) -> None:
    home = ask_and_set_up(paid, provider, told(UNSAFE, title=f"The {CANARY}"))
    assert [row["held"] for row in home.house.rows("SELECT held FROM stories")] == ["violence"]
    assert reads(home.tablet) == []
    assert reads(home.trusted) == [], "held is held for a device that needs no approval as well"
    for device in (home.tablet, home.trusted):
        for press, data in (("reading", {"paragraph": "1"}), ("mark", {"favourite": "yes"})):
            assert device.post(f"/stories/1/{press}", data=data).status_code == 404
        for path in ("/stories/jobs/1", "/safety", "/safety/stories/1", "/stories/generate", "/money", "/queue"):
            assert device.get(path).status_code in (403, 405)
    assert len(set(reads(home.phone))) > 5, "a grown-up sees it"


def test_a_story_that_only_waits_is_for_devices_that_need_no_approval(paid: Houses, provider: Provider) -> None:
    home = ask_and_set_up(paid, provider, told(HARMLESS, title=f"The {CANARY}"))
    assert reads(home.tablet) == []
    assert "/stories/1" in reads(home.trusted)
    assert "not approved yet" in home.phone.get("/stories/1").text.lower()
    home.judge(1, "approve")
    assert "/stories/1" in reads(home.tablet)


def test_a_hidden_story_is_gone_from_every_reader_until_it_is_shown_again(paid: Houses, provider: Provider) -> None:
    home = ask_and_set_up(paid, provider, told(HARMLESS, title=f"The {CANARY}"))
    home.judge(1, "approve")
    home.judge(1, "hide")
    assert reads(home.tablet) == reads(home.trusted) == []
    assert CANARY not in home.phone.get("/", headers={"Accept": "text/html"}).text, "nor is it offered for tonight"
    home.judge(1, "show")
    assert home.sees(home.tablet, 1) and home.sees(home.trusted, 1)


def test_a_held_story_that_a_grown_up_approved_is_for_everybody(paid: Houses, provider: Provider) -> None:
    home = ask_and_set_up(paid, provider, told(UNSAFE))
    assert "words of violence" in home.phone.get("/stories/1").text, "its reason stands on top"
    assert "words of violence" in home.phone.get("/safety").text
    home.judge(1, "approve")
    assert home.sees(home.tablet, 1) and home.sees(home.trusted, 1)
    assert "words of violence" not in home.phone.get("/stories/1").text


def test_a_part_of_a_series_is_told_by_none_of_its_other_parts(paid: Houses, provider: Provider) -> None:
    house = paid()
    for mode, more in ((told(HARMLESS, "One"), {}), (told(UNSAFE, "Two"), {"continues": 1})):
        provider.set_mode(mode)
        house.ended(house.asked(**more))
    home = Home.of(house)
    home.judge(1, "approve")
    page, plain = home.tablet.get("/stories/1"), home.tablet.get("/stories/1", headers={"Accept": JSON}).json()
    assert page.ok and plain["series"] is None
    assert "part 1" not in page.text.lower() and "/stories/2" not in page.text
    assert home.phone.get("/stories/1", headers={"Accept": JSON}).json()["series"] == {"id": 1, "part": 1, "parts": 2}
    assert "part 1" not in home.tablet.get("/stories").text
    assert [one["parts"] for one in home.tablet.get("/stories", headers={"Accept": JSON}).json()["stories"]] == [1]
    home.judge(1, "hide")
    home.judge(2, "approve")
    assert "/stories/1" not in home.tablet.get("/stories/2").text


def test_a_script_gets_no_held_text_by_its_job_either(paid: Houses, provider: Provider) -> None:
    home = ask_and_set_up(paid, provider, told(UNSAFE, title=f"The {CANARY}"), told(HARMLESS, title="The other"))
    script = home.script()
    nobody = Device(home.house)
    job = nobody.get("/stories/jobs/1", headers=script).json()
    assert (job["status"], job["story_url"], job["draft"]) == ("completed", None, "")
    assert nobody.get("/stories/1", headers=script).status_code == 404
    assert nobody.get("/stories/jobs/1", headers={**script, "Accept": "text/html"}).status_code == 200
    assert nobody.get("/stories/jobs/2", headers=script).json()["story_url"] == "/stories/2"
    home.judge(1, "approve")
    assert nobody.get("/stories/jobs/1", headers=script).json()["story_url"] == "/stories/1"


def test_no_browser_stores_what_it_might_have_to_forget(paid: Houses, provider: Provider) -> None:
    home = ask_and_set_up(paid, provider, told(UNSAFE), told(HARMLESS))
    home.judge(2, "approve")
    for path in ("/", "/stories", "/stories/2", "/stories/2/story.txt", "/stories/999"):
        assert home.tablet.get(path).headers["Cache-Control"] == "no-store", path
        assert "Cookie" in home.tablet.get(path).headers["Vary"]
    for path in ("/", "/stories", "/stories/1", "/stories/jobs/1", "/safety", "/safety/stories/1"):
        assert home.phone.get(path).headers["Cache-Control"] == "no-store", path
    for path in ("/stories/2", "/children", "/evenings", "/grown-ups"):
        assert home.phone.get(path).headers["Cache-Control"] == "no-store", "this device may be signed out, too"


def signed_in(device: Devices, home: Home, who: Device, path: str) -> Page:
    """A browser that has the cookie of this device."""
    page = device(f"{home.house.url}/sign-in").page
    name, value = who.cookie.split("; ")[0].split("=", 1)
    page.context.add_cookies([{"name": name, "value": value, "url": home.house.url, "httpOnly": True}])
    page.goto(home.house.url + path)
    return page


def back(page: Page, to: str) -> None:
    """As by the button; a page that comes back from memory tells no `load`."""
    page.go_back(wait_until="commit")
    page.wait_for_url(f"**{to}", wait_until="commit")


def test_the_back_button_brings_no_hidden_story_back(paid: Houses, provider: Provider, device: Devices) -> None:
    home = ask_and_set_up(paid, provider, told(HARMLESS))
    home.judge(1, "approve")
    page = signed_in(device, home, home.tablet, "/stories/1")
    assert CANARY in page.content()
    page.get_by_role("link", name="Shelf").click()
    page.wait_for_url("**/stories")
    home.judge(1, "hide")
    back(page, "/stories/1")
    expect(page.get_by_text("There is no such story")).to_be_visible()
    assert CANARY not in page.content()
    page.go_forward(wait_until="commit")
    page.wait_for_url("**/stories", wait_until="commit")
    expect(page.get_by_text("The Lamp by the Gate")).to_have_count(0)


def test_who_signs_out_leaves_no_held_story_behind_the_back_button(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    home = ask_and_set_up(paid, provider, told(UNSAFE))
    page = signed_in(device, home, home.phone, "/stories/1")
    assert CANARY in page.content()
    page.goto(f"{home.house.url}/safety")
    assert CANARY in page.content()
    page.goto(f"{home.house.url}/grown-ups")
    page.get_by_role("button", name="Sign this device out").click()
    page.wait_for_url("**/sign-in**")
    for path in ("/grown-ups", "/safety", "/stories/1"):
        back(page, f"/sign-in?next={path}")
        expect(page.locator("body")).not_to_contain_text(CANARY)


def test_who_signs_out_leaves_no_name_behind_the_back_button(paid: Houses, provider: Provider, device: Devices) -> None:
    home = ask_and_set_up(paid, provider, told(HARMLESS))
    home.judge(1, "approve")
    page = signed_in(device, home, home.phone, "/children")
    expect(page.get_by_text("Mia")).to_be_visible()
    page.goto(f"{home.house.url}/")
    page.get_by_label("What should it be about?").fill("half a thought")
    page.get_by_role("link", name="Shelf").click()
    page.wait_for_url("**/stories")
    back(page, "/")
    expect(page.get_by_label("What should it be about?")).to_have_value("half a thought")
    page.goto(f"{home.house.url}/grown-ups")
    page.get_by_role("button", name="Sign this device out").click()
    page.wait_for_url("**/sign-in**")
    for path in ("/grown-ups", "/", "/children"):
        back(page, f"/sign-in?next={path}")
        expect(page.get_by_label("The passphrase of this house")).to_be_visible()
        expect(page.locator("body")).not_to_contain_text("Mia")


def test_a_copy_on_a_device_goes_when_the_house_says_that_the_story_is_hidden(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    home = ask_and_set_up(paid, provider, told(HARMLESS))
    home.judge(1, "approve")
    page = signed_in(device, home, home.tablet, "/stories/1")
    page.locator(".device summary").click()
    page.get_by_role("button", name="Keep a copy on this device").click()
    expect(page.get_by_role("button", name="Kept here")).to_be_visible()
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    home.judge(1, "hide")
    page.goto(f"{home.house.url}/stories/1")
    expect(page.get_by_text("There is no such story")).to_be_visible()
    kept = "caches.match('/stories/1', { ignoreVary: true }).then(Boolean)"
    eventually(lambda: page.evaluate(kept) is False, what="the end of the copy")


@pytest.mark.parametrize("ends", ["signed out", "paired"])
def test_a_copy_on_a_device_goes_when_the_device_is_nobodys_or_becomes_somebody_elses(
    paid: Houses, provider: Provider, device: Devices, ends: str
) -> None:
    home = ask_and_set_up(paid, provider, told(UNSAFE))
    page = signed_in(device, home, home.phone, "/stories/1")
    page.locator(".device summary").click()
    page.get_by_role("button", name="Keep a copy on this device").click()
    expect(page.get_by_role("button", name="Kept here")).to_be_visible()
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    if ends == "signed out":
        page.goto(f"{home.house.url}/grown-ups")
        page.get_by_role("button", name="Sign this device out").click()
        page.wait_for_url("**/sign-in**")
    else:
        page.goto(
            home.house.url
            + path_of_code(home.phone.post("/devices/pairings", data={"name": "tablet", "role": "reader"}).text)
        )
        page.get_by_role("button", name="Yes, let it in").click()
        page.wait_for_url(lambda url: "/pair/" not in url)
    eventually(lambda: page.evaluate("caches.has('stories')") is False, what="the end of the copy")
    home.house.kill()
    with pytest.raises(Error):
        page.goto(f"{home.house.url}/stories/1")
