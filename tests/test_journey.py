"""From a wish to the shelf as a family goes: form, waiting page, fragment, story, in a real Chromium on a phone."""

import re

import pytest
from browser import Devices, Houses
from playwright.sync_api import Locator, Page, expect
from provider import Provider
from running import Running, eventually

WAITING, ENDED = ".status[hx-get]", ".status.ended"
JOB_PAGE, STORY_PAGE = re.compile(r"/stories/jobs/\d+$"), re.compile(r"/stories/\d+$")
SLOWLY = "ok@0.03"  # the words of the provider come in over some four seconds
WAYS = pytest.mark.parametrize(
    "way",
    [{}, {"javascript": False}, {"htmx": False}],
    ids=["with JavaScript", "without JavaScript", "with a browser too old for htmx"],
)


def write(page: Page, *, idea: str = "a shy dragon", nickname: str = "Mia") -> None:
    """Fill the form in as on the first evening, for somebody new."""
    page.locator("[name=nickname]").first.fill(nickname)
    page.locator("[name=band]").first.select_option("4-5")
    page.locator("[name=pronouns]").first.select_option("she")
    page.locator("[name=idea]").fill(idea)
    page.locator("label", has=page.locator("[name=minutes][value='3']")).click()


def tell(page: Page) -> Locator:
    return page.locator("button.tell")


def ask(page: Page, **wish: str) -> str:
    """Write a wish, press, and be on its page; its path."""
    write(page, **wish)
    tell(page).click()
    page.wait_for_url(JOB_PAGE)
    return path(page)


def not_reached(house: Running, job_id: int) -> None:
    """Return once the storyteller, which is away, was tried: for the next seconds the wish only waits."""

    def look() -> bool:
        return bool(house.rows("SELECT id FROM jobs WHERE id = ? AND status = 'pending' AND attempts", job_id))

    eventually(look, what=f"the first try of job {job_id}")


def path(page: Page) -> str:
    return re.sub(r"^https?://[^/]+", "", page.url)


def job_of(page: Page) -> int:
    return int(path(page).rsplit("/", 1)[1])


def read(page: Page) -> str:
    """Follow the link of a page that is ready; the text of the story."""
    expect(page.locator(ENDED)).to_be_visible()
    page.locator(f"{ENDED} a.lit").click()
    page.wait_for_url(STORY_PAGE)
    return page.locator("article").inner_text()


@WAYS
def test_a_wish_becomes_a_story_from_the_book(household: Houses, device: Devices, way: dict[str, bool]) -> None:
    page = device(household().url, **way).page
    ask(page)
    assert "Mia" in read(page)
    page.goto(page.url.rsplit("/", 1)[0])
    expect(page.locator(".cards > li")).to_have_count(1)


@WAYS
def test_a_wish_becomes_a_story_that_costs_money(
    paid: Houses, provider: Provider, device: Devices, way: dict[str, bool]
) -> None:
    provider.set_mode(SLOWLY)
    page = device(paid().url, **way).page
    ask(page)
    waiting = page.locator(WAITING)
    expect(waiting).to_be_visible()
    expect(page.locator("progress")).not_to_have_attribute("value", "0")
    assert "Mia" in read(page)
    assert len(provider.bills()) == 1


def test_the_words_rise_on_the_page_while_they_are_written(paid: Houses, provider: Provider, device: Devices) -> None:
    provider.set_mode("ok@0.1")
    page = device(paid().url).page
    ask(page)
    seen: list[float] = []

    def look() -> bool:
        bar = page.evaluate("document.querySelector('progress')?.value ?? null")
        if bar is not None and bar not in seen:
            seen.append(bar)
        page.wait_for_timeout(20)
        return len(seen) >= 3

    eventually(look, what="the third count of words")
    assert seen == sorted(seen)


def test_the_last_fragment_has_no_trigger_and_the_page_is_the_same_one(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    provider.set_mode("hang")
    phone = device(paid().url)
    page = phone.page
    ask(page)
    expect(page.locator(WAITING)).to_have_attribute("hx-trigger", re.compile("^every [0-9]+s, wake$"))
    page.evaluate("window.still = 'the same page'")
    provider.release()
    expect(page.locator(ENDED)).to_be_visible()
    assert page.locator("[hx-trigger], [hx-get]").count() == 0
    assert page.evaluate("window.still") == "the same page"


def test_a_double_tap_on_tell_it_buys_one_story(paid: Houses, provider: Provider, device: Devices) -> None:
    house = paid()
    page = device(house.url).page
    write(page)
    page.evaluate("for (const time of [1, 2, 3]) document.querySelector('button.tell').click()")
    page.wait_for_url(JOB_PAGE)
    read(page)
    assert len(provider.requests()) == 1
    assert len(house.rows("SELECT id FROM jobs")) == 1


def test_a_second_press_while_the_first_is_on_its_way_buys_one_story(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    """Without JavaScript nothing in the page holds a second press back: the key in the form does."""
    house = paid()
    house.kill()
    house.start(hold_at="enqueue.before_commit")
    phone = device(house.url, javascript=False)
    page = phone.page
    write(page)
    button = tell(page).bounding_box()
    assert button
    middle = (button["x"] + button["width"] / 2, button["y"] + button["height"] / 2)
    page.mouse.click(*middle)
    eventually(house.hold.exists, what="the first press")
    page.mouse.click(*middle)

    def pressed_twice() -> bool:
        page.wait_for_timeout(20)
        return len([url for url in phone.asked if url.endswith("/generate")]) == 2

    eventually(pressed_twice, what="the second press")
    house.hold.unlink()
    page.wait_for_url(JOB_PAGE)
    read(page)
    assert len(provider.requests()) == 1
    assert len(house.rows("SELECT id FROM jobs")) == 1


def test_back_and_the_same_press_again_leads_to_the_first_story(household: Houses, device: Devices) -> None:
    house = household()
    page = device(house.url, javascript=False).page
    first = ask(page)
    page.go_back(wait_until="commit")
    tell(page).click()
    page.wait_for_url(JOB_PAGE)
    assert path(page) == first
    assert len(house.rows("SELECT id FROM jobs")) == 1


def test_back_and_an_edited_wish_shows_the_form_again_with_a_link_to_the_first_story(
    household: Houses, device: Devices
) -> None:
    house = household()
    page = device(house.url, javascript=False).page
    first = ask(page)
    page.go_back(wait_until="commit")
    page.locator("[name=idea]").fill("a brave snail")
    with page.expect_response("**/stories/generate") as answer:
        tell(page).click()
    assert answer.value.status == 422
    expect(page.locator(f".wrong a[href='{first}']")).to_be_visible()
    expect(page.locator("[name=idea]")).to_have_value("a brave snail")
    expect(page.locator("[name=nickname]").first).to_have_value("Mia")
    tell(page).click()
    page.wait_for_url(JOB_PAGE)
    assert path(page) != first
    assert len(house.rows("SELECT id FROM jobs")) == 2


def test_back_with_javascript_gives_a_fresh_form_for_another_story(household: Houses, device: Devices) -> None:
    house = household()
    page = device(house.url).page
    key = page.locator("[name=idempotency_key]").input_value()
    first = ask(page)
    page.go_back(wait_until="commit")
    expect(page.locator("[name=idempotency_key]")).not_to_have_value(key)
    expect(tell(page)).to_be_enabled()
    page.locator("[name=child]").first.check(force=True)
    tell(page).click()
    page.wait_for_url(JOB_PAGE)
    assert path(page) != first


@pytest.mark.parametrize("javascript", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_a_form_that_is_not_right_comes_back_with_all_that_was_typed(
    household: Houses, device: Devices, javascript: bool
) -> None:
    house = household()
    page = device(house.url, javascript=javascript).page
    write(page, idea="a shy dragon & “his” <sneeze>", nickname="Théo")
    page.locator("[name=today]").fill("a tooth came out")
    page.locator("[name=pronouns]").first.select_option("")
    with page.expect_response("**/stories/generate") as answer:
        tell(page).click()
    assert answer.value.status == 422
    expect(page.locator("[role=alert]")).to_be_visible()
    expect(page.locator("[name=pronouns]").first).to_have_attribute("aria-invalid", "true")
    expect(page.locator("[name=nickname]").first).to_have_value("Théo")
    expect(page.locator("[name=band]").first).to_have_value("4-5")
    expect(page.locator("[name=idea]")).to_have_value("a shy dragon & “his” <sneeze>")
    expect(page.locator("[name=today]")).to_have_value("a tooth came out")
    expect(page.locator("[name=minutes][value='3']")).to_be_checked()
    assert house.rows("SELECT id FROM jobs") == []
    page.locator("[name=pronouns]").first.select_option("he")
    page.get_by_text("And someone else").first.click()
    page.locator("[name=band]").nth(1).select_option("6-7")
    tell(page).click()
    expect(page.locator("[name=nickname]").nth(1)).to_be_visible()
    expect(page.locator("[name=nickname]").nth(1)).to_have_attribute("aria-invalid", "true")
    expect(page.locator("[name=nickname]").first).not_to_have_attribute("aria-invalid", "true")
    page.locator("[name=band]").nth(1).select_option("")
    tell(page).click()
    page.wait_for_url(JOB_PAGE)
    assert "Théo" in read(page)


@pytest.mark.parametrize("javascript", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_a_wish_is_called_off_while_it_waits_and_nothing_is_sent(
    paid: Houses, provider: Provider, device: Devices, javascript: bool
) -> None:
    provider.stop()
    house = paid()
    page = device(house.url, javascript=javascript).page
    ask(page)
    not_reached(house, job_of(page))
    page.locator("#cancel button").click()
    expect(page.locator(ENDED)).to_be_visible()
    assert house.job(job_of(page))["status"] == "cancelled"
    provider.start()
    assert provider.requests() == []


def test_a_free_tale_is_read_at_once_while_the_wish_stays(paid: Houses, provider: Provider, device: Devices) -> None:
    provider.set_mode("hang")
    house = paid()
    page = device(house.url).page
    wish = ask(page)
    provider.wait_for(1)
    page.locator("form[action$='/tale'] button").click()
    expect(page).not_to_have_url(re.compile(f"{wish}$"))
    assert "Mia" in read(page)
    assert house.get(wish).json()["status"] == "running"
    page.goto(house.url + wish)
    expect(page.locator(".meanwhile a[href^='/stories/']")).to_be_visible()
    provider.release()
    assert "Mia" in read(page)
    assert len(provider.bills()) == 1


def test_asking_again_after_a_doubtful_answer_needs_the_tick(paid: Houses, provider: Provider, device: Devices) -> None:
    provider.set_mode("reset_in")
    house = paid()
    page = device(house.url).page
    first = ask(page)
    again = page.locator("#again button")
    expect(again).to_be_visible()
    expect(page.locator(".saved")).not_to_be_empty()
    provider.set_mode("ok")
    again.click()
    assert page.evaluate("document.querySelector('#again :invalid') !== null")
    assert house.post(f"{first}/again", headers={"Accept": "text/html"}).status_code == 422
    assert len(house.rows("SELECT id FROM jobs")) == 1
    page.locator("#again [type=checkbox]").check()
    again.click()
    expect(page).not_to_have_url(re.compile(f"{first}$"))
    assert "Mia" in read(page)
    assert len(provider.bills()) == 2
    page.goto(house.url + first)
    expect(page.locator(f"{ENDED} a[href^='/stories/']").first).to_be_visible()
