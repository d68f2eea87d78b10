"""The shelf: searched, filtered, paged by key, and quick with ten thousand stories."""

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from home import Home
from running import MIA, Running

from bedtime import library
from bedtime.db import Connection, Database
from bedtime.library import Filter
from bedtime.library.stories import make_findable
from bedtime.web import pages

MANY = 10_000
PAGE = {"headers": {"Accept": "text/html"}}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def found(home: Home, which: Filter = Filter(), **more: int) -> list[int]:  # noqa: B008 - frozen
    with home.database.reading() as db:
        return [story.id for story in library.shelf(db, which, **more)]


def write(home: Home, title: str, text: str, **more: object) -> int:
    """A tale whose words were changed, for what the search has to find."""
    story = home.tale(home.child(str(more.pop("nickname", "Mia"))), **more)
    with home.database.transaction("edit") as tx:
        tx.execute("UPDATE stories SET title = ?, text = ? WHERE id = ?", (title, text, story.id))
        make_findable(tx, story.id, title, text)
    return story.id


def test_the_newest_stands_first_and_a_page_goes_on_where_the_last_one_ended(home: Home) -> None:
    mia = home.child("Mia")
    ids = [home.tale(mia).id for _ in range(7)][::-1]
    assert found(home) == ids
    assert found(home, most=3) + found(home, most=3, before=ids[2]) + found(home, most=3, before=ids[5]) == ids


def test_a_story_that_comes_while_somebody_scrolls_moves_nothing(home: Home) -> None:
    mia = home.child("Mia")
    ids = [home.tale(mia).id for _ in range(4)][::-1]
    first = found(home, most=2)
    home.tale(mia)
    assert first + found(home, most=2, before=first[-1]) == ids


@pytest.mark.parametrize(
    ("words", "finds"),
    [
        ("bär", True),
        ("bar", True),
        ("BÄR", True),
        ("brü", True),
        ("under the bridge", True),
        ("bridge bär", True),
        ("Μήλο", True),
        ("μηλο", True),
        ("قمر", True),
        ("wolf", False),
        ('"bridge', True),
        ("bridge*", True),
        ("bridge OR wolf", False),
        ("NEAR(bridge)", False),
        ("title:bridge", False),
        ("-bridge", True),
        ('"', False),
        ("***", False),
        ("''--;", False),
        ("%", False),
        ("  ", False),
        ("\u0301", False),
        ("_", False),
        ("🦊", False),
        ("x" * 5000, False),
    ],
)
def test_a_search_takes_words_as_words(home: Home, words: str, finds: bool) -> None:
    story_id = write(home, "Der Bär", "Brüder wait under the bridge. Μήλο. قمر")
    write(home, "Another", "nothing of it", nickname="Theo")
    assert found(home, Filter(words=words)) == ([story_id] if finds else [])


@pytest.mark.parametrize(
    ("words", "finds"),
    [("狐狸", True), ("月亮", True), ("月", True), ("亮月", False), ("狐月", False), ("うさぎ", True), ("さぎ", True),
     ("月亮 うさ", True), ("พระจันทร์", True), ("จันทร์", True), ("달", True), ("ﾂｷ", True)],
)  # fmt: skip
def test_a_search_finds_words_in_the_midst_of_a_script_without_spaces(home: Home, words: str, finds: bool) -> None:
    story_id = write(home, "小狐狸和月亮", "月とうさぎ。ツキ。พระจันทร์ยิ้ม。달님이 웃었다.")
    assert found(home, Filter(words=words)) == ([story_id] if finds else [])


def test_the_search_of_an_older_file_is_made_anew(tmp_path: Path) -> None:
    """A story that was told before schema 8, as the search had it then."""
    home = Home(tmp_path)
    story_id = write(home, "小狐狸和月亮", "{child:1} und ein Bär.")
    with home.database.transaction("edit") as tx:
        tx.execute("DELETE FROM story_words")
        tx.execute("INSERT INTO story_words (rowid, title, text) SELECT id, title, text FROM stories")
        tx.execute("DROP INDEX requests_that_continue")  # of a later schema
        tx.execute("PRAGMA user_version = 7")
    assert found(home, Filter(words="月亮")) == []
    home.database.close()
    Database(home.database.path).open()
    assert found(home, Filter(words="月亮")) == found(home, Filter(words="bar")) == [story_id]
    assert found(home, Filter(words="child")) == []
    home.database.close()


def test_a_search_for_a_nickname_finds_the_stories_told_to_them(home: Home) -> None:
    fox, theo = home.child("🦊"), home.child("Theo_1")
    first, second = home.tale(fox).id, home.tale(theo).id
    assert found(home, Filter(words="🦊")) == [first]
    assert found(home, Filter(words="theo")) == [second]
    assert found(home, Filter(words="%")) == found(home, Filter(words="_")) == []


def test_a_search_knows_names_and_words_together_in_any_case_and_without_accents(home: Home) -> None:
    """The title as the card shows it, too: its name is a slot in what is kept."""
    emile, lena = home.child("Émile"), home.child("Anna Lena")
    first, second = home.tale(emile), home.tale(lena, emile)
    title = first.title.replace("{child:1}", "Émile")
    for words in (title, title.upper(), "émile", "EMILE", "emi"):
        assert first.id in found(home, Filter(words=words)), words
    for words in ("lena", "anna lena", "Lena Émile", "Anna L"):
        assert found(home, Filter(words=words)) == [second.id], words
    word = max(re.findall(r"[a-z]+", " ".join(first.paragraphs)), key=len)
    assert first.id in found(home, Filter(words=f"{word} emile"))
    lamp = home.tale(home.child("Lantern")).id
    assert found(home, Filter(words="lantern"))[0] == lamp
    write(home, "Another", "a lantern in the wind")
    assert len(found(home, Filter(words="lantern"))) > 1, "a name that is a word is found as both"
    assert found(home, Filter(words="emile zebra")) == found(home, Filter(words="lena zebra")) == []


def test_filters_hold_together(home: Home) -> None:
    mia, theo = home.child("Mia"), home.child("Theo")
    both, alone, other = home.tale(mia, theo).id, home.tale(mia).id, home.tale(theo).id
    with home.database.transaction("mark") as tx:
        library.set_favourite(tx, both, favourite=True)
        library.set_favourite(tx, other, favourite=True)
        library.read_to(tx, alone, 3, now=home.now)
    assert found(home, Filter(child_id=mia.id)) == [alone, both]
    assert found(home, Filter(only="favourites")) == [other, both]
    assert found(home, Filter(only="unread")) == [other, both]
    assert found(home, Filter(child_id=mia.id, only="favourites")) == [both]
    assert found(home, Filter(child_id=mia.id, only="unread", words="theo")) == [both]


def test_a_child_who_is_only_mentioned_did_not_listen(home: Home) -> None:
    mia, theo = home.child("Mia"), home.child("Theo")
    story = home.tale(mia)
    with home.database.transaction("cast") as tx:
        roles = library.cast_of(tx, story.request_id)
        library.set_cast(tx, story.request_id, [replace(roles[0], position=2, child_id=theo.id, listens=False)])
    assert found(home, Filter(child_id=theo.id)) == []


def test_the_parts_of_a_series_stand_together(home: Home) -> None:
    mia = home.child("Mia")
    first = home.tale(mia).id
    home.tale(mia)
    with home.database.transaction("series") as tx:
        tx.execute("UPDATE stories SET series = ?, part = 2 WHERE id = ?", (first, first + 1))
    home.tale(mia)
    assert found(home, Filter(series=first)) == [first + 1, first]
    with home.database.reading() as db:
        cards = pages.cards(db, library.shelf(db, Filter(series=first)))
    assert [(card.part, card.parts) for card in cards] == [(2, 2), (1, 2)]


def test_tonight_lies_what_was_wanted_again_then_what_is_half_read_then_what_is_new(home: Home) -> None:
    mia = home.child("Mia")
    again, half, done, new = (home.tale(mia) for _ in range(4))
    with home.database.transaction("mark") as tx:
        for story, paragraph in ((again, 1), (half, 3), (done, len(done.paragraphs))):
            library.read_to(tx, story.id, paragraph, now=home.now)
        library.want_again(tx, again.id, now=home.now)
    with home.database.reading() as db:
        lying = library.tonight(db, eyes=library.EVERYTHING)
    assert [story.id for story in lying] == [again.id, half.id, new.id]
    assert [story.halfway for story in lying] == [False, True, False]
    with home.database.transaction("mark") as tx:
        library.read_to(tx, again.id, len(again.paragraphs), now=home.now)
    with home.database.reading() as db:
        assert [story.id for story in library.tonight(db, eyes=library.EVERYTHING)] == [half.id, new.id]


# --- ten thousand ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A shelf of many evenings: three children, one of them seldom, one never; most of it read."""
    database = Database(tmp_path_factory.mktemp("big") / "bedtime.db")
    database.open()
    text = "\n\n".join(["The lamp went along the wall, and the hedgehogs were polite about it. " * 4] * 16)
    with database.transaction("fill") as tx:
        for nickname in ("Mia", "Theo", "Ada"):
            library.add_child(tx, nickname=nickname, band="4-5", pronouns="she", now=1.0)
        tx.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :many)
            INSERT INTO jobs (id, queue, kind, status, run_after, created_at, completed_at)
            SELECT i, 'book', 'tell_tale', 'completed', 0, 0, i FROM n
            """,
            {"many": MANY},
        )
        tx.execute(
            """
            INSERT INTO story_requests (id, idempotency_key, fingerprint, job_id, idea, today, minutes, mood, lesson,
                                        language, created_at)
            SELECT id, 'k' || id, '', id, '', '', 6, 'calm', '', 'en', id FROM jobs
            """
        )
        tx.execute(
            """
            INSERT INTO casts (request_id, position, child_id, stand_in, pronouns, listens)
            SELECT id, 1, 1 + (id % 100 < 3), '', 'she', 1 FROM story_requests
            """
        )
        tx.execute(
            """
            INSERT INTO stories (id, job_id, request_id, title, text, sha256, language, minutes, told_by, created_at,
                                 favourite, series, part)
            SELECT id, id, id, 'Story ' || id, :text, '', 'en', 6, 'book', id,
                   id % 1000 = 0, CASE WHEN id % 50 = 0 THEN id - 1 END, 1 + (id % 50 = 0)
              FROM story_requests
            """,
            {"text": text},
        )
        tx.execute("INSERT INTO story_words (rowid, title, text) SELECT id, title, text FROM stories")
        tx.execute("INSERT INTO readings (story_id, paragraph, read_at) SELECT id, 16, 0 FROM stories WHERE id > 50")
    yield database
    database.close()


QUESTIONS = {
    "everything": Filter(),
    "a child": Filter(child_id=1),
    "a child who came seldom": Filter(child_id=2),
    "a child who never came": Filter(child_id=3),
    "favourites": Filter(only="favourites"),
    "not read": Filter(only="unread"),
    "a series": Filter(series=49),
    "a word of all": Filter(words="lamp"),
    "a word of one": Filter(words="7777"),
    "a word of none": Filter(words="zebra"),
    "a name": Filter(words="Theo"),
    "a name of nearly all": Filter(words="Mia"),
    "a name and a word": Filter(words="Theo lamp"),
    "all at once": Filter(words="lamp", child_id=2, only="unread"),
}


@pytest.mark.parametrize("before", [None, 5000, 60])
@pytest.mark.parametrize("which", QUESTIONS.values(), ids=QUESTIONS)
def test_a_page_of_ten_thousand_stories_comes_at_once(big: Database, which: Filter, before: int | None) -> None:
    assert 0 < steps(big, lambda db: page_of(db, which, before)) < 5000, "half a million: some fifty a story"


def test_tonight_comes_at_once_beside_ten_thousand_stories(big: Database) -> None:
    def look(db: Connection) -> None:
        pages.cards(db, library.tonight(db, eyes=library.EVERYTHING))
        library.count_stories(db, eyes=library.EVERYTHING)

    assert 0 < steps(big, look) < 1000


def page_of(db: Connection, which: Filter, before: int | None) -> None:
    pages.cards(db, library.shelf(db, which, before=before, most=25))


def steps(database: Database, act: Callable[[Connection], None]) -> int:
    """How many hundreds of instructions SQLite runs for it (https://sqlite.org/opcode.html): no clock, and no machine."""
    count = itertools.count()
    with database.reading() as db:
        db.set_progress_handler(lambda: next(count) and None, 100)
        act(db)
        db.set_progress_handler(None, 0)
    return next(count)


def test_the_plain_shelf_walks_through_no_table(big: Database) -> None:
    statements: list[str] = []
    with big.reading() as db:
        db.set_trace_callback(statements.append)
        library.shelf(db, Filter(), most=25)
        library.shelf(db, Filter(), before=5000, most=25)
        db.set_trace_callback(None)
        plan = [row["detail"] for statement in statements for row in db.execute(f"EXPLAIN QUERY PLAN {statement}")]
    assert plan
    assert [step for step in plan if re.search(r"SCAN (s|f|r|stories|readings)\b", step)] == []


# --- over HTTP ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A shelf of two pages, in which Theo heard every third."""
    with Running(tmp_path_factory.mktemp("shelf") / "house", queue_max=100).start() as running:
        theo = {**MIA, "nickname": "Theo"}
        jobs = [running.asked(children=[theo if number % 3 == 0 else MIA]) for number in range(30)]
        for job_id in jobs:
            running.ended(job_id)
        yield running


def all_pages(house: Running, path: str) -> list[int]:
    """Every story that the links of the shelf lead to, page after page."""
    ids: list[int] = []
    following: str | None = path
    while following:
        page = house.get(following, **PAGE).text
        ids += map(int, re.findall(r'href="/stories/(\d+)"', page))
        links = re.findall(r'<a href="([^"]*)">More stories</a>', page)
        loads = re.findall(r'hx-get="([^"]*)" hx-trigger="revealed"', page)
        assert links == loads
        following = links[0].replace("&amp;", "&") if links else None
    return ids


def test_the_link_leads_through_the_whole_shelf(house: Running) -> None:
    assert all_pages(house, "/stories") == [row["id"] for row in house.rows("SELECT id FROM stories ORDER BY id DESC")]


def test_the_link_keeps_the_filters(house: Running) -> None:
    mia = {
        row["id"] for row in house.rows("SELECT s.id FROM stories s JOIN casts c USING (request_id) WHERE child_id = 2")
    }
    assert len(mia) == 20
    assert set(all_pages(house, "/stories?child=2&only=unread")) == mia
    assert set(all_pages(house, "/stories?q=mia")) == mia


def test_an_empty_shelf_says_how_a_first_story_comes(tmp_path: Path) -> None:
    with Running(tmp_path / "house") as house:
        page = house.get("/stories", **PAGE).text
    assert "The shelf is still empty" in page
    assert "Wish for the first one" in page


@pytest.mark.parametrize("q", ['"', "*", "'; DROP TABLE stories; --", "<script>alert(1)</script>", "\x00", "x" * 3000])
def test_a_search_that_finds_nothing_says_so_with_what_was_typed(house: Running, q: str) -> None:
    answer = house.get("/stories", params={"q": q}, **PAGE)
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert "No story here" in answer.text or q == "\x00"
    assert "See all stories" in answer.text or q == "\x00"


@pytest.mark.parametrize(
    "query", ["before=x", "before=-1", f"before={10**30}", "child=none", "only=everything", "series=%00"]
)
def test_a_query_that_makes_no_sense_is_no_error(house: Running, query: str) -> None:
    assert house.get(f"/stories?{query}", **PAGE).status_code == 200


def test_again_lays_a_story_on_tonight_until_it_is_read(house: Running) -> None:
    last = len(house.get("/stories/3").json()["paragraphs"])
    house.post("/stories/3/reading", data={"paragraph": str(last)})
    assert 'href="/stories/3"' not in house.get("/", **PAGE).text
    house.post("/stories/3/mark", data={"again": "yes"})
    assert 'href="/stories/3"' in house.get("/", **PAGE).text
    house.post("/stories/3/reading", data={"paragraph": str(last)})
    assert 'href="/stories/3"' not in house.get("/", **PAGE).text


def test_to_look_at_a_story_changes_nothing(house: Running) -> None:
    before = house.rows("SELECT * FROM readings"), house.rows("SELECT again_at, favourite FROM stories")
    for path in (
        "/stories/5",
        "/stories/5/cover.svg",
        "/stories/5/story.epub",
        "/?continues=5",
        "/stories?only=unread",
    ):
        assert house.get(path, **PAGE).status_code == 200
    assert (house.rows("SELECT * FROM readings"), house.rows("SELECT again_at, favourite FROM stories")) == before
