"""Approve, edit, hide: what a grown-up says to a story, kept with it; and nothing is readable before the commit."""

import ast
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import Devices
from home import NOW, Home
from playwright.sync_api import expect
from provider import Provider
from readers import CANARY, HARMLESS, UNSAFE, ask_and_set_up, told
from readers import Home as Network
from running import Running, eventually
from test_accessible import LIGHTS, faults
from test_meanwhile import Overtaken
from test_threats_reader import signed_in

from bedtime import approving, casting, family, library
from bedtime.errors import NotFound
from bedtime.library import Filter, Standing
from bedtime.library.stories import digest
from bedtime.model import Child, Story

Houses = Callable[..., Running]
WEB = Path(__file__).parent.parent / "bedtime" / "web"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    house = Home(tmp_path)
    yield house
    house.database.close()


def standing(home: Home, story: Story) -> Standing:
    with home.database.reading() as db:
        found = library.standing(db, story.id)
    assert found
    return found


def shown(home: Home, story: Story) -> tuple[str, list[str]]:
    """Title and paragraphs as a page shows them."""
    with home.database.reading() as db:
        names = library.names_of(db, story.request_id)
    now = standing(home, story)
    return casting.fill(now.title, names), [casting.fill(piece, names) for piece in now.text.split("\n\n")]


def edit(home: Home, story: Story, paragraphs: list[str], *, title: str | None = None) -> bool:
    old_title, old = shown(home, story)
    opened = approving.hash_of((old_title, *old))
    return approving.edit(home.database, story.id, title=title or old_title, paragraphs=paragraphs, shown=opened)


def as_shown(page: str) -> str:
    """What the form of a page says that it shows."""
    return page.split('name="shown" value="')[1].split('"')[0]


def found(home: Home, words: str) -> list[int]:
    with home.database.reading() as db:
        return [card.id for card in library.shelf(db, Filter(words=words))]


def seen(home: Home, eyes: int) -> bool:
    with home.database.reading() as db:
        return library.count_stories(db, eyes=eyes) == 1


# --- approve, hide, show again --------------------------------------------------------------------


def test_only_the_text_that_was_looked_at_is_approved(home: Home) -> None:
    story = home.tale(home.child("Mia"))
    looked_at = standing(home, story).sha256
    edit(home, story, [*shown(home, story)[1], "One more line."])
    assert not approving.approve(home.database, story.id, sha256=looked_at, now=NOW)
    assert standing(home, story).approved_at is None
    assert approving.approve(home.database, story.id, sha256=standing(home, story).sha256, now=NOW)
    assert standing(home, story).approved_at == NOW


def test_who_sees_what(home: Home) -> None:
    story = home.tale(home.child("Mia"))

    def eyes() -> tuple[bool, ...]:
        return tuple(seen(home, one) for one in (library.APPROVED, library.UNHELD, library.EVERYTHING))

    assert eyes() == (False, True, True)
    approving.approve(home.database, story.id, sha256=standing(home, story).sha256, now=NOW)
    assert eyes() == (True, True, True)
    approving.hide(home.database, story.id, now=NOW)
    assert eyes() == (False, False, True)
    assert not approving.approve(home.database, story.id, sha256=standing(home, story).sha256, now=NOW)
    approving.show_again(home.database, story.id)
    assert eyes() == (True, True, True), "as before it was hidden"


def test_what_no_check_held_is_approved_in_one_press_and_nothing_newer(home: Home) -> None:
    mia = home.child("Mia")
    first, second, third = (home.tale(mia) for _ in range(3))
    assert approving.approve_rest(home.database, up_to=second.id, now=NOW) == 2
    assert [standing(home, one).approved_at for one in (first, second, third)] == [NOW, NOW, None]


def test_a_story_that_is_gone_can_be_neither_approved_nor_hidden(home: Home) -> None:
    assert not approving.approve(home.database, 99, sha256="", now=NOW)
    assert not approving.hide(home.database, 99, now=NOW) and not approving.show_again(home.database, 99)
    with pytest.raises(NotFound):
        approving.edit(home.database, 99, title="x", paragraphs=["x"], shown="")


# --- edit -----------------------------------------------------------------------------------------


def test_the_first_text_is_kept_however_often_it_is_edited(home: Home) -> None:
    story = home.tale(home.child("Mia"))
    first = standing(home, story)
    for line in ("A quiet line.", "Another one."):
        assert edit(home, story, [*shown(home, story)[1], line], title=f"{line} (the title)")
    now = standing(home, story)
    assert (now.first_title, now.first_text) == (first.title, first.text)
    assert now.title == "Another one. (the title)" and now.text.endswith("A quiet line.\n\nAnother one.")
    assert now.sha256 == digest(now.title, now.text) != first.sha256


def test_an_edit_that_changes_nothing_writes_nothing(home: Home) -> None:
    story = home.tale(home.child("Mia"))
    before = standing(home, story)
    title, paragraphs = shown(home, story)
    assert edit(home, story, paragraphs, title=title)
    assert standing(home, story) == before


def test_of_two_who_edit_one_text_the_second_is_told(home: Home) -> None:
    story = home.tale(home.child("Mia"))
    title, paragraphs = shown(home, story)
    opened = approving.hash_of((title, *paragraphs))
    assert edit(home, story, ["What the first wrote."])
    wrote = approving.edit(home.database, story.id, title="Late", paragraphs=["What the second wrote."], shown=opened)
    assert not wrote and shown(home, story)[1] == ["What the first wrote."]


def test_the_search_follows_an_edit(home: Home) -> None:
    story = home.tale(home.child("Mia"))
    edit(home, story, ["There was a quillivant."])
    assert found(home, "quillivant") == [story.id]
    edit(home, story, ["There was none."])
    assert found(home, "quillivant") == []


@pytest.mark.parametrize("nickname", ["Mia", "Will", "Ann-Sophie R.", "O’Neil", "小明", "José", "{child:2}", "*Bo*"])
def test_names_survive_an_edit_and_follow_the_child(home: Home, nickname: str) -> None:
    child = home.child(nickname)
    story = home.tale(child)
    paragraphs = shown(home, story)[1]
    typed = [f"{nickname} woke. Then {nickname} slept.", *paragraphs, f"Good night, {nickname}."]
    assert edit(home, story, typed, title=f"{nickname} and the boat")
    assert shown(home, story) == (f"{nickname} and the boat", typed), "what was typed is what is read"
    family.change_child(home.database, Child(child.id, "Zora", "4-5", "she"))
    new_title, new = shown(home, story)
    if nickname != "{child:2}":  # a name that looks like a slot is told as it is, and stays
        assert new_title == "Zora and the boat"
        assert (new[0], new[-1]) == ("Zora woke. Then Zora slept.", "Good night, Zora.")


def test_a_paragraph_that_nobody_touched_keeps_its_slots_and_its_words(home: Home) -> None:
    """The and Will are children, the and will are words: nothing may be taken for the other."""
    for nickname, line in (("The", "It is the lamp. {} said so."), ("Will", "It will rain. WILL IT? {} said so.")):
        story = home.tale(home.child(nickname))
        before = standing(home, story).text.split("\n\n")
        edit(home, story, [*shown(home, story)[1], line.format(nickname)])
        after = standing(home, story).text.split("\n\n")
        assert after[:-1] == before, nickname
        assert after[-1] == line.format("{child:1}")


def test_a_deleted_child_stays_a_child_in_what_is_edited(home: Home) -> None:
    mia, theo = home.child("Mia"), home.child("Theo", pronouns="he")
    story = home.tale(mia, theo)
    family.delete_child(home.database, mia.id, with_stories=False, now=NOW)
    edit(home, story, ["There was a child, and Theo.", *shown(home, story)[1]])
    first, *rest = standing(home, story).text.split("\n\n")
    assert first.startswith("There was a child, and {child:"), "words, and Theo’s slot"
    assert any("{child:1}" in piece for piece in rest) and any("{child:2}" in piece for piece in rest)


def test_we_cannot_have_got_further_than_the_story_is_long(home: Home) -> None:
    story = home.tale(home.child("Mia"))
    with home.database.transaction("test") as tx:
        library.read_to(tx, story.id, 9, now=NOW)
    edit(home, story, ["One.", "Two."])
    with home.database.reading() as db:
        assert library.bookmark(db, story.id) == 2
    assert standing(home, story).minutes == 1


EDITS: dict[str, Callable[[list[str]], list[str]]] = {
    "nothing before it": lambda old: [*old[:8], "Another.", *old[8:]],
    "one less before it": lambda old: [old[0], *old[2:]],
    "two more before it": lambda old: ["One.", "Two.", *old],
    "other words in it": lambda old: [*old[:4], "Other words.", *old[5:]],
    "it is gone": lambda old: [*old[:4], *old[5:]],
    "a break before it": lambda old: [*old[:4], "* * *", *old[5:]],
}


@pytest.mark.parametrize(("change", "at"), list(zip(EDITS, [5, 4, 7, 5, 5, 6], strict=True)))
def test_the_bookmark_goes_with_its_paragraph(home: Home, change: str, at: int) -> None:
    story = home.tale(home.child("Mia"))
    with home.database.transaction("test") as tx:
        library.read_to(tx, story.id, 5, now=NOW)
    edit(home, story, EDITS[change](shown(home, story)[1]))
    with home.database.reading() as db:
        assert library.bookmark(db, story.id) == at


def test_what_was_read_to_its_end_is_read_to_its_end_when_it_grows(home: Home) -> None:
    story = home.tale(home.child("Mia"))
    with home.database.transaction("test") as tx:
        library.read_to(tx, story.id, len(story.paragraphs), now=NOW)
    edit(home, story, [*shown(home, story)[1], "And so it was."])
    with home.database.reading() as db:
        assert library.bookmark(db, story.id) == len(story.paragraphs) + 1


@pytest.mark.parametrize("when", ["while it stood open", "just before the press is written"])
@pytest.mark.parametrize("what", ["renamed", "deleted"])
def test_a_page_that_stood_open_brings_no_former_name_back(home: Home, what: str, when: str) -> None:
    mia = home.child("Mia")
    story = home.tale(mia)
    title, paragraphs = shown(home, story)
    opened = approving.hash_of((title, *paragraphs))
    late = when.startswith("just")
    paragraphs[-1] = "Then Mia slept."

    def act() -> None:
        if what == "renamed":
            family.change_child(home.database, replace(mia, nickname="Maja"))
        else:
            family.delete_child(home.database, mia.id, with_stories=False, now=NOW)

    if not late:
        act()
    database: Any = Overtaken(home.database, act) if late else home.database
    assert not approving.edit(database, story.id, title=title, paragraphs=paragraphs, shown=opened)
    now = standing(home, story)
    assert now.first_text is None and "Mia" not in now.title + now.text


def test_an_edit_looks_for_names_while_nobody_waits_for_the_lock(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    story = home.tale(home.child("Mia"))
    looks = approving.casting.named_slots
    looked = []

    def look(*given: Any) -> str:
        with home.database.transaction("another"):
            looked.append(given)
        return looks(*given)

    monkeypatch.setattr(approving.casting, "named_slots", look)
    assert edit(home, story, [*shown(home, story)[1], "And so it was."])
    assert looked


# --- by HTTP, and by crash ------------------------------------------------------------------------


def test_editing_by_the_form_keeps_what_it_cannot_take(paid: Houses, provider: Provider) -> None:
    home = ask_and_set_up(paid, provider, told(UNSAFE))
    page = home.phone.get("/safety/stories/1").text
    assert CANARY in page and "words of violence" in page
    opened = as_shown(page)
    url = "/safety/stories/1/edit"

    def send(title: str, text: str, shown: str = opened) -> tuple[int, str]:
        fields = {"title": (None, title), "text": (None, text), "shown": (None, shown)}
        answer = home.phone.post(url, files=fields)
        return answer.status_code, answer.text

    for title, text in (("", "Some text."), ("x" * 201, "Some text."), ("A title", " \r\n \r\n ")):
        status, page = send(title, text)
        assert status == 422 and 'aria-invalid="true"' in page and (text.strip() or title) in page
    status, page = send("A title", "Typed for nothing.", "0" * 64)
    assert status == 409 and "Typed for nothing." in page
    assert home.phone.post(url, data={"title": "a"}).status_code == 422
    assert send("The Lamp", "It was late.\r\n\r\n\r\n  The dog slept.  \r\nSo did the gate.")[0] == 303
    row = home.house.rows("SELECT * FROM stories")[0]
    assert row["text"] == "It was late.\n\nThe dog slept.\nSo did the gate."
    assert UNSAFE in row["first_text"] and row["held"] == "violence" and row["approved_at"] is None
    assert CANARY in home.phone.get("/safety/stories/1").text, "as it was told first"
    home.judge(1, "approve")
    tablet = home.tablet.get("/stories/1").text
    assert "The dog slept." in tablet and CANARY not in tablet


def test_a_long_story_can_be_edited(household: Houses) -> None:
    house = household()
    house.ended(house.asked(from_book=True))
    home = Network.of(house)
    opened = as_shown(home.phone.get("/safety/stories/1").text)
    long = "Жил-был медведь, и было ему тепло. " * 1200
    fields = {"title": (None, "Медведь"), "text": (None, long), "shown": (None, opened)}
    assert len(long.encode()) > 70_000
    assert home.phone.post("/safety/stories/1/edit", files=fields).status_code == 303
    assert (
        home.phone.post("/safety/stories/1/edit", files={**fields, "text": (None, "a " * 400_000)}).status_code == 413
    )


def test_what_waits_is_a_hint_on_tonight_and_only_where_somebody_waits_for_it(household: Houses) -> None:
    house = household()
    house.ended(house.asked(from_book=True))
    assert "look</a>" not in house.get("/", headers={"Accept": "text/html"}).text, "no reader, nothing held"
    home = Network.of(house)
    assert "1 story waits" in home.phone.get("/").text
    assert "story waits" not in home.tablet.get("/").text
    home.judge(1, "approve")
    assert "story waits" not in home.phone.get("/").text


def test_nothing_is_readable_before_the_commit(household: Houses) -> None:
    house = household()
    house.ended(house.asked(from_book=True))
    home = Network.of(house)
    house.kill()
    house.start(hold_at="approve.before_commit")
    press = threading.Thread(target=lambda: home.judge(1, "approve"))
    press.start()
    eventually(house.hold.exists, what="the step before the commit")
    assert not home.sees(home.tablet, 1)
    house.hold.unlink()
    press.join()
    assert home.sees(home.tablet, 1)


@pytest.mark.parametrize(
    ("verdict", "point", "seen_before", "seen_after"),
    [
        ("approve", "approve.before_commit", False, False),
        ("approve", "approve.after_commit", False, True),
        ("hide", "hide_story.before_commit", True, True),
        ("hide", "hide_story.after_commit", True, False),
    ],
)
def test_a_crash_under_the_press_leaves_it_done_or_not_done(
    household: Houses, verdict: str, point: str, seen_before: bool, seen_after: bool
) -> None:
    house = household()
    house.ended(house.asked(from_book=True))
    home = Network.of(house)
    if seen_before:
        home.judge(1, "approve")
    assert home.sees(home.tablet, 1) is seen_before
    house.kill()
    house.start(crash_at=point)
    with pytest.raises(OSError):
        home.judge(1, verdict)
    house.wait()
    house.start()
    assert home.sees(home.tablet, 1) is seen_after
    home.judge(1, verdict)
    assert home.sees(home.tablet, 1) is (verdict == "approve")


@pytest.mark.parametrize("when", ["before_commit", "after_commit"])
def test_a_crash_under_an_edit_leaves_one_whole_text(household: Houses, when: str) -> None:
    house = household()
    house.ended(house.asked(from_book=True))
    home = Network.of(house)
    opened = as_shown(home.phone.get("/safety/stories/1").text)
    house.kill()
    house.start(crash_at=f"edit_story.{when}")
    fields = {"title": (None, "New"), "text": (None, "A quillivant."), "shown": (None, opened)}
    with pytest.raises(OSError):
        home.phone.post("/safety/stories/1/edit", files=fields)
    house.wait()
    house.start()
    now = house.rows("SELECT * FROM stories")[0]
    edited = when == "after_commit"
    assert (now["text"] == "A quillivant.") is edited and (now["first_text"] is not None) is edited
    assert now["sha256"] == digest(now["title"], now["text"])
    hits = house.rows("SELECT rowid FROM story_words WHERE story_words MATCH 'quillivant'")
    assert len(hits) == edited


# --- the shape, and how it looks ------------------------------------------------------------------


def test_every_question_of_a_page_says_whose_eyes_it_is_for() -> None:
    """Forgotten once, everybody sees everything."""
    guarded = {"shelf", "tonight", "count_stories", "parts_of", "Filter"}
    forgotten = []
    for file in sorted(WEB.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            called = node.func.attr
            if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "library" and called in guarded):
                continue
            names = {keyword.arg for keyword in node.keywords}
            if "eyes" not in names and called != "shelf":
                forgotten.append(f"{file.name}:{node.lineno} {called}")
    assert forgotten == []


def test_a_story_is_read_from_the_file_only_for_the_eyes_of_the_visitor() -> None:
    """`library.story` knows of no eyes: only where they were asked for before, or on a grown-up's page."""
    callers = {
        (file.name, function.name)
        for file in sorted(WEB.rglob("*.py"))
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("library.story", "library.standing")
    }
    assert callers <= {
        ("shelf.py", "story_row"),  # asks may_see
        ("marks.py", "mark"),  # reads once more what story_row has given
        ("accounting.py", "_told"),  # behind the PIN
        ("standing.py", "notice"),  # for a story that was seen, and for grown-ups
        ("safety.py", "_page"),  # behind the PIN
        ("tonight.py", "_going_on"),  # the form of grown-ups
        ("tonight.py", "_before"),
    }


@LIGHTS
def test_the_pages_of_approval_and_wishes_are_clean(
    paid: Houses, provider: Provider, device: Devices, light: str
) -> None:
    home = ask_and_set_up(paid, provider, told(UNSAFE), told(HARMLESS, title="A Quiet One"), told(HARMLESS))
    home.judge(3, "hide")
    home.tablet.post("/wishes", data={"child": "1", "idea": "a shy dragon"})
    page = signed_in(device, home, home.phone, "/safety")
    page.context.add_cookies([{"name": "theme", "value": light, "url": home.house.url}])
    for path in ("/safety", "/safety/stories/1", "/safety/stories/3", "/stories/1", "/", "/stories"):
        page.goto(home.house.url + path)
        assert faults(page) == [], path
    page.goto(f"{home.house.url}/safety/stories/1")
    page.locator(".edit summary").click()
    page.locator("#title").fill(" ")
    page.get_by_role("button", name="Keep it so").click()
    expect(page.locator("[role=alert]")).to_be_visible()
    assert faults(page) == []
    tablet = signed_in(device, home, home.tablet, "/")
    tablet.context.add_cookies([{"name": "theme", "value": light, "url": home.house.url}])
    tablet.goto(f"{home.house.url}/")
    assert faults(tablet) == []
    tablet.get_by_role("button", name="Wish for it").click()
    expect(tablet.locator("[role=alert]")).to_be_visible()
    assert faults(tablet) == []


def test_a_grown_up_approves_what_was_held_and_a_child_reads_it(
    paid: Houses, provider: Provider, device: Devices
) -> None:
    home = ask_and_set_up(paid, provider, told(UNSAFE))
    page = signed_in(device, home, home.phone, "/")
    page.get_by_role("link", name="1 story waits").click()
    expect(page.get_by_text("Held:")).to_be_visible()
    page.get_by_role("link", name="Edit").click()
    page.locator(".edit summary").click()
    text = page.locator("#text").input_value()
    page.locator("#text").fill(text.replace(UNSAFE, HARMLESS))
    page.get_by_role("button", name="Keep it so").click()
    expect(page.get_by_text("As it was told first", exact=True)).to_be_visible()
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Nothing waits")).to_be_visible()
    tablet = signed_in(device, home, home.tablet, "/")
    tablet.get_by_role("link", name="The Lamp by the Gate").click()
    expect(tablet.get_by_text(HARMLESS)).to_be_visible()
    expect(tablet.get_by_text("For grown-ups")).to_have_count(0)
