"""What somebody else does while a page stands open, or just before a press: nothing of theirs is undone, nothing comes back."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from gatehouse import Gatehouse

from bedtime import family, household, library
from bedtime.db import Connection, Database
from bedtime.model import Child
from bedtime.web.access import Role

PLAN = {"child": ["1", "2"], "day": "0", "at": "17:30", "zone": "UTC", "minutes": "6", "mood": "calm", "language": "en"}
WISH = {"child": ["1", "2"], "idea": "Ada and her secret", "mood": "calm"}


class Overtaken:
    """A database whose next transaction comes too late: somebody else's is committed first."""

    def __init__(self, database: Database, first: Callable[[], None]) -> None:
        self._database = database
        self._first = first

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    def transaction(self, name: str) -> AbstractContextManager[Connection]:
        self._first()
        return self._database.transaction(name)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Gatehouse]:
    house = Gatehouse(tmp_path)
    house.set_up()
    for name in ("Mia", "Ada"):
        family.add_child(house.database, Child(0, name, "4-5", "she"), now=0.0)
    yield house
    house.database.close()


def overtake(house: Gatehouse, act: Callable[[], None]) -> None:
    house.app.extensions["bedtime"] = replace(
        house.app.extensions["bedtime"],
        database=Overtaken(house.database, act),  # type: ignore[arg-type]
    )


def hidden(page: str, action: str) -> dict[str, str]:
    """The hidden fields of a form."""
    form = page.split(f'action="{action}"')[1].split("</form>")[0]
    return {name: unescape(text) for name, text in re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', form)}


def test_a_page_that_stood_open_takes_no_approval_back(house: Gatehouse) -> None:
    with house.database.transaction("test") as tx:
        assert household.change_device(tx, 2, name="tablet", approval=False)
    stood_open = hidden(house.calls(Role.WITH_PIN, "/devices").text, "/devices/2")
    strict = {**stood_open, "name": "tablet", "approval": "yes"}
    assert house.calls(Role.WITH_PIN, "/devices/2", "POST", data=strict).status_code == 303
    nameless = house.calls(Role.WITH_PIN, "/devices/2", "POST", data={**stood_open, "name": ""})
    assert (nameless.status_code, hidden(nameless.text, "/devices/2")) == (422, stood_open)
    assert house.calls(Role.WITH_PIN, "/devices/2", "POST", data={**stood_open, "name": "iPad"}).status_code == 303
    with house.database.reading() as db:
        device = next(one for one in household.all_devices(db, now=0.0) if one.id == 2)
    assert (device.name, device.approval) == ("iPad", True)


def test_a_page_that_stood_open_takes_nothing_out_of_a_profile(house: Gatehouse) -> None:
    shown = {"nickname": "Mia", "band": "4-5", "pronouns": "she", "likes": "", "friends": "", "leave_out": ""}
    stood_open = hidden(house.calls(Role.GROWN_UP, "/children").text, "/children/1")
    assert stood_open == {f"was_{name}": text for name, text in shown.items()}
    for typed in ({"leave_out": "spiders"}, {"likes": "trains"}):
        assert (
            house.calls(Role.GROWN_UP, "/children/1", "POST", data={**stood_open, **shown, **typed}).status_code == 303
        )
    wrong = house.calls(Role.GROWN_UP, "/children/1", "POST", data={**stood_open, **shown, "band": "99"})
    assert (wrong.status_code, hidden(wrong.text, "/children/1")) == (422, stood_open)
    with house.database.reading() as db:
        mia = library.children_by_id(db, [1])[1]
    assert (mia.nickname, mia.likes, mia.leave_out) == ("Mia", "trains", "spiders")


def test_a_wish_for_a_child_who_was_deleted_just_before_is_not_kept(house: Gatehouse) -> None:
    overtake(house, lambda: family.delete_child(house.database, 2, with_stories=False, now=1.0))
    answer = house.calls(Role.READER, "/wishes", "POST", data=WISH)
    assert answer.status_code == 422
    assert "not here any more" in answer.text and WISH["idea"] in answer.text
    with house.database.reading() as db:
        assert library.open_wishes(db, most=10) == []


def test_a_plan_for_a_child_who_was_deleted_just_before_is_for_the_others(house: Gatehouse) -> None:
    overtake(house, lambda: family.delete_child(house.database, 2, with_stories=False, now=1.0))
    assert house.calls(Role.GROWN_UP, "/evenings", "POST", data=PLAN).status_code == 303
    with house.database.reading() as db:
        assert [plan.children for plan in library.schedules(db)] == [(1,)]
    alone = house.calls(Role.GROWN_UP, "/evenings", "POST", data={**PLAN, "child": "2"})
    assert alone.status_code == 422
