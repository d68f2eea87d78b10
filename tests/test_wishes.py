"""A reader's device may wish: free, bounded, and a request only by a grown-up's press."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from doors import Device, paired, set_up
from home import NOW
from home import Home as InProcess
from readers import Home
from running import Running
from workbench import RULES

from bedtime import asking, family, household, library, wishing
from bedtime.crew import WAKING
from bedtime.db import Database
from bedtime.errors import NotFound, QueueFull, TooManyWishes
from bedtime.model import Listener, Wish

Houses = Callable[..., Running]
JSON = "application/json"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[InProcess]:
    house = InProcess(tmp_path)
    yield house
    house.database.close()


def wish(*children: int, idea: str = "a shy dragon", mood: str = "calm") -> Wish:
    return Wish(tuple(Listener(child_id=child) for child in children), idea=idea, mood=mood)


def open_wishes(database: Database) -> list[library.Wished]:
    with database.reading() as db:
        return library.open_wishes(db, most=100)


def tablet_of(house: Running) -> tuple[Device, Device]:
    """A house with Mia in it: the phone, and a reader's tablet."""
    house.ended(house.asked(from_book=True))
    phone = set_up(house)
    return phone, paired(phone)


def test_the_press_wakes_whoever_tells(home: InProcess) -> None:
    mia = home.child("Mia")
    wish_id = wishing.wish_for(home.database, wish(mia.id), device_id=None, now=NOW)
    home.heard.clear()
    asking.ask_for(home.database, wish_id, rules=RULES, now=NOW)
    assert WAKING.intersection(home.heard)


def test_a_wish_is_told_in_the_language_of_the_household(home: InProcess) -> None:
    """The reader's page asks for none: it is the one that every wish begins with."""
    mia = home.child("Mia")
    with home.database.transaction("test") as tx:
        household.choose(tx, household.LANGUAGE, "de", now=NOW)
    wish_id = wishing.wish_for(home.database, wish(mia.id, idea="ein Drache"), device_id=None, now=NOW)
    asking.ask_for(home.database, wish_id, rules=RULES, now=NOW)
    with home.database.reading() as db:
        request = library.request_for(db, 1)
    assert request is not None
    assert request.wish.language == "de"


# --- the tablet -----------------------------------------------------------------------------------


def test_a_wish_costs_nothing_and_becomes_a_story_by_one_press(household: Houses) -> None:
    house = household()
    phone, tablet = tablet_of(house)
    answer = tablet.post("/wishes", data={"child": "1", "idea": "a shy dragon", "mood": "funny"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/#wished")
    assert "a shy dragon" in tablet.get("/").text
    assert [len(house.rows(f"SELECT * FROM {table}")) for table in ("jobs", "story_requests", "wishes")] == [1, 1, 1]
    assert json.loads(house.rows("SELECT fields FROM wishes")[0]["fields"]) == {
        "children": [1],
        "idea": "a shy dragon",
        "mood": "funny",
    }
    assert "a shy dragon" in phone.get("/").text and "on <bdi>tablet</bdi>" in phone.get("/").text
    presses = [phone.post("/wishes/1/ask") for _ in range(2)]
    assert {press.headers["Location"] for press in presses} == {"/stories/jobs/2"}
    assert len(house.rows("SELECT * FROM jobs")) == 2
    request = house.rows("SELECT idea, mood FROM story_requests WHERE id = 2")[0]
    assert request == {"idea": "a shy dragon", "mood": "funny"}
    assert "a shy dragon" not in tablet.get("/").text


def test_not_this_one_takes_it_off_both_pages_and_buys_nothing(household: Houses) -> None:
    house = household()
    phone, tablet = tablet_of(house)
    tablet.post("/wishes", data={"child": "1", "idea": "a shy dragon"})
    for _ in range(2):
        assert phone.post("/wishes/1/set-aside").status_code == 303
    assert "a shy dragon" not in tablet.get("/").text + phone.get("/").text
    assert phone.post("/wishes/1/ask").status_code == 404
    assert len(house.rows("SELECT * FROM jobs")) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"idea": "for nobody"},
        {"child": "9", "idea": "for a stranger"},
        {"child": ["1", "1"], "idea": "twice the same"},
        {"child": "1", "idea": "x" * 501},
        {"child": "1", "mood": "wild"},
        {"nickname": "Newcomer", "band": "4-5", "pronouns": "she", "idea": "makes a profile"},
        {"child": "Mia", "idea": "by name"},
    ],
)
def test_a_wish_that_is_not_right_comes_back_with_all_that_was_typed(
    household: Houses, fields: dict[str, object]
) -> None:
    house = household()
    _, tablet = tablet_of(house)
    answer = tablet.post("/wishes", data=fields)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text and str(fields.get("idea", ""))[:500] in answer.text
    assert house.rows("SELECT * FROM wishes") == [] and len(house.rows("SELECT * FROM children")) == 1


def test_pressed_twice_it_is_one_wish_and_the_twenty_first_does_not_fit(household: Houses) -> None:
    house = household()
    phone, tablet = tablet_of(house)
    for number in range(20):
        for _ in range(2):
            assert tablet.post("/wishes", data={"child": "1", "idea": f"idea {number}"}).status_code == 303
    full = tablet.post("/wishes", data={"child": "1", "idea": "one too many"})
    assert full.status_code == 429 and "one too many" in full.text and "20 wishes wait" in full.text
    other = paired(phone)
    assert other.post("/wishes", data={"child": "1", "idea": "mine"}).status_code == 303
    assert len(house.rows("SELECT * FROM wishes")) == 21
    phone.post("/wishes/1/set-aside")
    assert tablet.post("/wishes", data={"child": "1", "idea": "one too many"}).status_code == 303


def test_a_reader_can_neither_ask_for_a_wish_nor_put_one_aside(household: Houses) -> None:
    house = household()
    phone, tablet = tablet_of(house)
    tablet.post("/wishes", data={"child": "1", "idea": "a shy dragon"})
    for press in ("ask", "set-aside"):
        assert tablet.post(f"/wishes/1/{press}").status_code == 403
        assert Device(house).post(f"/wishes/1/{press}").status_code in (303, 401)
    assert [row["decided_at"] for row in house.rows("SELECT * FROM wishes")] == [None]
    assert len(house.rows("SELECT * FROM jobs")) == 1
    assert "money" not in tablet.get("/").text.lower() and "at most" not in tablet.get("/").text.lower()
    assert phone.get("/").text.count("Ask for it") == 1


def test_what_another_device_wished_is_not_on_this_one(household: Houses) -> None:
    house = household()
    phone, tablet = tablet_of(house)
    tablet.post("/wishes", data={"child": "1", "idea": "a secret present"})
    assert "a secret present" not in paired(phone).get("/").text


@pytest.mark.parametrize("when", ["before_commit", "after_commit"])
def test_a_crash_under_the_press_makes_one_request_of_a_wish(household: Houses, when: str) -> None:
    house = household()
    home = Home.of(house) if house.ended(house.asked(from_book=True)) else None
    assert home
    home.tablet.post("/wishes", data={"child": "1", "idea": "a shy dragon"})
    house.kill()
    house.start(crash_at=f"ask_for.{when}")
    with pytest.raises(OSError):
        home.phone.post("/wishes/1/ask")
    house.wait()
    house.start()
    assert {home.phone.post("/wishes/1/ask").headers["Location"] for _ in range(2)} == {"/stories/jobs/2"}
    rows = house.rows("SELECT j.id FROM jobs j JOIN wishes w ON w.request_id = json_extract(j.payload, '$.request_id')")
    assert [row["id"] for row in rows] == [2]


# --- below the pages ------------------------------------------------------------------------------


def test_a_full_queue_leaves_the_wish_open(home: InProcess) -> None:
    mia = home.child("Mia")
    wish_id = wishing.wish_for(home.database, wish(mia.id), device_id=None, now=NOW)
    for _ in range(RULES.queue_max):
        home.ask(wish=home.wish(mia))
    with pytest.raises(QueueFull):
        asking.ask_for(home.database, wish_id, rules=RULES, now=NOW)
    assert [one.id for one in open_wishes(home.database)] == [wish_id]


def test_a_deleted_child_takes_its_wishes_along(home: InProcess) -> None:
    mia, theo = home.child("Mia"), home.child("Theo")
    both = wishing.wish_for(home.database, wish(mia.id, theo.id), device_id=None, now=NOW)
    one = wishing.wish_for(home.database, wish(theo.id), device_id=None, now=NOW)
    family.delete_child(home.database, mia.id, with_stories=False, now=NOW)
    assert [left.id for left in open_wishes(home.database)] == [one]
    with pytest.raises(NotFound):
        asking.ask_for(home.database, both, rules=RULES, now=NOW)


def test_a_client_cannot_take_a_wish_s_key(home: InProcess) -> None:
    mia = home.child("Mia")
    wish_id = wishing.wish_for(home.database, wish(mia.id), device_id=None, now=NOW)
    for key in (f"wish-{wish_id}", f"wish{wish_id}"):
        home.ask(key=key, wish=home.wish(mia))
    assert not asking.ask_for(home.database, wish_id, rules=RULES, now=NOW).replayed


def test_each_device_has_its_own_bound(home: InProcess) -> None:
    mia = home.child("Mia")
    for number in range(wishing.MOST_OPEN):
        wishing.wish_for(home.database, wish(mia.id, idea=str(number)), device_id=None, now=NOW)
    with pytest.raises(TooManyWishes):
        wishing.wish_for(home.database, wish(mia.id, idea="more"), device_id=None, now=NOW)
    same = wishing.wish_for(home.database, wish(mia.id, idea="3"), device_id=None, now=NOW)
    assert len(open_wishes(home.database)) == wishing.MOST_OPEN and same == 4


def test_a_wish_has_eight_kilobytes_at_most(home: InProcess) -> None:
    with pytest.raises(ValueError, match="8192 bytes"):
        wishing.wish_for(home.database, wish(1, idea="x" * 9000), device_id=None, now=NOW)
