"""A story as a file: whole, well set in any script, and with nothing in it that could act, whatever a storyteller wrote."""

import html
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from browser import Devices
from playwright.sync_api import Browser, Page
from provider import Provider
from running import MIA, Running
from test_epub import FACTS, checked

import bedtime
from bedtime.epub import book
from bedtime.model import BANDS, Child
from bedtime.storytellers.book import BookTeller

PAGE = {"headers": {"Accept": "text/html"}}
KINDS = {"epub": "application/epub+zip", "html": "text/html; charset=utf-8", "txt": "text/plain; charset=utf-8"}
THE_BOOK = BookTeller(Path(bedtime.__file__).parent / "tales")
HOSTILE_TITLE = """<script>fetch('/evil?1')</script><img src=x onerror="fetch('/evil?2')"> & "Mia's" ]]>"""
HOSTILE = (
    """<script src="/evil?3"></script><script>document.title = "evil"; fetch("/evil?4")</script>""",
    """<div hx-get="/evil?5" hx-trigger="load" hx-on:load="fetch('/evil?6')">once</div>""",
    """<form action="/stories/1/mark" method="post" hx-post="/evil?7" hx-trigger="load"><button>press</button></form>""",
    """<a href="javascript:fetch('/evil?8')">click</a> <svg onload="fetch('/evil?9')"><image href="/evil?10"/></svg>""",
    """*<img src="/evil?11" onerror=alert(1)>* <style>@import "/evil?12"; body { background: url(/evil?13) }</style>""",
    """{{ 7 * 7 }} {% include "base.html" %} ${7*7} <iframe src="/evil?14"></iframe> <meta http-equiv=refresh content=0>""",
    """</p></article></main><base href="//evil.example/"><link rel=stylesheet href="/evil?15">""",
)
ARABIC = "القمر الذي أضاع وسادته\n\nكان القمر صغيرا.\n\nنام القمر.\n\nتصبحون على خير."


@pytest.fixture
def told(paid: Callable[..., Running], provider: Provider) -> Callable[..., Running]:
    """Makes a house with one story on its shelf: the one that is given."""

    def tell(text: str, **wish: object) -> Running:
        provider.set_story(text)
        house = paid()
        assert house.ended(house.asked(**wish))["status"] == "completed"
        return house

    return tell


def files(house: Running, story_id: int = 1) -> dict[str, bytes]:
    answers = {kind: house.get(f"/stories/{story_id}/story.{kind}") for kind in KINDS}
    for kind, answer in answers.items():
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, KINDS[kind])
        assert answer.headers["Content-Disposition"] == f"attachment; filename=bedtime-story-{story_id}.{kind}"
    return {kind: answer.content for kind, answer in answers.items()}


def epub_page(file: bytes) -> str:
    return zipfile.ZipFile(io.BytesIO(file)).read("book/story.xhtml").decode()


def text_of(markup: str) -> str:
    return html.unescape(" ".join(re.sub(r"<[^>]*>", " ", markup).split()))


def test_each_file_holds_the_whole_story_with_its_names(household: Callable[..., Running]) -> None:
    house = household()
    house.ended(house.asked(children=[{**MIA, "nickname": "Zora"}]))
    story = house.get("/stories/1").json()
    made = files(house)
    plain = made["txt"].decode()
    assert plain == "\n\n".join([story["title"], *story["paragraphs"], ""])
    for markup in (made["html"].decode(), epub_page(made["epub"])):
        shown = text_of(markup)
        for text in (story["title"], *story["paragraphs"]):
            assert " ".join(text.replace("*", " ").split()) in shown.replace("*", " ") or "*" in text
    assert "Zora" in plain
    assert "{child" not in plain


def test_every_tale_of_the_book_makes_a_book_that_passes_epubcheck(tmp_path: Path) -> None:
    """All of them in one file, so that it is one run; and each of them has the parts that this one has."""
    paragraphs: list[str] = []
    for tale in THE_BOOK.tales:
        draft = THE_BOOK.tell_again(tale.slug, [Child(1, "Mia", tale.band, "she"), Child(2, "Theo", BANDS[-1], "he")])
        paragraphs += [draft.title, *draft.paragraphs]
        assert members(book(draft.title, draft.paragraphs, **FACTS)) == members(book("One", ("Two",), **FACTS))
    path = tmp_path / "all.epub"
    path.write_bytes(book(" & ".join(tale.title for tale in THE_BOOK.tales), paragraphs, **FACTS))
    said = checked(path)
    assert said.returncode == 0, said.stdout + said.stderr


def members(file: bytes) -> dict[str, list[str]]:
    """What each part of a book is made of: elements and attributes, but for how many of them there are."""
    archive = zipfile.ZipFile(io.BytesIO(file))
    return {
        name: sorted(
            {f"{node.tag} {sorted(node.attrib)}" for node in ElementTree.fromstring(archive.read(name)).iter()}
            - LETTERS
        )
        for name in archive.namelist()
        if name.endswith((".xhtml", ".opf", ".xml"))
    }


LETTERS = {f"{{http://www.w3.org/1999/xhtml}}{name} []" for name in ("em", "hr")}


def test_stress_is_stressed_and_stars_alone_end_a_scene(told: Callable[..., Running]) -> None:
    house = told("The *Big* Sneeze\n\nIt was *very* big.\n\n* * *\n\nThen 2 * 3 * 4 was six.")
    made = files(house)
    for page in (house.get("/stories/1", **PAGE).text, made["html"].decode(), epub_page(made["epub"])):
        assert re.search(r"It was <em>very</em> big\.", page)
        assert len(re.findall(r"<hr ?/?>", page)) == 1
        assert "2 * 3 * 4" in page
    assert "It was *very* big." in made["txt"].decode()


def test_a_story_in_arabic_runs_from_right_to_left(told: Callable[..., Running]) -> None:
    house = told(ARABIC, language="ar", children=[{**MIA, "nickname": "ليلى"}])
    made = files(house)
    for page in (house.get("/stories/1", **PAGE).text, made["html"].decode(), epub_page(made["epub"])):
        assert re.search(r'<(article|html)[^>]* lang="ar"', page)
        assert re.search(r'<(article|html)[^>]* dir="rtl"', page)
    assert "ليلى" in made["html"].decode()


def test_ten_thousand_words_are_a_story_like_any_other(told: Callable[..., Running], device: Devices) -> None:
    paragraph = "The long way home was a very long way, and " * 25 + "so on."
    house = told("A Very Long Way\n\n" + "\n\n".join([paragraph] * 40))
    story = house.get("/stories/1").json()
    assert sum(len(one.split()) for one in story["paragraphs"]) > 10_000
    assert files(house)["txt"].decode().count("so on.") == 40
    page = device(house.url + "/stories/1").page
    assert not scrolls_sideways(page)


def test_a_word_of_three_hundred_letters_stays_on_the_page(told: Callable[..., Running], device: Devices) -> None:
    house = told(f"{'A' * 300}\n\nThere was a {'z' * 300}.\n\nIt slept.", children=[{**MIA, "nickname": "W" * 40}])
    for path in ("/stories/1", "/stories", "/", "/children", "/?continues=1"):
        for viewport in ({"width": 320, "height": 640}, {"width": 1024, "height": 768}):
            page = device(house.url + path, viewport=viewport).page
            assert not scrolls_sideways(page), (path, viewport)
            page.close()


def scrolls_sideways(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


# --- nothing acts ---------------------------------------------------------------------------------


@pytest.fixture
def hostile(told: Callable[..., Running]) -> Running:
    return told("\n\n".join([HOSTILE_TITLE, *HOSTILE]))


@pytest.fixture
def listener(chromium: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A page, and everything that it asked anybody for; without what guards the pages of the house."""
    context = chromium.new_context(bypass_csp=True)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(f"dialog {dialog.message}"))
    yield page, asked
    context.close()


def test_a_story_that_is_markup_is_text_everywhere(hostile: Running) -> None:
    story = hostile.get("/stories/1").json()
    assert [story["title"], *story["paragraphs"]] == [HOSTILE_TITLE, *HOSTILE]
    made = files(hostile)
    pages = [hostile.get(path, **PAGE).text for path in ("/stories/1", "/stories", "/", "/?continues=1")]
    for page in (*pages, made["html"].decode(), epub_page(made["epub"])):
        elements = re.findall(r"<(script|img|form|iframe|svg|image|style|base|link|meta|div|a)\b[^>]*evil[^>]*>", page)
        assert elements == []
        assert "<script>" not in page
    ElementTree.fromstring(epub_page(made["epub"]))


@pytest.mark.parametrize("where", ["page", "shelf", "html", "epub"])
def test_a_story_that_is_markup_sends_nothing_even_without_our_policy(
    hostile: Running, listener: tuple[Page, list[str]], tmp_path: Path, where: str
) -> None:
    """The policy is switched off here: what holds is that a story is text."""
    page, asked = listener
    made = files(hostile)
    if where == "html":
        (tmp_path / "story.html").write_bytes(made["html"])
    if where == "epub":
        zipfile.ZipFile(io.BytesIO(made["epub"])).extractall(tmp_path)
    page.goto(
        {
            "page": f"{hostile.url}/stories/1",
            "shelf": f"{hostile.url}/stories",
            "html": (tmp_path / "story.html").as_uri(),
            "epub": (tmp_path / "book" / "story.xhtml").as_uri(),
        }[where]
    )
    page.wait_for_load_state("networkidle")
    for one in page.locator("h1, article p, body > p, main > p").filter(visible=True).all():
        one.click()
    assert page.title() != "evil"
    assert [url for url in asked if "evil" in url or url.startswith("dialog")] == []
    assert hostile.rows("SELECT favourite FROM stories") == [{"favourite": 0}]


def test_the_page_that_is_taken_along_needs_nothing_and_has_a_policy_of_its_own(
    household: Callable[..., Running], chromium: Browser, tmp_path: Path
) -> None:
    house = household()
    house.ended(house.asked())
    (tmp_path / "story.html").write_bytes(files(house)["html"])
    grounds = {}
    for scheme in ("light", "dark"):
        context = chromium.new_context(color_scheme=scheme)
        page, asked = context.new_page(), []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto((tmp_path / "story.html").as_uri())
        assert {url.partition(":")[0] for url in asked} <= {"file", "data"}
        assert page.locator("img").evaluate("one => one.complete && one.naturalWidth > 0")
        grounds[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
        blocked = "fetch('https://example.org').then(() => 'went', () => 'held')"
        assert page.evaluate(blocked) == "held"
        context.close()
    assert grounds["light"] != grounds["dark"]
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', (tmp_path / "story.html").read_text())
    assert policy and html.unescape(policy[1]).startswith("default-src 'none'")


@pytest.mark.parametrize("path", ["/stories/1/story.pdf", "/stories/2/story.epub", f"/stories/{10**30}/story.txt"])
def test_what_is_no_file_is_a_page_that_says_so(household: Callable[..., Running], path: str) -> None:
    house = household()
    house.ended(house.asked())
    answer = house.get(path, **PAGE)
    assert answer.status_code == 404
    assert "There is no such story" in answer.text
