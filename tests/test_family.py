"""A child leaves with what was said it would take along; the name is nowhere afterwards; everything else stays."""

from dataclasses import replace
from pathlib import Path

import pytest
from home import DAY, HOUR, Home
from provider import Provider

from bedtime import accounts, asking, casting, family, household, ledger, library
from bedtime.keeping.pruning import prune
from bedtime.model import Child
from bedtime.telling import progress


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def leaving(home: Home, child: Child) -> tuple[int, int]:
    """How many stories and waiting wishes would go along."""
    with home.database.reading() as db:
        found = family.leaving(db, child.id)
    assert found and found.child.nickname == child.nickname
    return found.stories, found.waiting


def stories(home: Home) -> list[str]:
    with home.database.reading() as db:
        return [story.title for story in library.shelf(db, library.Filter())]


def as_read(home: Home, job_id: int) -> tuple[str, tuple[str, ...]]:
    """The text of a job's story with its names filled in, and who heard it."""
    with home.database.reading() as db:
        told = library.story(db, library.story_of_job(db, job_id) or 0)
        assert told
        names = library.names_of(db, told.request_id)
        return casting.fill("\n".join(told.paragraphs), names), library.listening_names(db, told.request_id)


def bytes_of(folder: Path) -> bytes:
    """Everything that lies in the house: the file, its log, the spool."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_raw_answers_leave_at_once_since_names_may_have_been_sent(tmp_path: Path, provider: Provider) -> None:
    home = Home(tmp_path, provider)
    mia, theo = home.child("Mia"), home.child("Theo")
    for child in (mia, theo):
        home.ask(wish=home.wish(child))
        home.tell()
    family.delete_child(home.database, mia.id, with_stories=False, now=home.now)
    with home.database.reading() as db:
        raw = [row["raw"] is not None for row in db.execute("SELECT raw FROM calls ORDER BY id").fetchall()]
    assert raw == [False, True]


def test_what_goes_along_is_told_before(home: Home) -> None:
    mia, theo = home.child("Mia"), home.child("Theo")
    home.tale(mia)
    home.tale(mia, theo)
    home.ask(wish=home.wish(mia, idea="waits"))
    home.ask(wish=home.wish(mia, theo, idea="waits for both"))
    assert leaving(home, mia) == (1, 1)
    assert leaving(home, theo) == (0, 0)


def test_a_deleted_child_takes_the_stories_that_nobody_else_heard_only_if_asked(home: Home) -> None:
    mia, theo = home.child("Mia"), home.child("Theo")
    kept = [home.tale(mia, theo), home.tale(theo)]
    alone = home.tale(mia)
    family.delete_child(home.database, mia.id, with_stories=False, now=home.now)
    assert len(stories(home)) == 3
    family.delete_child(home.database, theo.id, with_stories=True, now=home.now)
    with home.database.reading() as db:
        left = {story.id for story in library.shelf(db, library.Filter())}
    assert left == {alone.id, kept[0].id}


def test_a_deleted_story_is_found_no_more(home: Home) -> None:
    mia = home.child("Mia")
    told = home.tale(mia)
    with home.database.transaction("mark") as tx:
        library.react(tx, told.id, "loved_it", now=home.now)
        library.read_to(tx, told.id, 2, now=home.now)
    family.delete_child(home.database, mia.id, with_stories=True, now=home.now)
    with home.database.reading() as db:
        assert library.shelf(db, library.Filter(words=told.title.split()[0])) == []
        assert (library.reactions_to(db, told.id), library.bookmark(db, told.id)) == ([], None)


def test_a_story_without_its_child_reads_a_child(home: Home) -> None:
    mia, theo = home.child("Mia"), home.child("Theo")
    told = home.tale(mia, theo)
    family.delete_child(home.database, mia.id, with_stories=True, now=home.now)
    with home.database.reading() as db:
        assert set(library.names_of(db, told.request_id).values()) == {"a child", "Theo"}


def test_a_deleted_name_is_nowhere_in_the_house(home: Home, tmp_path: Path) -> None:
    child = home.child("Zwetschgenkind", likes="Quittengelee")
    home.tale(child, idea="Zwetschgenkind finds a Quittengelee")
    home.ask(wish=home.wish(child, idea="again Quittengelee", today="Zwetschgenkind lost a tooth"))
    assert b"Zwetschgenkind" in bytes_of(tmp_path)
    family.delete_child(home.database, child.id, with_stories=False, now=home.now)
    left = bytes_of(tmp_path)
    assert b"Zwetschgenkind" not in left
    assert b"Quittengelee" not in left


def test_a_name_that_was_sent_is_not_kept_beside_its_stories(tmp_path: Path, provider: Provider) -> None:
    house = Home(tmp_path / "house", provider)
    accounts.choose(house.database, {household.SEND_NAMES: "yes"}, now=house.now)
    child, theo = house.child("Zwetschgenkind"), house.child("Theo")
    told = house.ask(wish=house.wish(child, theo))
    assert house.tell() and house.job(told).status == "completed"
    prune(house.database, house.parts.spool, now=house.now + 31 * DAY)  # raw answers have their own time
    family.delete_child(house.database, child.id, with_stories=False, now=house.now)
    assert b"Zwetschgenkind" not in bytes_of(tmp_path / "house")


def test_a_story_that_left_with_its_child_leaves_no_word_with_its_call(tmp_path: Path, provider: Provider) -> None:
    provider.set_story("The Lamp\n\nIn came the quillivant, and sat down by the door.")
    house = Home(tmp_path / "house", provider)
    child = house.child("Mia")
    job_id = house.ask(wish=house.wish(child))
    assert house.tell() and house.job(job_id).status == "completed"
    with house.database.reading() as db:
        call = ledger.call_of(db, job_id)
    assert call is not None and "quillivant" in call.draft
    family.delete_child(house.database, child.id, with_stories=True, now=house.now)
    with house.database.reading() as db:
        call = ledger.call_of(db, job_id)
        assert call is not None and (call.raw, call.draft) == (None, "")
        assert db.execute("SELECT 1 FROM story_words WHERE story_words MATCH 'quillivant'").fetchone() is None


@pytest.mark.parametrize("mode", ["ok", "refusal_text", "cut_stream", "status:400"])
def test_a_name_that_was_sent_does_not_outlive_the_child_that_left_while_it_was_told(
    tmp_path: Path, provider: Provider, mode: str
) -> None:
    house = Home(tmp_path / "house", provider)
    accounts.choose(house.database, {household.SEND_NAMES: "yes"}, now=house.now)
    child = house.child("Zwetschgenkind")
    provider.queue(mode)
    house.ask(wish=house.wish(child))
    house.at["call.sent"] = lambda: family.delete_child(house.database, child.id, with_stories=True, now=house.now)
    assert house.tell()
    prune(house.database, house.parts.spool, now=house.now)
    house.database.checkpoint()
    assert b"Zwetschgenkind" not in bytes_of(tmp_path / "house")


def test_a_child_that_leaves_in_the_middle_of_its_story_is_a_child_in_it(tmp_path: Path, provider: Provider) -> None:
    house = Home(tmp_path, provider)
    accounts.choose(house.database, {household.SEND_NAMES: "yes"}, now=house.now)
    mia, theo = house.child("Mia"), house.child("Theo", pronouns="he")
    told = house.ask(wish=house.wish(mia, theo))

    def leave() -> None:
        family.delete_child(house.database, mia.id, with_stories=True, now=house.now)

    house.at["call.first_byte"] = leave
    assert house.tell()
    shown, _ = as_read(house, told)
    assert "Mia" not in shown and "a child" in shown


def test_what_waits_for_a_deleted_child_alone_is_called_off(home: Home) -> None:
    mia, theo = home.child("Mia"), home.child("Theo")
    alone, both = home.ask(wish=home.wish(mia)), home.ask(wish=home.wish(mia, theo))
    family.delete_child(home.database, mia.id, with_stories=True, now=home.now)
    assert (home.job(alone).status, home.job(both).status) == ("cancelled", "pending")
    with home.database.reading() as db:
        view = progress(db, both)
    assert view and view.names == ("Theo",)


def test_who_stays_is_in_the_book_s_tale_when_a_sibling_left_before_it_was_told(home: Home) -> None:
    mia, theo = home.child("Mia"), home.child("Theo")
    both = home.ask(wish=home.wish(mia, theo, from_book=True))
    family.delete_child(home.database, mia.id, with_stories=True, now=home.now)
    assert home.tell_tales() == 1
    shown, heard = as_read(home, both)
    assert "Theo" in shown and "a child" not in shown and heard.count("Theo") == 1


@pytest.mark.parametrize("first", ["ok", "429"])
def test_who_stays_is_told_to_once_when_a_sibling_left_before_it_was_told(
    tmp_path: Path, provider: Provider, first: str
) -> None:
    house = Home(tmp_path, provider)
    mia, theo = house.child("Mia"), house.child("Theo", pronouns="he")
    both = house.ask(wish=house.wish(mia, theo))
    family.delete_child(house.database, mia.id, with_stories=True, now=house.now)
    provider.queue(first)
    while house.job(both).status != "completed":
        assert house.tell()
        house.now += HOUR
    shown, heard = as_read(house, both)
    assert "Theo" in shown and "a child" not in shown and heard.count("Theo") == 1
    asked = provider.requests()[-1]["json"]["messages"][1]["content"]
    assert "The listener who leads: " in asked and "A listener: " not in asked


def test_an_old_tab_buys_nothing_after_its_child_was_deleted(home: Home) -> None:
    mia = home.child("Mia")
    wish = home.wish(mia, idea="a shy dragon")
    job_id = home.ask("the-key", wish)
    family.delete_child(home.database, mia.id, with_stories=True, now=home.now)
    assert home.ask("the-key", wish) == job_id
    assert home.job(job_id).status == "cancelled"


def test_a_new_name_stands_in_every_old_story(home: Home) -> None:
    mia = home.child("Mia")
    told = home.tale(mia)
    assert family.change_child(home.database, replace(mia, nickname="Amelia"))
    with home.database.reading() as db:
        assert library.names_of(db, told.request_id)[1] == "Amelia"
        assert [story.id for story in library.shelf(db, library.Filter(words="Amel"))] == [told.id]


def test_what_a_profile_says_is_in_the_next_wish(home: Home) -> None:
    mia = home.child("Mia", likes="foxes", friends="Bobo the bear", leave_out="spiders")
    with home.database.reading() as db:
        child = library.children_by_id(db, [mia.id])[mia.id]
    assert (child.likes, child.friends, child.leave_out) == ("foxes", "Bobo the bear", "spiders")


def test_a_profile_that_is_gone_cannot_be_changed(home: Home) -> None:
    mia = home.child("Mia")
    family.delete_child(home.database, mia.id, with_stories=False, now=home.now)
    assert not family.change_child(home.database, mia)
    with home.database.reading() as db:
        assert family.leaving(db, mia.id) is None


def test_the_lead_goes_round(home: Home) -> None:
    children = [home.child(name) for name in ("Mia", "Theo", "Ada")]
    leads = []
    for _ in range(6):
        job_id = home.ask(wish=home.wish(*children))
        with home.database.reading() as db:
            view = progress(db, job_id)
        assert view
        leads.append(view.names[0])
        asking.cancel(home.database, job_id, now=home.now)
    assert leads == ["Mia", "Theo", "Ada"] * 2
