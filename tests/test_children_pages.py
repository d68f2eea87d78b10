"""The page of the children: any name that a family has, one line each, changed in place, deleted with its consequences told."""

import html
import re
from collections.abc import Callable, Iterator

import pytest
from provider import Provider
from running import MIA, Running

PAGE = {"headers": {"Accept": "text/html"}}
NAMES = (
    "🦊🚀",
    "👩‍👧‍👦",
    "ليلى",
    "น้องมิ้น",
    "Ελένη",
    "D’Artagnan",
    "O'Neill",
    "<b>Mia</b>",
    '"Mia" & "Theo"',
    "Mia {child:2}",
    "{{ 7 * 7 }}",
    "x" * 40,
    "J. J.",
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(tmp_path_factory.mktemp("children") / "house").start() as running:
        yield running


@pytest.fixture
def house(shared: Running) -> Running:
    """A house without a child."""
    for row in shared.rows("SELECT id FROM children"):
        shared.post(f"/children/{row['id']}/delete", data={"stories": "yes"})
    return shared


def add(house: Running, **more: str) -> int:
    answer = house.post("/children", data={**MIA, **more})
    assert answer.status_code == 303, answer.text
    return int(house.rows("SELECT max(id) AS id FROM children")[0]["id"])


def listening(house: Running, *ids: int, **more: object) -> int:
    """The job of a tale that was told to these profiles."""
    return int(house.ended(house.asked(children=list(ids), **more))["job_id"])


def words(text: str) -> str:
    """What a person reads: no tags, single spaces."""
    return html.unescape(
        " ".join(re.sub(r"</?(bdi|b|span|small)>|<[^>]*>", lambda tag: "" if tag[1] else " ", text).split())
    )


@pytest.mark.parametrize("name", NAMES)
def test_any_nickname_is_kept_shown_and_told(house: Running, name: str) -> None:
    child_id = add(house, nickname=name)
    page = house.get("/children", **PAGE).text
    assert html.escape(name, quote=False).replace('"', "&#34;").replace("'", "&#39;") in page
    job = house.job(listening(house, child_id))
    story = house.get(job["story_url"]).json()
    assert story["children"] == [name]
    assert name in " ".join([story["title"], *story["paragraphs"]])
    shown = house.get(job["story_url"], **PAGE).text
    assert f"<bdi>{html.escape(name, quote=False)}</bdi>".replace('"', "&#34;").replace("'", "&#39;") in shown


@pytest.mark.parametrize("name", ["", "   ", "\u200b", "x" * 41, "\x00\x07"])
def test_a_name_that_cannot_be_says_what_to_do(house: Running, name: str) -> None:
    answer = house.post("/children", data={**MIA, "nickname": name, "likes": "foxes"})
    assert answer.status_code == 422
    assert "What do you call them? Between one letter and 40." in answer.text
    assert 'value="foxes"' in answer.text
    assert house.rows("SELECT id FROM children") == []


@pytest.mark.parametrize(
    ("field", "value"),
    [("band", ""), ("band", "11-99"), ("pronouns", "it"), ("likes", "x" * 301), ("friends", "y" * 999)],
)
def test_a_profile_that_cannot_be_says_so_at_the_field(house: Running, field: str, value: str) -> None:
    answer = house.post("/children", data={**MIA, field: value})
    assert answer.status_code == 422
    assert f'aria-describedby="wrong-{field}-new"' in answer.text
    assert f'id="wrong-{field}-new"' in answer.text


def test_a_line_is_changed_in_place(house: Running) -> None:
    child_id = add(house)
    answer = house.post(
        f"/children/{child_id}", data={"nickname": "Amelia", "band": "6-7", "pronouns": "they", "likes": "  trains  "}
    )
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/children#child-{child_id}")
    (row,) = house.rows("SELECT nickname, band, pronouns, likes FROM children")
    assert row == {"nickname": "Amelia", "band": "6-7", "pronouns": "they", "likes": "trains"}


def test_a_change_that_cannot_be_keeps_the_line_open_with_what_was_typed(house: Running) -> None:
    child_id = add(house)
    answer = house.post(f"/children/{child_id}", data={**MIA, "nickname": "x" * 41, "leave_out": "spiders"})
    assert answer.status_code == 422
    line = answer.text[answer.text.index(f'id="child-{child_id}"') :]
    assert line[: line.index("</li>")].count('<details class="one" open>') == 1
    assert 'value="spiders"' in line
    assert house.rows("SELECT nickname FROM children") == [{"nickname": "Mia"}]


def test_deleting_tells_first_what_goes_along(house: Running) -> None:
    mia, theo = add(house), add(house, nickname="Theo", pronouns="he")
    for who in ([mia], [mia], [mia, theo]):
        listening(house, *who)
    page = words(house.get(f"/children/{mia}/delete", **PAGE).text)
    assert "Delete Mia?" in page
    assert "And their stories: 2 stories that nobody else listened to." in page
    assert len(house.rows("SELECT id FROM children")) == 2
    assert house.post(f"/children/{mia}/delete", data={"stories": "yes"}).status_code == 303
    assert len(house.get("/stories").json()["stories"]) == 1
    assert "Mia" not in house.get("/stories", **PAGE).text
    gone = house.rows("SELECT min(id) AS id FROM jobs WHERE id NOT IN (SELECT job_id FROM stories)")[0]["id"]
    page = words(house.get(f"/stories/jobs/{gone}", **PAGE).text)
    assert "It was told, and deleted since." in page and "stays on the shelf" not in page


def test_a_wish_whose_children_are_deleted_offers_nothing_that_cannot_be(
    paid: Callable[..., Running], provider: Provider
) -> None:
    provider.set_mode("refusal_text")
    house = paid()
    job_id = house.asked()
    assert house.ended(job_id)["error_code"] == "refused"
    path = f"/stories/jobs/{job_id}"
    assert all(f'action="{path}/{press}"' in house.get(path, **PAGE).text for press in ("again", "tale"))
    assert house.post("/children/1/delete").status_code == 303
    assert "it cannot be asked for again" in house.get(path, **PAGE).text
    for page in (path, "/queue"):
        assert f'action="{path}/' not in house.get(page, **PAGE).text


def test_a_profile_that_is_added_twice_by_a_double_tap_is_one(house: Running) -> None:
    for _ in range(2):
        add(house, nickname="Zoe", likes="foxes")
    assert len(house.rows("SELECT id FROM children")) == 1
    add(house, nickname="Zoe", likes="owls")
    assert len(house.rows("SELECT id FROM children")) == 2, "another child of that name"


def test_a_child_that_is_gone_is_a_page_that_says_so(house: Running) -> None:
    for answer in (house.get("/children/4711/delete", **PAGE), house.post("/children/4711", data=MIA, **PAGE)):
        assert answer.status_code == 404
        assert "There is no such child" in answer.text
    assert house.post("/children/4711/delete").status_code == 303
    assert house.get(f"/children/{10**30}/delete", **PAGE).status_code == 404


def test_three_children_of_one_name_are_told_apart_and_asked_for_a_letter(house: Running) -> None:
    three = [add(house, band=band) for band in ("2-3", "4-5", "6-7")]
    tonight = words(house.get("/", **PAGE).text)
    for band in ("2 to 3", "4 to 5", "6 to 7"):
        assert f"Mia {band}, she" in tonight
    answer = house.post(
        "/stories/generate",
        data={"child": list(map(str, three)), "idea": "a race", "idempotency_key": "three"},
        **PAGE,
    )
    assert answer.status_code == 422
    assert "Two of them have the same name: add a letter" in answer.text
    house.post(f"/children/{three[1]}", data={**MIA, "nickname": "Mia B."})
    house.post(f"/children/{three[2]}", data={**MIA, "nickname": "Mia C."})
    assert house.job(listening(house, *three))["status"] == "completed"


def test_the_youngest_sets_the_words_whoever_leads(house: Running) -> None:
    small, big = add(house, nickname="Ada", band="2-3"), add(house, nickname="Bo", band="8-10")
    tales = set()
    for _ in range(3):
        listening(house, big, small)
    tales = {row["tale"] for row in house.rows("SELECT tale FROM stories ORDER BY id DESC LIMIT 3")}
    bands = {
        re.search(r"(?m)^band: *(\S+)", (Running.root / "bedtime/tales" / f"{tale}.md").read_text())[1]
        for tale in tales
    }
    assert bands <= {"2-3", "4-5"}


def test_who_leads_next_is_said_before_and_while_it_waits(house: Running) -> None:
    mia, theo = add(house), add(house, nickname="Theo")
    listening(house, mia, theo)
    assert "Theo leads next" in words(house.get("/", **PAGE).text)
    job_id = listening(house, mia, theo)
    assert "Theo leads this time" in words(house.get(f"/stories/jobs/{job_id}", **PAGE).text)
