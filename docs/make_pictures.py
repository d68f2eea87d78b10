"""Pictures of every page and theme, into docs/pictures/: `make pictures`.

It serves a house of its own from a temporary folder, with the built-in book and the provider of the tests, as a family
would have it after a few evenings, and looks at it with Chromium.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from browser import FLAGS, PHONE, TABLET  # noqa: E402
from conftest import paid_settings  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402
from provider import Provider  # noqa: E402
from running import MIA, Running  # noqa: E402

THEMES = ("night", "day", "ember")
SIZES = {"phone": PHONE, "tablet": TABLET}
THEO = {"nickname": "Theo", "band": "6-7", "pronouns": "he"}
IDEAS = ("a shy dragon", "the last bus home", "a hen on the night train", "what the attic keeps", "a very slow race")


@contextmanager
def furnished() -> Iterator[tuple[Running, int]]:
    """A house after a few evenings, and a job that is being told."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Provider(Path(folder) / "bills") as provider,
        Running(
            Path(folder) / "house", llm_idle_seconds=900, llm_total_seconds=900, **paid_settings(provider)
        ) as house,
    ):
        fill(house)
        provider.set_mode("hang_mid@0.02")
        job_id = house.asked(idea="the lighthouse that wanted a day off", children=[1, 2], minutes=3)
        house.until(job_id, lambda job: job["words"] > 120)
        yield house, job_id


def fill(house: Running) -> None:
    house.ended(house.asked(idea="a letter for the moon", children=[MIA, THEO]))
    for child_id, more in ((1, {**MIA, "likes": "foxes, the colour green"}), (2, {**THEO, "leave_out": "spiders"})):
        house.post(f"/children/{child_id}", data=more)
    for number, idea in enumerate(IDEAS):
        house.ended(house.asked(idea=idea, children=[1 + number % 2], from_book=True, minutes=6))
    house.ended(house.asked(idea="the lamp again", children=[1, 2], continues=1))
    house.post("/stories/3/mark", data={"favourite": "yes", "reaction": "loved_it"})
    house.post("/stories/2/reading", data={"paragraph": "4"})
    plan = {"child": ["1", "2"], "day": list("01234"), "at": "17:30", "zone": "Europe/Berlin", "minutes": "6"}
    house.post("/evenings", data={**plan, "mood": "calm", "themes": "the night bus\nthe sea", "language": "en"})
    house.post("/notes", data={"text": "dentist tomorrow", "until": tomorrow(house)})


def tomorrow(house: Running) -> str:
    """The day after today, as the house has it: the first day that its form of notes lets one choose, and one more."""
    now = house.rows("SELECT max(created_at) AS now FROM stories")[0]["now"]
    return str(house.rows("SELECT date(?, 'unixepoch', '+1 day') AS day", now)[0]["day"])


def pages(house: Running, job_id: int) -> dict[str, str]:
    return {
        "tonight": "/",
        "waiting": f"/stories/jobs/{job_id}",
        "shelf": "/stories",
        "nothing-found": "/stories?q=%22*%22",
        "story": "/stories/2",
        "story-end": "/stories/7#end",
        "continue": "/?continues=7",
        "children": "/children",
        "child": "/children#child-1",
        "deleting": "/children/1/delete",
        "evenings": "/evenings",
        "grown-ups": "/grown-ups",
        "money": "/money",
        "queue": "/queue",
        "devices": "/devices",
        "settings": "/settings",
    }


def look(browser: Browser, house: Running, job_id: int, folder: Path, *, theme: str, size: str) -> None:
    context = browser.new_context(viewport=SIZES[size], reduced_motion="reduce")
    context.add_cookies([{"name": "theme", "value": theme, "url": house.url}])
    page = context.new_page()
    for name, path in pages(house, job_id).items():
        page.goto(house.url + path)
        prepare(page, name)
        page.screenshot(path=str(folder / file_of(name, theme=theme, size=size)))
    sent(page, house)
    page.screenshot(path=str(folder / file_of("what-is-sent", theme=theme, size=size)))
    context.close()


def file_of(name: str, *, theme: str, size: str) -> str:
    """The plain name is the phone at night."""
    return "-".join([name, *(part for part in (size, theme) if part not in ("phone", "night"))]) + ".png"


def prepare(page: Page, name: str) -> None:
    if name == "child":
        page.locator("#child-1 summary").click()
    if name == "story-end":
        page.locator(".along summary").click()
        page.locator(".night").scroll_into_view_if_needed()
        page.evaluate("document.querySelector('.night').scrollIntoView()")


def sent(page: Page, house: Running) -> None:
    page.goto(house.url)
    page.locator(".chip", has_text="Mia").click()
    page.get_by_label("What should it be about?").fill("Mia and a shy dragon")
    page.get_by_role("button", name="See what will be sent").click()
    page.locator(".sent").wait_for()
    page.evaluate("document.querySelector('.sent').scrollIntoView()")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=ROOT / "docs" / "pictures")
    parser.add_argument("--every", action="store_true", help="the tablet in every theme, not at night only")
    options = parser.parse_args()
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    program = shutil.which("chromium")
    with furnished() as (house, job_id), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        for size in SIZES:
            for theme in THEMES if size == "phone" or options.every else THEMES[:1]:
                look(browser, house, job_id, folder, theme=theme, size=size)
        browser.close()


if __name__ == "__main__":
    main()
