"""What the browser is given: our own files, unchanged, named right, and few of them."""

import hashlib
import re
from pathlib import Path
from urllib.parse import urlsplit

from browser import PHONE, Devices, Houses
from playwright.sync_api import Browser, Request
from test_journey import ask, read

ROOT = Path(__file__).parent.parent
HTMX_4_0_1 = "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130"
FIRST_VISIT_BYTES = 100_000


def templates() -> str:
    return "\n".join(file.read_text() for file in sorted((ROOT / "templates").rglob("*.html")))


def named_assets() -> set[str]:
    """Every file that a template names: by `asset('…')`, in a loop over names, by `url_for('static', …)`."""
    names = set(re.findall(r"(?:asset\(|url_for\('static', filename=)'([^']+)'[,)]", templates()))
    for variable, listed, address in loops():
        for _, name in re.findall(r"""(['"])([\w.-]+)\1""", listed):
            parts = [name if part == variable else part.strip("'") for part in address.split(" ~ ")]
            names.add("".join(parts))
    return names


def loops() -> list[tuple[str, str, str]]:
    """Variable, what it runs over, and the address made with it, of every loop over assets."""
    return re.findall(r"for (\w+) in ([^%]*?) %}\s*<[^>]*asset\(([^)]*~[^)]*)\)", templates())


def kept_files() -> set[str]:
    static = ROOT / "static"
    return {str(file.relative_to(static)) for file in static.rglob("*") if file.is_file()}


def named_by_sheets() -> set[str]:
    """Every file that a style sheet names, below `static`."""
    return {
        str((sheet.parent / url).resolve().relative_to(ROOT / "static"))
        for sheet in sorted((ROOT / "static" / "css").glob("*.css"))
        for url in re.findall(r"""url\(["']?([^"')?#]+)""", sheet.read_text())
    }


def test_htmx_is_the_file_that_its_makers_published() -> None:
    assert hashlib.sha256((ROOT / "static" / "htmx.min.js").read_bytes()).hexdigest() == HTMX_4_0_1


def test_every_asset_that_a_template_or_a_sheet_names_is_there() -> None:
    assert len(loops()) == len(re.findall(r"asset\([^)]*~", templates()))
    assert "css/wish.css" in named_assets()
    assert named_assets() | named_by_sheets() <= kept_files()


def test_every_file_that_is_kept_is_used() -> None:
    """By a template or a sheet; or by name in a script or a view."""
    sources = [*(ROOT / "static").glob("*.js"), *(ROOT / "bedtime" / "web").rglob("*.py")]
    by_name = {
        name
        for name in kept_files()
        if any(
            re.search(rf"\b{re.escape(Path(name).name)}\b", file.read_text()) for file in sources if file.name != name
        )
    }
    licences = {name for name in kept_files() if name.endswith(".LICENSE")}
    assert kept_files() - licences - named_assets() - named_by_sheets() - by_name == set()


def test_what_is_not_ours_stands_beside_its_licence() -> None:
    for name in kept_files():
        if name.startswith("fonts/") and not name.endswith(".LICENSE"):
            family = Path(name).stem.split("-")[0]
            assert "SIL OPEN FONT LICENSE" in (ROOT / "static" / "fonts" / f"{family}.LICENSE").read_text().upper()
    assert "Permission to use" in (ROOT / "static" / "htmx.LICENSE").read_text()


def test_no_template_sheet_or_script_of_ours_names_another_host() -> None:
    ours = [file for pattern in ("*.js", "*.css", "*.svg") for file in (ROOT / "static").rglob(pattern)]
    texts = [templates(), *(file.read_text() for file in ours if file.name != "htmx.min.js")]
    elsewhere = {url for text in texts for url in re.findall(r"""(?:https?:)?//[\w.-]+\.[a-z]{2,}[^\s"']*""", text)}
    assert elsewhere <= {"http://www.w3.org/2000/svg"}


def test_a_first_visit_is_light(household: Houses, chromium: Browser) -> None:
    house = household()
    context = chromium.new_context(viewport=PHONE)
    page = context.new_page()
    finished: list[Request] = []
    page.on("requestfinished", lambda one: finished.append(one))
    page.goto(house.url)
    page.wait_for_load_state("networkidle")
    sizes = {urlsplit(one.url).path: one.sizes()["responseBodySize"] for one in finished}
    context.close()
    assert "/static/htmx.min.js" in sizes
    assert sum(sizes.values()) <= FIRST_VISIT_BYTES, sizes


def test_from_wish_to_shelf_the_browser_asks_nobody_but_the_house(household: Houses, device: Devices) -> None:
    house = household()
    phone = device(house.url)
    ask(phone.page)
    read(phone.page)
    phone.page.goto(f"{house.url}/stories")
    phone.page.wait_for_load_state("networkidle")
    assert any(".woff2" in url for url in phone.asked)
    assert phone.hosts() == {urlsplit(house.url).netloc}


def test_a_static_file_is_kept_for_a_year_under_an_address_that_changes_with_it(household: Houses) -> None:
    house = household()
    page = house.get("/", headers={"Accept": "text/html"}).text
    named = re.findall(r'(?:src|href)="(/static/[^"]+\.(?:js|css|svg)[^"]*)"', page)
    assert named
    for url in named:
        path, _, version = url.partition("?v=")
        content = (ROOT / path.lstrip("/")).read_bytes()
        assert hashlib.sha256(content).hexdigest().startswith(version)
        assert len(version) >= 8
    assert "max-age=31536000" in house.get(named[0]).headers["Cache-Control"]
