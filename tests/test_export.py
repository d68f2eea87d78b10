"""The export: everything that a household has, in files that any program reads, and nothing that is secret."""

import csv
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from home import Home
from provider import Provider
from running import Running
from terminal import flask, said
from workbench import RULES

from bedtime import asking, household, keeping, library, wishing
from bedtime.errors import BedtimeError
from bedtime.keeping import exporting
from bedtime.settings import load

CANARY_KEY = "sk-canary-51c2"


def packed(home: Home, **environ: str) -> dict[str, bytes]:
    """The members of the export, without their folder."""
    settings = load({"BEDTIME_INSTANCE": str(home.database.path.parent), **environ}, root=Path())
    file = io.BytesIO()
    keeping.export(home.database, settings, file, now=home.now)
    return members(file.getvalue())


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def read(files: dict[str, bytes], name: str) -> Any:
    return json.loads(files[name])


def first_row(files: dict[str, bytes], place: str) -> dict[str, Any]:
    name, _, part = place.partition(" ")
    if name.endswith(".csv"):
        return next(csv.DictReader(io.StringIO(files[name].decode())))
    whole = read(files, name)
    rows = whole[part] if part else whole
    return rows[0] if isinstance(rows, list) else rows


@pytest.fixture
def home(tmp_path: Path, provider: Provider) -> Home:
    return Home(tmp_path / "house", provider)


def test_everything_is_in_it_as_it_is_read(home: Home) -> None:
    mia, theo = home.child("Mia"), home.child("Theo", pronouns="he", likes="snails")
    job = home.told(home.wish(mia, theo, idea="a lamp for Mia"))
    tale = home.tale(theo)
    home.plan(mia, at="17:30", zone="UTC", themes=("owls",))
    with home.database.transaction("test") as tx:
        library.add_note(tx, "dentist on Thursday", expires_at=home.now + 9, now=home.now)
        library.react(tx, tale.id, "loved_it", now=home.now)
    files = packed(home)
    assert [child["nickname"] for child in read(files, "children.json")] == ["Mia", "Theo"]
    assert [wish["idea"] for wish in read(files, "wishes.json")] == ["a lamp for Mia", ""]
    stories = read(files, "stories.json")
    assert [story["children"] for story in stories] == [["Mia", "Theo"], ["Theo"]]
    assert [story["reactions"] for story in stories] == [[], ["loved_it"]]
    plans = read(files, "plans.json")
    assert plans["evenings"][0]["themes"] == ["owls"] and plans["notes"][0]["text"] == "dentist on Thursday"
    calls = list(csv.DictReader(io.StringIO(files["calls.csv"].decode())))
    assert [(call["job_id"], call["spent_micros"]) for call in calls] == [(str(job.id), str(home.committed()))]
    assert len(list(csv.DictReader(io.StringIO(files["jobs.csv"].decode())))) == 2
    assert files["answers/00001.txt"] == home.call(job.id).raw
    for number, story in enumerate(stories, 1):
        text = files[f"stories/{number:05}.txt"].decode()
        assert text.startswith(f"{story['title']}\n\n") and "{child:" not in text
        assert story["title"] in files[f"stories/{number:05}.html"].decode()
        assert files[f"stories/{number:05}.epub"].startswith(b"PK") and b"<svg" in files[f"stories/{number:05}.svg"]


def test_text_that_was_paid_for_and_became_no_story_is_in_it_as_it_is_read(home: Home, provider: Provider) -> None:
    home.told(home.wish(home.child("Mia")))
    provider.queue("cut_stream")
    home.told(home.wish(home.child("Theo", pronouns="he")))
    files = packed(home)
    assert sorted(name for name in files if name.startswith("answers/")) == [
        "answers/00001.txt",
        "answers/00002-draft.txt",
    ]
    text = files["answers/00002-draft.txt"].decode()
    assert len(text.split()) == home.call(2).words and "Theo" in text and "{child:" not in text


@pytest.mark.parametrize(
    ("now", "year"), [(0.0, 1980), (315_532_799.0, 1980), (1_800_000_000.0, 2027), (4_354_819_200.0, 2107)]
)
def test_it_is_made_whatever_year_the_clock_shows(home: Home, now: float, year: int) -> None:
    """A ZIP knows the years from 1980 to 2107; a machine without a battery begins in 1970."""
    home.tale(home.child("Mia"))
    file = io.BytesIO()
    keeping.export(
        home.database, load({"BEDTIME_INSTANCE": str(home.database.path.parent)}, root=Path()), file, now=now
    )
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        assert {member.date_time[0] for member in archive.infolist()} == {year}


def test_what_was_wished_is_in_it_whatever_was_answered(home: Home) -> None:
    mia = home.child("Mia")
    with home.database.transaction("test") as tx:
        tablet = household.add_device(tx, name="tablet", role="reader", key="k", now=home.now)
    still_open, no, yes = (
        wishing.wish_for(home.database, home.wish(mia, idea=idea), device_id=tablet, now=home.now)
        for idea in ("a whale", "a wasp", "a lamp")
    )
    wishing.set_aside(home.database, no, now=home.now)
    asking.ask_for(home.database, yes, rules=RULES, now=home.now)
    wished = read(packed(home), "wished.json")
    assert [(one["wished_id"], one["idea"], one["answered_at"] is None, one["wish_id"]) for one in wished] == [
        (still_open, "a whale", True, None),
        (no, "a wasp", False, None),
        (yes, "a lamp", False, 1),
    ]
    assert {(*one["children"], one["device"]) for one in wished} == {("Mia", "tablet")}


STANDS_IN = {  # of each table: the file, and what a column is called there if it is called something else
    "children": ("children.json", {}),
    "jobs": ("jobs.csv", {}),
    "calls": ("calls.csv", {}),
    "story_requests": ("wishes.json", {"id": "wish_id", "created_at": "asked_at"}),
    "casts": ("wishes.json", {"request_id": "wish_id", "child_id": "children"}),
    "stories": (
        "stories.json",
        {
            "id": "story_id",
            "request_id": "wish_id",
            "text": "paragraphs",
            "cast_text": "cast",
            "again_at": "wanted_again",
            "created_at": "told_at",
        },
    ),
    "readings": ("stories.json", {"paragraph": "read_to_paragraph"}),
    "reactions": ("stories.json", {"reaction": "reactions"}),
    "schedules": ("plans.json evenings", {}),
    "notes": ("plans.json notes", {}),
    "wishes": (
        "wished.json",
        {
            "id": "wished_id",
            "device_id": "device",
            "fields": "idea",
            "created_at": "wished_at",
            "decided_at": "answered_at",
            "request_id": "wish_id",
        },
    ),
    "settings": ("settings.json", {"name": "chosen", "value": "chosen"}),
}
STAYS = {  # and why
    "children": {"created_at"},  # no page shows it
    "calls": {"attempt", "draft", "raw"},  # a number of the machinery; the texts are files of their own
    "story_requests": {
        "idempotency_key",
        "fingerprint",
        "device_id",
        "shape",
    },  # of the machinery; the story has its shape
    "casts": {"position", "stand_in", "pronouns", "listens"},  # what a child was called on the wire
    "stories": {"sha256", "shape", "place", "season"},  # what its picture is drawn from, and it is there
    "reactions": {"created_at"},
    "notes": {"created_at"},
    "settings": {"changed_at"},
}
NOT_THEIRS = {"queues", "secrets", "devices", "pairings", "guesses"}  # who may come in, and whether a queue rests
ELSEWHERE = {"planned_evenings": "jobs.csv has it as the key of the job"}


def test_every_column_is_in_it_or_is_known_to_stay(home: Home) -> None:
    """A column that a later schema adds has to be exported, or named here."""
    mia = home.child("Mia")
    home.plan(mia, at="17:30", zone="UTC")
    home.told(home.wish(mia))
    wishing.wish_for(home.database, home.wish(mia), device_id=None, now=home.now)
    with home.database.transaction("test") as tx:
        library.add_note(tx, "dentist on Thursday", expires_at=home.now + 9, now=home.now)
    files = packed(home)
    with home.database.reading() as db:
        tables = {row["name"] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        columns = {
            table: {row["name"] for row in db.execute("SELECT name FROM pragma_table_info(?)", (table,))}
            for table in STANDS_IN
        }
    known = STANDS_IN.keys() | NOT_THEIRS | ELSEWHERE.keys()
    assert {name for name in tables if not name.startswith(("sqlite_", "story_words"))} == known
    for table, (place, other_names) in STANDS_IN.items():
        names = {other_names.get(column, column) for column in columns[table] - STAYS.get(table, set())}
        there = first_row(files, place)
        assert names - there.keys() == set(), table
        assert STAYS.get(table, set()) <= columns[table], table


def test_its_own_list_names_every_file(home: Home, provider: Provider) -> None:
    provider.queue("cut_stream")
    home.told(home.wish(home.child("Mia")))
    files = packed(home)
    listed = files["README.txt"].decode()
    places = {name.partition("/")[0] + ("/" if "/" in name else "") for name in files} - {"README.txt"}
    assert [place for place in sorted(places) if place not in listed] == []
    assert "answers/00001-draft.txt" in files and "00001-draft.txt" in listed


def test_the_files_of_a_story_are_those_that_its_page_offers(household: Callable[..., Running]) -> None:
    house = household()
    house.ended(house.asked(idea="<b>bold</b> & brave"))
    files = members(house.get("/keeping/export.zip").content)
    for kind in ("txt", "html", "epub"):
        assert files[f"stories/00001.{kind}"] == house.get(f"/stories/1/story.{kind}").content


def test_no_secret_is_in_it(household: Callable[..., Running], provider: Provider) -> None:
    house = household(llm_url=provider.url, llm_model="m", llm_key=CANARY_KEY, price_in="1", price_out="1")
    house.ended(house.asked())
    files = members(house.get("/keeping/export.zip").content)
    secret = [CANARY_KEY.encode(), (house.folder / "secret_key").read_bytes(), b"key_host", b"idempotency"]
    assert not [name for name, content in files.items() if any(one in content for one in secret)]
    assert read(files, "settings.json")["machine"]["BEDTIME_LLM_KEY"] == "set"
    assert house.rows("SELECT 1 FROM settings WHERE name LIKE 'key_host%'"), "there is a fingerprint to be left out"


def test_names_of_members_are_ours_whatever_a_story_or_a_child_is_called(home: Home) -> None:
    home.tale(home.child("../../etc/passwd"))
    names = set(packed(home))
    assert all(name.isascii() and not name.startswith(("/", ".")) and ".." not in name for name in names)


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t"])
def test_no_cell_of_a_table_is_a_formula(home: Home, sign: str) -> None:
    home.told()
    with home.database.transaction("test") as tx:
        tx.execute("UPDATE calls SET model = ?", (f"{sign}cmd()",))
    (call,) = csv.DictReader(io.StringIO(packed(home)["calls.csv"].decode(), newline=""))
    assert call["model"] == f"'{sign}cmd()"


def test_more_than_fits_is_a_sentence_and_not_a_full_disk(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.tale(home.child("Mia"))
    monkeypatch.setattr(exporting, "MOST_BYTES", 1000)
    with pytest.raises(BedtimeError, match="use a backup"):
        packed(home)


def test_a_story_that_is_deleted_meanwhile_is_left_out(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    tale = home.tale(home.child("Mia"))
    home.tale(home.child("Theo"))
    with home.database.reading() as db:
        both = library.story_ids(db)
    with home.database.transaction("test") as tx:
        library.delete_story(tx, tale.id)
    monkeypatch.setattr(library, "story_ids", lambda db: both)
    assert [story["story_id"] for story in read(packed(home), "stories.json")] == [both[1]]


def test_export_by_hand_is_for_its_owner_only_and_overwrites_nothing(
    household: Callable[..., Running], tmp_path: Path
) -> None:
    house = household()
    house.ended(house.asked())
    target = tmp_path / "all.zip"
    assert "1 story" in said(flask(house, "export", str(target)), 0)
    assert target.stat().st_mode & 0o777 == 0o600 and "stories/00001.txt" in members(target.read_bytes())
    before = target.read_bytes()
    assert "there already" in said(flask(house, "export", str(target)), 1)
    assert target.read_bytes() == before
    assert "cannot be written" in said(flask(house, "export", str(tmp_path / "no" / "all.zip")), 1)
    said(flask(house, "export"), 2)


def test_the_command_tells_where_the_export_lies_from_the_root_on(
    household: Callable[..., Running], tmp_path: Path
) -> None:
    """It may run in another folder than the one that is thought of."""
    house, target = household(), (tmp_path / "all.zip").resolve()
    from_here = os.path.relpath(target, house.root)
    assert said(flask(house, "export", from_here), 0).startswith(f"{target}: ") and target.is_file()
    assert f"{target} is there already" in said(flask(house, "export", from_here), 1)
