"""Backups, export and leaving, as a grown-up presses them: behind the PIN, with what remains told."""

import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Devices
from doors import Device, paired, set_up
from gatehouse import Gatehouse
from home import DAY
from playwright.sync_api import expect
from provider import Provider
from running import MIA, Running, eventually
from terminal import flask, said
from test_accessible import faults

from bedtime import family
from bedtime.model import Child
from bedtime.web.access import Role

Houses = Callable[..., Running]
PAGE: dict[str, Any] = {"headers": {"Accept": "text/html"}}
CANARY = "Ottoline"
LIGHTS = pytest.mark.parametrize("light", ["night", "day", "ember"])


def copies(house: Running) -> list[Path]:
    return sorted((house.folder / "backups").glob("*.db"))


@pytest.fixture
def kept(household: Houses) -> Running:
    """A house with a story and one backup, that of the day: whoever looks whether one is due makes no more."""
    house = household()
    house.ended(house.asked(children=[{**MIA, "nickname": CANARY}]))
    assert house.post("/keeping/backups").status_code == 303
    house.kill()
    for path in sorted((house.folder / "backups").glob("bedtime-*"))[:-2]:  # of a keeper that looked at the same moment
        path.unlink()
    return house.start()


def test_a_backup_is_made_listed_kept_elsewhere_and_thrown_away(kept: Running, tmp_path: Path) -> None:
    (copy,) = copies(kept)
    page = kept.get("/keeping", **PAGE).text
    assert page.count(f'id="{copy.name}"') == 1
    throws = f'action="/keeping/backups/{copy.name}/throw-away"'
    assert "<details>" in page.split(throws)[0].split("<li")[-1], "one tap only shows the button"
    answer = kept.get(f"/keeping/backups/{copy.name}")
    assert answer.headers["Cache-Control"] == "no-store" and copy.name in answer.headers["Content-Disposition"]
    (tmp_path / "elsewhere.db").write_bytes(answer.content)
    db = sqlite3.connect(tmp_path / "elsewhere.db")
    assert db.execute("SELECT nickname FROM children").fetchall() == [(CANARY,)]
    db.close()
    for _ in range(2):  # pressed twice it is gone once
        assert kept.post(f"/keeping/backups/{copy.name}/throw-away").status_code == 303
    assert copies(kept) == [] and kept.get(f"/keeping/backups/{copy.name}", **PAGE).status_code == 404
    assert "No backup has been made yet" in kept.get("/keeping", **PAGE).text


@pytest.mark.parametrize(
    "name",
    [
        "..%2Fbedtime.db",
        "..%2Fsecret_key",
        "%2Fetc%2Fpasswd",
        "lock",
        "bedtime.db",
        "%00",
        "x" * 3000,
        "..\\bedtime.db",
    ],
)
def test_no_address_leads_out_of_the_folder(kept: Running, name: str) -> None:
    before = sorted(path.name for path in kept.folder.rglob("*"))
    assert kept.get(f"/keeping/backups/{name}", **PAGE).status_code == 404
    for place in ("backups", "replaced"):
        assert kept.post(f"/keeping/{place}/{name}/throw-away", **PAGE).status_code in (303, 404)
    assert sorted(path.name for path in kept.folder.rglob("*")) == before


def test_what_a_restore_put_aside_is_listed_and_can_be_thrown_away(kept: Running) -> None:
    (copy,) = copies(kept)
    kept.kill()
    said(flask(kept, "restore", str(copy)), 0)
    kept.start()
    (aside,) = (kept.folder / "replaced").iterdir()
    assert f"replaced/{aside.name}" in kept.get("/keeping", **PAGE).text
    assert kept.post(f"/keeping/replaced/{aside.name}/throw-away").status_code == 303
    assert not aside.exists() and kept.get("/stories/1").status_code == 200


def test_only_a_grown_up_with_the_pin_gets_a_copy_or_leaves(household: Houses) -> None:
    house = household(host="127.0.0.1", hosts="http://192.168.7.7")
    phone = set_up(house)
    name = "bedtime-0001-2026-11-05-0312.db"
    paths = [
        ("GET", "/keeping"),
        ("GET", "/keeping/export.zip"),
        ("GET", f"/keeping/backups/{name}"),
        ("GET", "/keeping/leave"),
    ]
    paths += [("POST", "/keeping/backups"), ("POST", f"/keeping/backups/{name}/throw-away"), ("POST", "/keeping/leave")]
    tablet, stranger, other = paired(phone), Device(house), Device(house)
    assert other.sign_in().status_code == 303
    for method, path in paths:
        assert tablet.send(method, path).status_code == 403, path
        assert stranger.send(method, path).headers["Location"].startswith("/sign-in"), path
        asked = other.send(method, path)
        assert asked.status_code == 403 or asked.headers["Location"].startswith("/pin"), path
    assert phone.get("/keeping").status_code == 200
    assert house.rows("SELECT count(*) AS n FROM secrets") == [{"n": 1}]


def test_a_backup_that_cannot_be_made_is_a_page_that_says_why(kept: Running) -> None:
    (kept.folder / "backups" / "lock").unlink()
    (kept.folder / "backups" / "lock").mkdir()
    answer = kept.post("/keeping/backups", **PAGE)
    assert answer.status_code == 503 and "No backup was made" in answer.text and "cannot be used" in answer.text


@pytest.mark.parametrize(("days", "late"), [(0, False), (3, True)])
def test_a_new_house_is_not_told_that_its_backups_fail(tmp_path: Path, days: int, late: bool) -> None:
    """An alarm that is false on the first evening is not believed when it is true."""
    house = Gatehouse(tmp_path)
    house.set_up()
    family.add_child(house.database, Child(0, "Mia", "4-5", "she"), now=time.time() - days * DAY)
    page = house.calls(Role.WITH_PIN, "/keeping")
    assert page.status_code == 200 and ("No backup was made for two days" in page.text) is late
    house.database.close()


# --- deleting a child -----------------------------------------------------------------------------


def test_deleting_a_child_names_the_backups_that_still_hold_the_name(kept: Running) -> None:
    (copy,) = copies(kept)
    assert f"backups/{copy.name}" in kept.get("/children/1/delete", **PAGE).text
    kept.post("/children", data={**MIA, "nickname": "Later"})
    assert f"backups/{copy.name}" not in kept.get("/children/2/delete", **PAGE).text, "it is older than that child"


# --- leaving --------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["", "delete", "delete everything!", "DELETE ALL", " " * 60_000, "a!" * 15_000])
def test_without_the_very_words_nothing_is_deleted_and_what_was_typed_stays(kept: Running, words: str) -> None:
    answer = kept.post("/keeping/leave", data={"words": words, "copies": "yes"}, **PAGE)
    assert answer.status_code in (413, 422)
    if answer.status_code == 422 and len(words) < 100:
        assert f'value="{words}"' in answer.text and "checked" in answer.text
    assert kept.get("/stories/1").status_code == 200 and copies(kept)


def test_leaving_leaves_no_name_and_no_word_in_the_house(paid: Houses, provider: Provider) -> None:
    provider.set_story(f"The {CANARY} lamp\n\n" + "Zephyrine carried a lamp up the stairs. " * 40)
    house = paid(reap_seconds=3600)  # nobody else shortens the log of the database
    house.ended(house.asked(children=[{**MIA, "nickname": CANARY}], idea="quokkas"))
    assert house.post("/keeping/backups").status_code == 303
    (copy,) = copies(house)
    page = house.get("/keeping/leave", **PAGE).text
    assert copy.name in page and "1 child and 1 story" in page
    answer = house.post("/keeping/leave", data={"words": "Delete  Everything"}, **PAGE)
    assert answer.status_code == 200 and f"backups/{copy.name}" in answer.text
    words = [CANARY.lower().encode(), b"zephyrine", b"quokkas"]

    def left() -> list[Path]:
        files = [path for path in house.folder.rglob("*") if path.is_file() and path != copy]
        return [path for path in files if any(word in path.read_bytes().lower() for word in words)]

    eventually(lambda: not left(), seconds=5, what="a house without a word of it, while it still runs")
    house.signal(signal.SIGTERM)
    assert house.wait() == 0 and not left()
    assert all(word in copy.read_bytes().lower() for word in words), "they are in the backup, or this test sees nothing"
    assert not (house.folder / "secret_key").exists() and (house.folder / "setup_token").exists()
    house.start()
    assert house.get("/stories").json()["stories"] == []
    assert house.ended(house.asked())["status"] == "completed", "it is a new house"


def test_leaving_takes_the_backups_along_if_asked(kept: Running) -> None:
    answer = kept.post("/keeping/leave", data={"words": "delete everything", "copies": "yes"}, **PAGE)
    assert "No backup remains" in answer.text and copies(kept) == []


def test_after_leaving_every_device_is_a_stranger(household: Houses) -> None:
    house = household(host="127.0.0.1", hosts="http://192.168.7.7")
    phone = set_up(house)
    tablet = paired(phone)
    assert phone.post("/keeping/leave", data={"words": "delete everything"}).status_code == 200
    assert phone.cookie == ""
    for device in (phone, tablet):
        answer = device.get("/stories")
        assert answer.status_code == 403 and "computer" in answer.text
    assert set_up(house).get("/keeping").status_code == 200, "by the link that is new"


def test_nobody_leaves_while_a_story_is_being_paid_for(paid: Houses, provider: Provider) -> None:
    provider.set_mode("hang")
    house = paid()
    job_id = house.asked()
    provider.wait_for(1)
    answer = house.post("/keeping/leave", data={"words": "delete everything"}, **PAGE)
    assert answer.status_code == 409 and "being paid for" in answer.text
    provider.release()
    assert house.ended(job_id)["status"] == "completed"


def test_leaving_and_asking_at_once_break_nothing(household: Houses) -> None:
    """Tales that are being told while the house is emptied are neither kept nor an error."""
    house = household()
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            assert house.ask().status_code in (202, 429, 503)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(4):
        answer = house.post("/keeping/leave", data={"words": "delete everything"}, **PAGE)
        assert answer.status_code in (200, 409, 503), answer.text
    stop.set()
    for thread in threads:
        thread.join()
    eventually(
        lambda: not house.rows("SELECT 1 FROM jobs WHERE status IN ('pending', 'running')"), what="the end of all"
    )
    assert house.rows("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert house.rows("PRAGMA foreign_key_check") == [] and "bug=" not in house.log.read_text()


# --- as a person sees it --------------------------------------------------------------------------


@LIGHTS
def test_the_pages_are_clean_and_work_by_pressing(kept: Running, device: Devices, light: str) -> None:
    page = device(f"{kept.url}/keeping", theme=light).page
    assert faults(page) == []
    page.get_by_role("button", name="Back up now").click()
    expect(page.locator(".copies li")).to_have_count(1)
    with page.expect_download() as download:
        page.get_by_role("link", name="Export everything").click()
    assert download.value.suggested_filename.startswith("bedtime-")
    page.get_by_role("link", name="What would go").click()
    page.get_by_label("And the backups").check()
    page.get_by_role("button", name="Delete everything").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert faults(page) == []
    page.get_by_label("Type").fill("delete everything")
    page.get_by_role("button", name="Delete everything").click()
    expect(page.get_by_role("heading", name="Everything is deleted")).to_be_visible()
    assert faults(page) == []


@pytest.fixture(autouse=True)
def _no_bug(tmp_path: Path) -> Iterator[None]:
    """Whatever is pressed here, nothing in the log is a fault of ours."""
    yield
    for log in tmp_path.glob("*.log"):
        assert "bug=" not in log.read_text()
