"""A real browser for what a person sees: one Chromium for each test process, a device of its own for each test."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright
from running import Running

PHONE = {"width": 390, "height": 844}
TABLET = {"width": 1024, "height": 768}
SECONDS_TO_SEE = 30.0  # a busy machine is no fault
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # The last such flag counts: first what Playwright itself switches off, then what would draw an address bar for each tab
    # in a process of its own, which nobody sees: 0.7 instead of 1.8 s of a core for each tab of a test.
    "--disable-features=AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,"
    "HttpsFirstBalancedModeAutoEnable,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,OptimizationHints,"
    "NetworkTimeServiceQuerying,InitialWebUI,WebUIOmniboxPopup,WebUIOmniboxAimPopup",
)


@dataclass
class Device:
    """A phone or a tablet with one page open. It writes down whom it asked, and what its page complained about."""

    page: Page
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def listen(self) -> None:
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda said: self._said(said.text))

    def hosts(self) -> set[str]:
        """Whom the page asked for anything; `data:` is nobody."""
        return {parts.netloc for parts in map(urlsplit, self.asked) if parts.scheme not in ("data", "blob", "about")}

    def _said(self, text: str) -> None:
        if "Content Security Policy" in text or "Refused to" in text:
            self.complaints.append(text)


Houses = Callable[..., Running]
Devices = Callable[..., Device]


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Debian's Chromium, with a home of its own, and with the back/forward cache that people have."""
    program = shutil.which("chromium")
    assert program, "chromium is not here: make test installs it, or says how"
    home = tmp_path_factory.mktemp("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program,
            args=list(FLAGS),
            ignore_default_args=["--disable-back-forward-cache"],
            env={"PATH": "/usr/bin:/bin", "HOME": str(home), "XDG_CONFIG_HOME": str(home), "LANG": "C.UTF-8"},
        )
        expect.set_options(timeout=SECONDS_TO_SEE * 1000)
        yield browser
        browser.close()


@pytest.fixture
def device(chromium: Browser) -> Iterator[Devices]:
    """Makes devices: `device(house.url, javascript=False, htmx=False, theme="ember")`, open at that URL. With `turns`
    the tab can be turned away, and its clock can be moved on.

    At the end of the test every one of them must have asked one host only, and have met no error in a script of ours and
    nothing that our own policy forbids.
    """
    contexts: list[BrowserContext] = []
    devices: list[Device] = []

    def make(
        url: str, *, javascript: bool = True, htmx: bool = True, theme: str = "", turns: bool = False, **more: Any
    ) -> Device:
        context = chromium.new_context(**{"viewport": PHONE, "java_script_enabled": javascript, **more})
        contexts.append(context)
        context.set_default_timeout(SECONDS_TO_SEE * 1000)
        if theme:
            context.add_cookies([{"name": "theme", "value": theme, "url": url}])
        if not htmx:
            context.route(re.compile(r"/htmx\.min\.js"), lambda route: route.abort())
        if turns:
            context.add_init_script(_TURNS)
            context.clock.install()
        devices.append(Device(context.new_page()))
        devices[-1].listen()
        devices[-1].page.goto(url)
        return devices[-1]

    yield make
    for context in contexts:
        with suppress(Error):  # one whose page is just being loaded
            context.close()
    for one in devices:
        assert not one.complaints
        assert len(one.hosts()) <= 1, one.hosts()


# A tab that can be turned away (`turn(true)`), and that counts what it fetches: Chromium's is always in front here.
_TURNS = """
  let away = false;
  Object.defineProperty(document, "hidden", { get: () => away });
  window.turn = (to) => { away = to; document.dispatchEvent(new Event("visibilitychange")); };
  const really = window.fetch;
  window.fetched = 0;
  window.fetch = (...all) => { window.fetched += 1; return really(...all); };
"""
