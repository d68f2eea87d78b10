"""The doors in a real browser: set-up, pairing, PIN, a closed door under a fragment, and a page on another port."""

import http.server
import re
import threading
from collections.abc import Callable, Iterator

import pytest
from browser import PHONE, SECONDS_TO_SEE, Devices
from doors import PASSPHRASE, PIN
from playwright.sync_api import Browser, BrowserContext, Page, expect
from running import Running, eventually
from test_accessible import faults

Phones = Callable[..., Page]


@pytest.fixture
def house(household: Callable[..., Running]) -> Running:
    """It has a name, so that nobody is at home, not even a browser on loopback."""
    return household(hosts="http://story.home.arpa")


@pytest.fixture
def phones(chromium: Browser, house: Running) -> Iterator[Phones]:
    """Makes phones, each with a jar of cookies of its own."""
    contexts: list[BrowserContext] = []

    def make(*, javascript: bool = True, theme: str = "night") -> Page:
        context = chromium.new_context(viewport=PHONE, base_url=house.url, java_script_enabled=javascript)
        context.add_cookies([{"name": "theme", "value": theme, "url": house.url}])
        context.set_default_timeout(SECONDS_TO_SEE * 1000)
        contexts.append(context)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()


def set_up(house: Running, page: Page) -> None:
    page.goto(f"/setup/{(house.folder / 'setup_token').read_text()}")
    page.get_by_label("Passphrase").fill(PASSPHRASE)
    page.get_by_label("PIN, six digits").fill(PIN)
    page.get_by_role("button", name="Keep both").click()
    expect(page.get_by_role("heading", name="Grown-ups")).to_be_visible()


def come_in(page: Page) -> None:
    page.get_by_label("The passphrase of this house").fill(PASSPHRASE)
    page.get_by_role("button", name="Come in").click()


def give(page: Page, pin: str) -> None:
    page.get_by_label("Six digits").fill(pin)
    page.get_by_role("button", name="Go on").click()


def code_for(page: Page, name: str) -> str:
    """The address that pairs a device, as a grown-up's page shows it."""
    page.goto("/devices")
    page.locator("#name").fill(name)
    page.get_by_role("button", name="Show the code").click()
    return "/pair/" + page.locator(".typed").inner_text().split("/pair/")[1]


@pytest.mark.parametrize("javascript", [True, False])
def test_a_house_is_opened_a_tablet_paired_and_a_second_grown_up_let_in(
    house: Running, phones: Phones, javascript: bool
) -> None:
    phone, tablet, other = (phones(javascript=javascript) for _ in range(3))
    tablet.goto("/")
    expect(tablet.get_by_role("heading")).to_have_text("Look at the computer that it runs on")
    set_up(house, phone)
    tablet.goto(code_for(phone, "the tablet"))
    tablet.get_by_role("button", name="Yes, let it in").click()
    expect(tablet.get_by_role("heading", name="Tonight", exact=True)).to_be_visible()
    expect(tablet.get_by_role("link", name="Grown-ups")).to_have_count(0)
    tablet.goto("/devices")
    expect(tablet.get_by_role("heading")).to_have_text("This door is for grown-ups")
    other.goto("/devices")
    come_in(other)
    give(other, "111222")
    expect(other.get_by_text("That is not the PIN.")).to_be_visible()
    give(other, PIN)
    expect(other.get_by_text("the tablet", exact=True)).to_be_visible()


def test_a_press_that_the_pin_stopped_happens_once_the_pin_is_given(house: Running, phones: Phones) -> None:
    phone, other = phones(), phones()
    set_up(house, phone)
    phone.goto("/children")
    phone.get_by_label("What do you call them?").fill("Amelie")
    phone.get_by_label("How old?").select_option("4-5")
    phone.get_by_label("She, he or they?").select_option("she")
    phone.get_by_role("button", name="Add").click()
    other.goto("/children/1/delete")
    come_in(other)
    other.locator("form[action='/children/1/delete'] button").click()
    expect(other.get_by_text("What you pressed happens right after")).to_be_visible()
    assert len(house.rows("SELECT id FROM children")) == 1
    give(other, "111222")
    give(other, PIN)
    eventually(lambda: not house.rows("SELECT id FROM children"), what="the press")


def test_a_page_that_waits_is_led_to_the_sign_in_when_its_session_ends(house: Running, phones: Phones) -> None:
    """htmx would put a sign-in page into the fragment that it polls."""
    phone = phones()
    set_up(house, phone)
    job_id = phone.evaluate(
        """async () => (await (await fetch("/stories/generate", {method: "POST",
            headers: {"Content-Type": "application/json", "Accept": "application/json", "Idempotency-Key": "one"},
            body: JSON.stringify({children: [{nickname: "Mia", band: "4-5", pronouns: "she"}], from_book: true})})).json()
        ).job_id"""
    )
    phone.goto(f"/stories/jobs/{job_id}")
    eventually(lambda: house.rows("SELECT id FROM jobs WHERE status = 'completed'"), what="the tale")
    phone.context.clear_cookies()
    phone.evaluate("(path) => { htmx.ajax('GET', path, {target: 'main'}); }", f"/stories/jobs/{job_id}")
    phone.wait_for_url(re.compile("/sign-in[?]next="))
    expect(phone.get_by_role("heading")).to_have_text("Good evening")


@pytest.mark.parametrize("javascript", [True, False])
def test_what_was_typed_outlives_the_session(house: Running, phones: Phones, javascript: bool) -> None:
    """With htmx the form stays, and is pressed again once one has come in elsewhere; without it the press goes on."""
    phone = phones(javascript=javascript)
    set_up(house, phone)
    phone.goto("/")
    phone.get_by_label("What do you call them?").first.fill("Amelie")
    phone.get_by_label("How old?").first.select_option("4-5")
    phone.get_by_label("She, he or they?").first.select_option("she")
    phone.locator("[name=idea]").fill("a shy dragon")
    phone.context.clear_cookies()
    phone.get_by_role("button", name="Tell it").click()
    if javascript:
        expect(phone.locator(".say")).to_contain_text("Sign in in another tab, then press again")
        expect(phone.locator("[name=idea]")).to_have_value("a shy dragon")
        tab = phone.context.new_page()
        tab.goto("/")
        come_in(tab)
        expect(tab.get_by_role("heading", name="Tonight", exact=True)).to_be_visible()
        phone.get_by_role("button", name="Tell it").click()
    else:
        come_in(phone)
    eventually(lambda: house.rows("SELECT id FROM story_requests WHERE idea = 'a shy dragon'"), what="the press")
    phone.wait_for_url("**/stories/jobs/1")


@pytest.mark.parametrize("theme", ["night", "day", "ember"])
def test_the_pages_of_the_doors_are_clean_to_axe(house: Running, phones: Phones, theme: str) -> None:
    phone, guest = phones(theme=theme), phones(theme=theme)
    guest.goto("/")
    clean(guest)
    guest.goto(f"/setup/{(house.folder / 'setup_token').read_text()}")
    clean(guest)
    set_up(house, phone)
    for path in ("/grown-ups", "/devices"):
        phone.goto(path)
        clean(phone)
    guest.goto(code_for(phone, "the tablet"))
    clean(phone)
    clean(guest)
    phone.goto("/devices")
    phone.get_by_text("A script, or the house’s automation").click()
    phone.locator("#script-name").fill("kitchen clock")
    phone.get_by_role("button", name="Make a token").click()
    clean(phone)
    guest.goto("/devices")
    guest.get_by_label("The passphrase of this house").fill("not this one")
    guest.get_by_role("button", name="Come in").click()
    clean(guest)
    come_in(guest)
    give(guest, "111222")
    clean(guest)


def clean(page: Page) -> None:
    assert faults(page) == [], page.url


# --- a web page elsewhere -------------------------------------------------------------------------

PRESS = """<!doctype html><title>elsewhere</title><form method="post" action="{url}{path}" enctype="{kind}">
<input name="idempotency_key" value="from-elsewhere"><input name="nickname" value="Mia"><input name="band" value="4-5">
<input name="pronouns" value="she"><input name="minutes" value="3"></form><script>document.forms[0].submit()</script>"""
FETCH = """<!doctype html><title>elsewhere</title><script>
const wish = JSON.stringify({{children: [{{nickname: "Mia", band: "4-5", pronouns: "she"}}], idempotency_key: "fetched"}});
const ask = (more) => fetch("{url}/stories/generate", {{method: "POST", credentials: "include", body: wish, ...more}});
const image = () => new Promise((done, fail) => {{
  const moon = new Image(); moon.onload = done; moon.onerror = fail; moon.src = "{url}/look/moon-3.svg";
}});
const tries = [
  () => ask({{mode: "no-cors"}}),
  () => ask({{headers: {{"Content-Type": "application/json"}}}}),
  () => fetch("{url}/stories", {{credentials: "include"}}).then((answer) => answer.text()),
  image,
];
window.results = Promise.all(tries.map((one) => one().then((got) => got?.type ?? "read", () => "refused")));
</script>"""


@pytest.mark.parametrize("path", ["/stories/generate", "/stories/preview", "/queues/stories/resume", "/look"])
@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"])
def test_a_web_page_elsewhere_in_the_browser_presses_nothing_here(
    at_home: Running, chromium: Browser, path: str, kind: str
) -> None:
    """On another port of the same host, where cookies and loopback are shared, and nobody has to sign in."""
    with Elsewhere(PRESS.format(url=at_home.url, path=path, kind=kind)) as url:
        tab = chromium.new_page()
        with tab.expect_response(at_home.url + path) as answer:
            tab.goto(url)
        expect(tab.get_by_role("heading")).to_have_text("This came from another page")
        tab.close()
    assert answer.value.status == 403
    assert at_home.rows("SELECT id FROM jobs") == at_home.rows("SELECT id FROM children") == []


def test_a_web_page_elsewhere_in_the_browser_reads_nothing_here(at_home: Running, chromium: Browser) -> None:
    with Elsewhere(FETCH.format(url=at_home.url)) as url:
        tab = chromium.new_page()
        tab.goto(url)
        blind, *others = tab.evaluate("() => window.results")
        tab.close()
    assert blind in ("opaque", "refused"), "sent blindly, and not read"
    assert others == ["refused"] * 3
    assert at_home.rows("SELECT id FROM jobs") == at_home.rows("SELECT id FROM children") == []


@pytest.fixture(scope="module")
def at_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A house that is open to whoever sits at the computer."""
    with Running(tmp_path_factory.mktemp("home") / "house") as house:
        yield house


class Elsewhere:
    """A server of somebody else's, with one page."""

    def __init__(self, page: str) -> None:
        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(page.encode())

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> str:
        self._thread.start()
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def test_at_the_computer_itself_nobody_signs_in(household: Callable[..., Running], device: Devices) -> None:
    page = device(household().url + "/grown-ups").page
    expect(page.get_by_text("No passphrase yet: open to this computer only.")).to_be_visible()
    page.get_by_role("link", name="Devices").click()
    expect(page.get_by_text("make run HOST=0.0.0.0")).to_be_visible()
