"""The same table as a browser meets it: 303 to the waiting page; 422 and 429 with the page, its input kept, a fresh key."""

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

import pytest
import requests
from running import Running
from terminal import flask, said

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
HTMX = {**BROWSER, "HX-Request": "true"}
WISH = {
    "nickname": "Mia",
    "band": "4-5",
    "pronouns": "she",
    "idea": "a “shy” dragon & <b>his</b> sneeze",
    "minutes": "10",
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(tmp_path_factory.mktemp("forms") / "house", queue_max=1000) as house:
        yield house


def press(house: Running, key: str, headers: dict[str, str] = BROWSER, **fields: Any) -> requests.Response:
    return house.post("/stories/generate", data={**WISH, "idempotency_key": key, **fields}, headers=headers)


def key_in(page: str) -> str:
    (key,) = re.findall(r'name="idempotency_key" value="([^"]+)"', page)
    return str(key)


def keeps_the_input(page: str) -> bool:
    """As text in the page, escaped and whole."""
    return "<b>his" not in page and WISH["idea"] in unescape(page) and 'value="Mia"' in page


def kept(house: Running, key: str) -> int:
    return len(house.rows("SELECT 1 FROM story_requests WHERE idempotency_key = ?", key))


def test_the_form_of_the_page_leads_to_the_waiting_page(house: Running) -> None:
    key = key_in(house.get("/", headers=BROWSER).text)
    answer = press(house, key)
    assert answer.status_code == 303
    assert re.fullmatch(r"/stories/jobs/\d+", answer.headers["Location"])
    assert house.get(answer.headers["Location"], headers=BROWSER).status_code == 200


def test_a_form_pressed_twice_leads_to_one_page(house: Running) -> None:
    first, second = (press(house, "twice") for _ in range(2))
    assert first.headers["Location"] == second.headers["Location"]
    assert (second.status_code, second.headers["Idempotent-Replayed"], kept(house, "twice")) == (303, "true", 1)


def test_every_page_with_the_form_has_a_key_of_its_own(house: Running) -> None:
    keys = {key_in(house.get("/", headers=BROWSER).text) for _ in range(5)}
    assert len(keys) == 5 and all(len(key) >= 32 for key in keys)


@pytest.mark.parametrize(
    "wrong", [{"minutes": "99"}, {"band": ""}, {"pronouns": "it"}, {"mood": "wild"}, {"language": "?"}]
)
def test_a_wrong_form_comes_back_with_its_input(house: Running, wrong: dict[str, str]) -> None:
    answer = press(house, "wrong", **wrong)
    assert (answer.status_code, answer.headers["Content-Type"]) == (422, "text/html; charset=utf-8")
    assert keeps_the_input(answer.text)
    assert f'id="wrong-{next(iter(wrong))}"' in answer.text
    assert (kept(house, "wrong"), key_in(answer.text) != "wrong") == (0, True)


def test_a_page_names_its_choices_as_they_read_there_and_a_script_gets_the_values(house: Running) -> None:
    wrong = {"band": "", "mood": "wild"}
    page = unescape(press(house, "choices-1", **wrong).text)
    assert "2 to 3, 4 to 5, 6 to 7 or 8 to 10." in page and "Calm, funny, adventure or sleepy." in page
    errors = press(house, "choices-1", headers={"Accept": "application/json"}, **wrong).json()["errors"]
    assert "2-3, 4-5" in errors["band"] and "very_sleepy" in errors["mood"]


def test_a_form_without_a_child_comes_back_with_its_input(house: Running) -> None:
    answer = press(house, "nobody", nickname="", band="", pronouns="")
    assert answer.status_code == 422
    assert WISH["idea"] in unescape(answer.text)
    assert kept(house, "nobody") == 0


@pytest.mark.parametrize("lacks", ["nickname", "band", "pronouns"])
def test_a_new_child_that_lacks_a_field_is_named_and_not_left_out(house: Running, lacks: str) -> None:
    house.asked()
    fields = {name: text for name, text in {**WISH, "child": "1", "nickname": "Ada"}.items() if name != lacks}
    answer = house.post("/stories/generate", data={**fields, "idempotency_key": f"lacks-{lacks}"})
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [lacks])
    assert kept(house, f"lacks-{lacks}") == 0


def test_back_and_another_wish_shows_the_page_again_with_a_link_to_the_first(house: Running) -> None:
    first = press(house, "back", idea="the first").headers["Location"]
    answer = press(house, "back")
    assert answer.status_code == 422
    assert keeps_the_input(answer.text)
    assert f'href="{first}"' in answer.text
    fresh = key_in(answer.text)
    assert fresh != "back"
    second = press(house, fresh)
    assert second.status_code == 303 and second.headers["Location"] != first


def test_a_full_queue_shows_the_page_again(household: Callable[..., Running]) -> None:
    house = household(llm_url="http://127.0.0.1:9/v1", llm_model="m", price_in="1", price_out="1", queue_max=1)
    said(flask(house, "jobs", "pause"), 0)
    assert press(house, "first").status_code == 303
    answer = press(house, "second")
    assert (answer.status_code, kept(house, "second")) == (429, 0)
    assert int(answer.headers["Retry-After"]) > 0
    assert keeps_the_input(answer.text)
    assert press(house, "first").headers["Idempotent-Replayed"] == "true"


def test_a_form_without_a_key_is_told_to_open_the_page_afresh(house: Running) -> None:
    answer = house.post("/stories/generate", data=WISH, headers=BROWSER)
    assert (answer.status_code, "Tonight" in answer.text) == (400, True)


def test_htmx_is_led_on_by_its_own_header(house: Running) -> None:
    answer = press(house, "htmx", headers=HTMX)
    assert (answer.status_code, answer.text) == (200, "")
    assert re.fullmatch(r"/stories/jobs/\d+", answer.headers["HX-Redirect"])


def test_a_form_too_large_says_so_on_a_page(house: Running) -> None:
    answer = press(house, "large", idea="x" * 70_000)
    assert (answer.status_code, answer.headers["Content-Type"]) == (413, "text/html; charset=utf-8")
    assert "shorten" in answer.text


def test_a_form_with_too_many_fields_says_so_on_a_page(house: Running) -> None:
    many = {f"field{number}": (None, "x") for number in range(60)}
    answer = house.post("/stories/generate", files=many, headers=BROWSER)
    assert (answer.status_code, "Traceback" in answer.text) == (413, False)
