"""Evenings as a family has them, in a real Chromium: two children, a story for both, half of it tonight, the rest tomorrow."""

import datetime
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from browser import PHONE, TABLET, Devices, Houses
from playwright.sync_api import Page, Route, expect
from provider import Provider
from proxy import Proxy
from running import MIA, Running, eventually
from test_accessible import faults

THEO = {**MIA, "nickname": "Theo", "band": "6-7", "pronouns": "he"}
STORY_PAGE, JOB_PAGE = re.compile(r"/stories/\d+(#.*)?$"), re.compile(r"/stories/jobs/\d+$")
WINDOWS = pytest.mark.parametrize("window", [PHONE, TABLET], ids=["phone", "tablet"])
LIGHTS = pytest.mark.parametrize("light", ["night", "day", "ember"])


def add_child(page: Page, **child: str) -> None:
    """By the form at the end of the page of the children, which is open while there is none."""
    expect(page.get_by_role("heading", level=1)).to_have_text("Children")
    form = page.locator("form[action='/children']")
    if not form.is_visible():
        page.get_by_text("Add a child").click()
    form.get_by_label("What do you call them?").fill(child["nickname"])
    form.get_by_label("How old?").select_option(child["band"])
    form.get_by_label("She, he or they?").select_option(child["pronouns"])
    form.get_by_label("Likes").fill(child.get("likes", ""))
    form.get_by_role("button", name="Add").click()
    expect(page.locator(".family")).to_contain_text(child["nickname"])


def tick(page: Page, *names: str) -> None:
    for name in names:
        page.locator(".chip", has_text=name).click()


def go(page: Page, place: str) -> None:
    """By the bar of places, and be there."""
    link = page.get_by_role("navigation", name="Places").get_by_role("link", name=place)
    there = link.get_attribute("href")
    link.click()
    page.wait_for_url(f"**{there}")


def read_it(page: Page) -> None:
    page.get_by_role("link", name="Read it now").click()
    page.wait_for_url(STORY_PAGE)


def top_of(page: Page, selector: str) -> float:
    return float(page.locator(selector).evaluate("one => one.getBoundingClientRect().top"))


@WINDOWS
@LIGHTS
def test_an_evening_and_the_next(paid: Houses, device: Devices, window: dict[str, int], light: str) -> None:
    house = paid()
    page = device(house.url, viewport=window, theme=light).page

    go(page, "Children")
    assert faults(page) == []
    add_child(page, nickname="Mia", band="4-5", pronouns="she", likes="foxes")
    add_child(page, nickname="Theo", band="6-7", pronouns="he")
    assert faults(page) == []

    go(page, "Tonight")
    tick(page, "Mia", "Theo")
    page.get_by_label("What should it be about?").fill("Mia and a lamp")
    page.get_by_role("button", name="See what will be sent").click()
    expect(page.locator(".sent")).to_contain_text("Wished for")
    expect(page.locator(".sent pre").last).not_to_contain_text("Mia")
    expect(page.locator(".sent h2")).to_be_in_viewport()
    expect(page.locator(".sent h2")).to_be_focused()
    expect(page.get_by_label("What should it be about?")).to_have_value("Mia and a lamp")
    expect(page.locator(".chip :checked")).to_have_count(2)
    assert faults(page) == []
    assert house.rows("SELECT id FROM jobs") == []
    page.get_by_role("button", name="Tell it").click()
    page.wait_for_url(JOB_PAGE)
    read_it(page)

    page.locator("#p5").evaluate("one => one.scrollIntoView()")
    page.get_by_role("button", name="We got this far").click()
    expect(page.locator(".say")).to_contain_text("Kept")
    assert 4 <= house.rows("SELECT paragraph FROM readings")[0]["paragraph"] <= 7

    go(page, "Tonight")
    expect(page.locator(".cards")).to_contain_text("half read")
    page.locator(".cards a").first.click()
    page.wait_for_url(STORY_PAGE)
    page.get_by_role("link", name="Go on from where we were").click()
    expect(page.locator(".here")).to_be_in_viewport()
    assert faults(page) == []

    page.locator(".night").scroll_into_view_if_needed()
    last = len(house.get("/stories/1").json()["paragraphs"])
    eventually(lambda: house.rows("SELECT paragraph FROM readings")[0]["paragraph"] == last, what="that it was read")
    page.get_by_role("button", name="loved it").click()
    expect(page.get_by_role("button", name="loved it")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("link", name="Continue tomorrow").click()

    expect(page.locator(".goes-on")).to_contain_text("It goes on from")
    expect(page.locator(".chip :checked")).to_have_count(2)
    page.get_by_role("button", name="Tell it").click()
    read_it(page)
    expect(page.locator("article .by").first).to_contain_text("part 2 of 2")
    page.get_by_role("link", name="all parts").click()
    expect(page.locator(".cards > li")).to_have_count(2)
    assert faults(page) == []


@WINDOWS
@LIGHTS
def test_evenings_are_planned(household: Houses, device: Devices, window: dict[str, int], light: str) -> None:
    house = household()
    page = device(f"{house.url}/evenings", viewport=window, theme=light).page
    assert faults(page) == []
    page.get_by_role("link", name="First say who is listening").click()
    add_child(page, **MIA)

    go(page, "Evenings")
    page.get_by_label("On the clocks of").fill("Europe/Berlim")
    page.get_by_role("button", name="Plan it").click()
    expect(page.locator("#wrong-zone")).to_contain_text("did you mean Europe/Berlin?")
    expect(page.locator("#wrong-children")).to_be_visible()
    assert faults(page) == []
    tick(page, "Mia")
    page.get_by_label("On the clocks of").fill("Europe/Berlin")
    for day in ("Sat", "Sun"):
        page.locator(".days label", has_text=day).click()
    page.get_by_label("What should they be about").fill("the sea\na train")
    page.get_by_role("button", name="Plan it").click()
    expect(page.locator(".plan")).to_contain_text("Mondays to Fridays at 17:30")
    expect(page.locator(".plan")).to_contain_text("Next: ")

    page.get_by_label("What?").fill("dentist on Thursday")
    page.get_by_label("Up to and including").fill(
        (datetime.datetime.now() + datetime.timedelta(days=2)).date().isoformat()
    )
    page.get_by_role("button", name="Keep in mind").click()
    expect(page.locator(".notes li")).to_contain_text("dentist on Thursday")
    page.get_by_role("button", name="Let it rest").click()
    expect(page.locator(".plan")).to_contain_text("It rests.")
    delete = page.get_by_role("button", name=re.compile("Delete this plan"))
    expect(delete).to_be_hidden()
    page.locator(".plan summary").click()  # one tap only shows the button
    expect(delete).to_be_visible()
    assert faults(page) == []
    delete.click()
    expect(page.locator(".plan")).to_have_count(0)


@LIGHTS
def test_a_profile_is_changed_and_deleted(household: Houses, device: Devices, light: str) -> None:
    house = household()
    house.ended(house.asked(children=[MIA]))
    page = device(f"{house.url}/children", theme=light).page
    page.locator("#child-1 summary").click()
    line = page.locator("#child-1")
    line.get_by_label("What do you call them?").fill("Amelia")
    line.get_by_label("To be left out").fill("spiders")
    line.get_by_role("button", name="Keep it so").click()
    expect(line).to_contain_text("Amelia")
    expect(line).to_contain_text("without spiders")
    page.locator("#child-1 summary").click()
    line.get_by_role("link", name="Delete…").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Delete Amelia?")
    assert faults(page) == []
    page.get_by_label("And their stories").check()
    page.get_by_role("button", name="Delete Amelia").click()
    expect(page.locator(".family")).to_have_count(0)
    assert house.get("/stories").json()["stories"] == []


def test_the_evening_goes_by_keyboard_alone(household: Houses, device: Devices) -> None:
    house = household()
    house.ended(house.asked(children=[MIA, THEO]))
    page = device(house.url).page

    def to(selector: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches(" + repr(selector) + ")"):
                assert page.locator(":focus").evaluate(
                    "one => [one, one.nextElementSibling].some((e) => e && getComputedStyle(e).outlineStyle !== 'none')"
                ), f"nobody sees that {selector} has the focus"
                return
        raise AssertionError(f"no way to {selector} by keyboard")

    to(".skip")
    page.keyboard.press("Enter")
    to("[name=child]")
    page.keyboard.press("Space")
    to("[name=idea]")
    page.keyboard.type("a shy dragon")
    to(".tell")
    page.keyboard.press("Enter")
    page.wait_for_url(JOB_PAGE)
    expect(page.locator(".ended")).to_be_visible()
    to(".ended a")
    page.keyboard.press("Enter")
    page.wait_for_url(STORY_PAGE)
    to("[name=favourite]")
    page.keyboard.press("Enter")
    expect(page.locator("[name=favourite]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[name=favourite]")).to_be_focused()
    to(".along summary")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Plain text")).to_be_visible()
    to(".far button")
    page.keyboard.press("Enter")
    eventually(lambda: house.rows("SELECT 1 FROM readings"), what="the bookmark")


def test_the_evening_goes_without_javascript(paid: Houses, device: Devices) -> None:
    house = paid()
    page = device(f"{house.url}/children", javascript=False).page
    add_child(page, **MIA)
    go(page, "Tonight")
    tick(page, "Mia")
    page.get_by_label("What should it be about?").fill("a shy dragon")
    page.get_by_role("button", name="See what will be sent").click()
    expect(page.locator(".sent")).to_contain_text("a shy dragon")
    expect(page.locator(".sent h2")).to_be_in_viewport()
    expect(page.get_by_label("What should it be about?")).to_have_value("a shy dragon")
    page.get_by_role("button", name="A tale from the book now").click()
    page.wait_for_url(JOB_PAGE)
    house.ended(1)
    page.reload()
    read_it(page)
    page.locator(".far select").select_option("4")
    page.get_by_role("button", name="We got this far").click()
    expect(page.locator("#p4.here")).to_be_visible()
    page.get_by_role("button", name="too long").click()
    expect(page.get_by_role("button", name="too long")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="too long").click()
    expect(page.get_by_role("button", name="too long")).to_have_attribute("aria-pressed", "false")
    page.goto(f"{house.url}/stories/1")
    page.get_by_role("link", name="Go on from where we were").click()
    expect(page.locator("#p4")).to_be_in_viewport()
    expect(page.get_by_text("use the browser’s own menu")).to_be_attached()
    go_by_link = page.get_by_role("link", name="Continue tomorrow")
    go_by_link.click()
    page.get_by_role("button", name="Tell it").click()
    house.ended(2)
    page.reload()
    read_it(page)
    assert [row["part"] for row in house.rows("SELECT part FROM stories ORDER BY id")] == [1, 2]


def test_nothing_jumps_while_a_story_is_told(paid: Houses, provider: Provider, device: Devices) -> None:
    provider.set_mode("ok@0.03")
    house = paid()
    page = device(house.url).page
    page.add_init_script(
        """
        window.shifted = [];
        new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.shifted.push(entry.value)))
            .observe({ type: "layout-shift", buffered: true });
        """
    )
    job_id = house.asked(idea="a shy dragon")
    page.goto(f"{house.url}/stories/jobs/{job_id}")
    expect(page.locator(".ended")).to_be_visible()
    assert page.evaluate("window.shifted") == []


def test_the_book_is_offered_at_once_when_the_storyteller_is_paused(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    house = paid()
    assert "Ready in" not in house.get("/", headers={"Accept": "text/html"}).text, "nobody knows yet"
    house.ended(house.asked())
    assert "Ready in under a minute." in house.get("/", headers={"Accept": "text/html"}).text
    provider.set_mode("status:401")
    job_id = house.asked()
    house.until(job_id, lambda _: house.rows("SELECT 1 FROM queues WHERE paused_at IS NOT NULL"))
    page = device(house.url).page
    expect(page.locator(".besides.now")).to_contain_text("The storyteller is paused")
    expect(page.locator(".under")).not_to_contain_text("Ready in")
    expect(page.locator(".jump")).to_contain_text("1 is on the way")
    tick(page, "Mia")
    page.locator("[name=idea]").fill("a shy dragon")
    page.get_by_role("button", name="A tale from the book now").click()
    read_it(page)
    expect(page.locator(".end")).to_contain_text("the built-in book")
    assert house.job(job_id)["status"] == "pending"
    assert len(provider.requests()) == 2
    assert faults(page) == []


def test_the_book_says_that_it_tells_in_english(household: Houses, device: Devices) -> None:
    house = household()
    house.ended(house.asked(language="de"))
    page = device(f"{house.url}/stories/1").page
    expect(page.locator("article")).to_have_attribute("lang", "en")
    expect(page.locator("article")).to_contain_text("Deutsch was wished for; the built-in book tells in English only.")


def test_a_tale_much_shorter_than_wished_says_so_at_its_foot(household: Houses) -> None:
    house = household()
    for minutes in (15, 3):
        house.ended(house.asked(minutes=minutes))
    long, short = (house.get(f"/stories/{story_id}", headers={"Accept": "text/html"}).text for story_id in (1, 2))
    assert "It is shorter than the 15 minutes that were wished for" in long.split("<footer")[1]
    assert "that were wished for" not in short


def test_the_book_goes_on_where_it_can_and_says_so_where_it_cannot(household: Houses, device: Devices) -> None:
    house = household()
    folder = Running.root / "bedtime" / "tales"
    heads = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("[a-z0-9]*.md")}
    before = {found[1]: slug for slug, text in heads.items() if (found := re.search(r"(?m)^after: *(\S+)", text))}
    house.ended(house.asked())
    page = device(f"{house.url}/stories/1").page
    tale = house.rows("SELECT tale FROM stories")[0]["tale"]
    says = "Continue tomorrow" if tale in before else "The book has no further part of this one."
    expect(page.locator(".tomorrow")).to_have_text(says)
    page.goto(f"{house.url}/?continues=1")
    expect(page.locator(".goes-on")).to_be_visible()


def test_more_of_the_shelf_comes_as_one_scrolls(household: Houses, device: Devices) -> None:
    house = household(queue_max=100)
    for job_id in [house.asked() for _ in range(60)]:
        house.ended(job_id)
    page = device(f"{house.url}/stories?q=mia").page
    cards = page.locator(".cards > li:not(.more)")
    expect(cards).to_have_count(24)
    for count in (48, 60):
        page.locator(".cards .more").scroll_into_view_if_needed()
        expect(cards).to_have_count(count)
    expect(page.locator(".cards .more")).to_have_count(0)
    shown = page.locator(".cards > li > a").evaluate_all("all => all.map((one) => one.pathname)")
    assert len(set(shown)) == 60


def test_a_search_by_hand(household: Houses, device: Devices) -> None:
    house = household()
    for _ in range(2):
        house.ended(house.asked())
    title = house.get("/stories/1").json()["title"]
    page = device(f"{house.url}/stories").page
    page.get_by_label("Look for a story").fill(title)
    page.get_by_role("button", name="Look").click()
    expect(page.locator(".cards > li").first).to_contain_text(title)
    page.get_by_label("Look for a story").fill('"*')
    page.get_by_role("button", name="Look").click()
    expect(page.locator(".empty")).to_contain_text('“"*”')
    page.get_by_role("link", name="See all stories").click()
    expect(page.locator(".cards > li")).to_have_count(2)


# --- the reader -----------------------------------------------------------------------------------


@pytest.fixture
def reading(household: Houses, device: Devices) -> Callable[..., tuple[Running, Page]]:
    """Opens a story in a browser that `script` has changed before."""

    def open_story(script: str = "", **more: object) -> tuple[Running, Page]:
        house = household()
        house.ended(house.asked())
        page = device(house.url, **more).page
        if script:
            page.add_init_script(script)
        page.goto(f"{house.url}/stories/1")
        return house, page

    return open_story


Reading = Callable[..., tuple[Running, Page]]


def test_to_open_a_story_is_not_to_read_it(reading: Reading) -> None:
    house, page = reading()
    page.locator("#p3").scroll_into_view_if_needed()
    page.goto(f"{house.url}/stories")
    expect(page.locator(".cards")).to_contain_text("not read yet")
    assert house.rows("SELECT * FROM readings") == []


def test_the_end_is_told_once(reading: Reading) -> None:
    house, page = reading(turns=True)
    posts: list[str] = []
    page.on("request", lambda request: posts.append(str(request.post_data)) if request.method == "POST" else None)
    for _ in range(3):
        page.locator(".night").scroll_into_view_if_needed()
        page.evaluate("new Promise((seen) => new IntersectionObserver(seen).observe(document.querySelector('.night')))")
        page.clock.fast_forward("00:05")
        eventually(lambda: house.rows("SELECT * FROM readings"), what="the end")
        page.evaluate("scrollTo(0, 0)")
        page.evaluate("new Promise((seen) => new IntersectionObserver(seen).observe(document.querySelector('.night')))")
    assert posts == [f"paragraph={len(house.get('/stories/1').json()['paragraphs'])}"]


VOICE = """
  window.said = [];
  window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
  Object.defineProperty(window, "speechSynthesis", { value: {
    getVoices: () => [{ localService: false, lang: "en-US" }, { localService: true, lang: "en-GB", name: "ours" }],
    addEventListener() {},
    speak(one) { window.said.push(one); window.now = one; },
    cancel() { window.now = null; },
  } });
  window.finish = () => window.now?.onend();
"""


def test_it_is_read_aloud_sentence_by_sentence(reading: Reading) -> None:
    _, page = reading(VOICE)
    before = page.locator("article").inner_text()
    page.get_by_role("button", name="Read aloud").click()
    expect(page.locator(".said")).to_have_count(1)
    for _ in range(5):
        said = page.evaluate("window.now.text")
        expect(page.locator(".said")).to_have_text(said.strip())
        page.evaluate("window.finish()")
    assert page.evaluate("window.said.every((one) => one.voice.name === 'ours')")
    assert page.locator("article").inner_text() == before
    rate = page.evaluate("window.now.rate")
    page.get_by_role("button", name="faster").click()
    assert page.evaluate("window.now.rate") > rate
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".said")).to_have_count(0)
    assert page.evaluate("window.now") is None


def test_stressed_words_stay_stressed_when_they_are_read_aloud(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    provider.set_story("Stress\n\n*Three words here.* And *one* more. It was *very*, very\xa0*big*.\n\nGood night.")
    house = paid()
    house.ended(house.asked())
    page = device(house.url).page
    page.add_init_script(VOICE)
    page.goto(f"{house.url}/stories/1")
    before = page.locator("#p1").evaluate("one => [one.textContent, one.querySelectorAll('em').length]")
    page.get_by_role("button", name="Read aloud").click()
    expect(page.locator(".said")).to_have_text("Three words here.")
    assert page.locator("#p1").evaluate("one => [one.textContent, one.querySelectorAll('em').length]") == before
    assert page.locator("#p1 > span").all_inner_texts() == [
        "Three words here. ",
        "And one more. ",
        "It was very, very\xa0big.",
    ]


def test_a_break_between_two_scenes_is_a_short_line_with_air_around_it(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    provider.set_story("Dots\n\nIt was late.\n\n* * *\n\nIt was early.")
    house = paid()
    house.ended(house.asked())
    page = device(f"{house.url}/stories/1").page
    line, text = page.locator("article hr").bounding_box(), page.locator("#p1").bounding_box()
    assert line and text and line["width"] < text["width"] / 2
    assert line["y"] - (text["y"] + text["height"]) > 16


def test_no_letter_is_lost_where_the_browser_knows_no_sentences(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    paragraphs = [
        "…and then it was quiet. Good night.",
        "“Oh!” … said the owl. It was late.",
        "“Wait.” ...The end",
        "?!",
    ]
    provider.set_story("\n\n".join(["Dots", *paragraphs]))
    house = paid()
    house.ended(house.asked())
    page = device(house.url).page
    page.add_init_script(f"{VOICE} delete Intl.Segmenter;")
    page.goto(f"{house.url}/stories/1")
    before = page.locator("article").inner_text()
    page.get_by_role("button", name="Read aloud").click()
    expect(page.locator(".said")).to_have_count(1)
    assert page.locator("article").inner_text() == before
    assert "".join(page.locator("#p1 > span").all_inner_texts()) == paragraphs[0]


def test_what_was_wished_again_is_on_tonight_until_it_is_read_once_more(reading: Reading) -> None:
    """Its bookmark stands at its end then, and the end has to be told all the same; but not in the reading that wished it."""
    house, page = reading(turns=True)
    end = len(house.get("/stories/1").json()["paragraphs"])
    house.post("/stories/1/reading", data={"paragraph": str(end)})
    page.reload()
    page.get_by_role("button", name="again!").click()
    expect(page.get_by_role("button", name="again!")).to_have_attribute("aria-pressed", "true")
    page.reload()
    page.locator(".night").scroll_into_view_if_needed()
    page.evaluate("new Promise((seen) => new IntersectionObserver(seen).observe(document.querySelector('.night')))")
    page.clock.fast_forward("00:05")
    eventually(lambda: house.rows("SELECT again_at FROM stories") == [{"again_at": None}], what="the end of the wish")


@pytest.mark.parametrize("width", [320, 360, 390, 1024])
def test_what_there_is_while_it_reads_aloud_stands_whole_in_the_window(reading: Reading, width: int) -> None:
    _, page = reading(VOICE, viewport={"width": width, "height": 844})
    page.get_by_role("button", name="Read aloud").click()
    expect(page.locator(".speed")).to_be_visible()
    for one in page.locator(".speed > *, .speed select").all():
        box = one.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= width, one.inner_text()
    assert page.locator(".until").evaluate("one => one.scrollWidth <= one.clientWidth")


def test_the_sleep_timer_lets_the_sentence_end_and_is_quiet_then(reading: Reading) -> None:
    _, page = reading(VOICE, turns=True)
    page.get_by_role("button", name="Read aloud").click()
    page.locator(".until").select_option("5")
    page.clock.fast_forward("04:30")
    page.evaluate("window.finish()")
    expect(page.locator(".said")).to_have_count(1)
    page.clock.fast_forward("01:00")
    assert page.evaluate("window.now") is not None
    page.evaluate("window.finish()")
    expect(page.locator(".said")).to_have_count(0)
    expect(page.get_by_role("button", name="Read aloud")).to_be_visible()


def test_without_a_voice_of_this_device_no_button_promises_one(reading: Reading) -> None:
    _, page = reading()
    expect(page.locator(".aloud")).to_be_hidden()


def test_a_copy_on_this_device_opens_while_the_house_sleeps(reading: Reading) -> None:
    house, page = reading()
    page.locator(".device summary").click()
    page.get_by_role("button", name="Keep a copy on this device").click()
    expect(page.get_by_role("button", name="Kept here")).to_be_visible()
    title = page.get_by_role("heading", level=1).inner_text()
    house.kill()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    assert page.evaluate("getComputedStyle(document.querySelector('.story')).maxInlineSize") != "none"
    page.locator(".device summary").click()
    page.get_by_role("button", name="Kept here").click()
    expect(page.get_by_role("button", name="Keep a copy on this device")).to_be_visible()


def test_a_copy_on_this_device_opens_while_a_proxy_answers_for_the_house(household: Houses, device: Devices) -> None:
    """A closed door is an answer of the house; 502 is the proxy's word that the house gives none."""
    house = household()
    house.ended(house.asked())
    with Proxy(house.url) as before:
        page = device(f"{before}/stories/1").page
        page.locator(".device summary").click()
        page.get_by_role("button", name="Keep a copy on this device").click()
        expect(page.get_by_role("button", name="Kept here")).to_be_visible()
        page.wait_for_function("() => navigator.serviceWorker.controller !== null")
        title = page.get_by_role("heading", level=1).inner_text()
        house.kill()
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        assert page.evaluate("getComputedStyle(document.querySelector('.story')).maxInlineSize") != "none"
        answer = page.goto(f"{before}/stories")
        assert answer is not None and answer.status == 502


def test_a_browser_that_cannot_be_asked_about_scripts_shows_what_is_for_those_that_run_them(
    household: Houses, device: Devices
) -> None:
    """Safari before 17, Firefox before 113, Chrome before 120: https://caniuse.com/mdn-css_at-rules_media_scripting"""
    house = household()
    house.ended(house.asked())
    page = device(house.url).page

    def before_2023(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("(scripting:", "(unheard-of:"))

    page.route("**/*.css*", before_2023)
    page.goto(f"{house.url}/stories/1")
    expect(page.locator(".far select")).to_be_hidden()
    page.get_by_text("Take it along").click()
    expect(page.get_by_role("button", name="Print", exact=True)).to_be_visible()
    expect(page.get_by_text("the browser’s own menu")).to_be_hidden()


def test_where_the_browser_has_no_place_and_no_lock_a_plain_word_says_why(reading: Reading) -> None:
    _, page = reading(
        """
        Object.defineProperty(window, "isSecureContext", { value: false });
        delete Navigator.prototype.wakeLock;
        """
    )
    page.locator(".device summary").click()
    expect(page.locator(".device")).to_contain_text("a browser lets no page keep it awake")
    expect(page.locator(".device")).to_contain_text("Take the story along as a file instead")
    expect(page.locator(".device .keep")).to_be_hidden()


@pytest.mark.parametrize(("button", "points"), [("Print", 13), ("Print in large letters", 19)])
def test_it_prints_in_two_sizes_and_prints_the_story_alone(reading: Reading, button: str, points: int) -> None:
    _, page = reading("window.printed = 0; window.print = () => { window.printed += 1; };", theme="ember")
    page.locator(".along summary").click()
    page.get_by_role("button", name=button, exact=True).click()
    assert page.evaluate("window.printed") == 1
    page.emulate_media(media="print")
    size = page.locator("#p1").evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
    assert round(size / 96 * 72) == points
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#p1").evaluate("one => getComputedStyle(one).color") == "rgb(0, 0, 0)"
    for selector in (".bar", ".back", ".marks", ".device"):
        expect(page.locator(selector)).to_be_hidden()
    expect(page.locator(".night")).to_be_visible()


def test_the_files_come_down_by_a_press(reading: Reading, tmp_path: Path) -> None:
    _, page = reading()
    page.locator(".along summary").click()
    for name, kind in (("EPUB", "epub"), ("One page", "html"), ("Plain text", "txt")):
        with page.expect_download() as coming:
            page.get_by_role("link", name=re.compile(name)).click()
        assert coming.value.suggested_filename == f"bedtime-story-1.{kind}"
