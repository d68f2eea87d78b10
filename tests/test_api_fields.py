"""What a script may send as a wish, and what it hears about anything else: a clear 4xx, and the key not used up."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from raw import WISH, check_problem, keyed, names, requests_kept
from running import MIA, Running

HUGE = 10**30


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(tmp_path_factory.mktemp("fields") / "house", queue_max=1000) as house:
        yield house


def child(**fields: object) -> dict[str, Any]:
    return {"children": [{**MIA, **fields}]}


BAD_FIELDS: list[tuple[str, dict[str, Any], str]] = [
    ("no children", {"children": []}, "children"),
    ("children null", {"children": None}, "children"),
    ("children an object", {"children": MIA}, "children"),
    ("children a text", {"children": "Mia"}, "children"),
    ("four children", {"children": [{**MIA, "nickname": name} for name in "ABCD"]}, "children"),
    ("a thousand children", {"children": [MIA] * 1000}, "children"),
    ("the same child twice", {"children": [MIA, MIA]}, "children"),
    ("the same name in another case", {"children": [MIA, {**MIA, "nickname": "MIA"}]}, "children"),
    ("a child that is nobody", {"children": [999]}, "children"),
    ("a child by a huge number", {"children": [HUGE]}, "children"),
    ("a child below 0", {"children": [-1]}, "children"),
    ("a child by half a number", {"children": [1.5]}, "children"),
    ("a child that is true", {"children": [True]}, "children"),
    ("a child in a list", {"children": [[MIA]]}, "children"),
    ("a child that is null", {"children": [None]}, "children"),
    ("a child with a field of its own", child(likes="foxes"), "children"),
    ("no nickname", child(nickname=""), "nickname"),
    ("a nickname of spaces", child(nickname=" \t "), "nickname"),
    ("a nickname of nothing to see", child(nickname="\0\u202e\ud800"), "nickname"),
    ("a nickname too long", child(nickname="M" * 41), "nickname"),
    ("a nickname that is a number", child(nickname=5), "nickname"),
    ("a nickname that is an object", child(nickname={"a": "Mia"}), "nickname"),
    ("no band", {"children": [{"nickname": "Mia", "pronouns": "she"}]}, "band"),
    ("another band", child(band="11-12"), "band"),
    ("a band that is a number", child(band=4), "band"),
    ("other pronouns", child(pronouns="it"), "pronouns"),
    ("an idea too long", {"idea": "x" * 501}, "idea"),
    ("an idea that is a number", {"idea": 7}, "idea"),
    ("an idea that is a list", {"idea": ["a dragon"]}, "idea"),
    ("something from today that is an object", {"today": {}}, "today"),
    ("something from today too long", {"today": "x" * 301}, "today"),
    ("a lesson too long", {"lesson": "x" * 201}, "lesson"),
    ("2 minutes", {"minutes": 2}, "minutes"),
    ("16 minutes", {"minutes": 16}, "minutes"),
    ("minutes below 0", {"minutes": -3}, "minutes"),
    ("half a minute more", {"minutes": 6.5}, "minutes"),
    ("6.0 minutes", {"minutes": 6.0}, "minutes"),
    ("huge minutes", {"minutes": HUGE}, "minutes"),
    ("minutes as a word", {"minutes": "six"}, "minutes"),
    ("minutes that are true", {"minutes": True}, "minutes"),
    ("minutes that are a list", {"minutes": [6]}, "minutes"),
    ("another mood", {"mood": "wild"}, "mood"),
    ("a mood that is a list", {"mood": ["calm"]}, "mood"),
    ("a language that is a sentence", {"language": "English please"}, "language"),
    ("a language that is a number", {"language": 5}, "language"),
    ("a language of markup", {"language": 'en"><script>'}, "language"),
    ("a story that is not there", {"continues": 999}, "form"),
    ("a story by a huge number", {"continues": HUGE}, "form"),
    ("a story by its title", {"continues": "the shy dragon"}, "form"),
    ("from the book: 1", {"from_book": 1}, "form"),
    ("from the book: a list", {"from_book": []}, "form"),
    ("a field that there is not", {"length": 5}, "form"),
    ("two wrong at once", {"minutes": 99, "mood": "wild"}, "minutes"),
]


@pytest.mark.parametrize(("name", "fields", "wrong"), BAD_FIELDS, ids=names(BAD_FIELDS))
def test_a_field_that_is_wrong_is_named_and_the_key_not_used_up(
    house: Running, name: str, fields: dict[str, Any], wrong: str
) -> None:
    before, key = requests_kept(house), f"mended-{name}".replace(" ", "-")
    problem = check_problem(keyed(house, key, json.dumps({**WISH, **fields}).encode()), 422, "fields", "errors")
    assert problem["errors"][wrong].endswith((".", "?")) or wrong == "form"
    assert requests_kept(house) == before
    mended = keyed(house, key)
    assert (mended.status, mended.headers["Idempotent-Replayed"]) == (202, None)


def test_every_wrong_field_is_named_at_once(house: Running) -> None:
    wrong = {"children": [], "minutes": 99, "mood": "wild", "language": "?", "idea": "x" * 600}
    problem = check_problem(keyed(house, "many", json.dumps(wrong).encode()), 422, "fields", "errors")
    assert set(problem["errors"]) == set(wrong)


BAD_BODIES: list[tuple[str, bytes, int, str]] = [
    ("nothing", b"", 400, "http-400"),
    ("not JSON", b"{children:", 400, "http-400"),
    ("a form under the wrong name", b"minutes=6", 400, "http-400"),
    ("a list", b"[]", 400, "http-400"),
    ("a text", b'"a story"', 400, "http-400"),
    ("a number", b"5", 400, "http-400"),
    ("null", b"null", 400, "http-400"),
    ("NaN", b'{"minutes": NaN}', 400, "http-400"),
    ("Infinity", b'{"minutes": -Infinity}', 400, "http-400"),
    ("a number of 5,000 digits", b'{"minutes": %s}' % (b"9" * 5000), 400, "http-400"),
    ("nested 30,000 deep", b'{"children":' + b"[" * 30_000 + b"]" * 30_000 + b"}", 400, "http-400"),
    ("objects nested deep", b'{"a":' * 10_000 + b"1" + b"}" * 10_000, 400, "http-400"),
    ("never closed", b"[" * 60_000, 400, "http-400"),
    ("NUL between", b'{"minutes"\0: 6}', 400, "http-400"),
    ("NUL inside of a text", b'{"idea": "a\0b"}', 400, "http-400"),
    ("not UTF-8", b'{"idea": "\xff\xfe"}', 400, "http-400"),
    ("cut off", json.dumps(WISH).encode()[:-5], 400, "http-400"),
    ("two objects", b"{}{}", 400, "http-400"),
    ("more than 64 KiB", json.dumps({**WISH, "idea": "x" * 65_536}).encode(), 413, "http-413"),
    ("a megabyte of spaces", b" " * 1_000_000, 413, "http-413"),
]


@pytest.mark.parametrize(("name", "body", "status", "kind"), BAD_BODIES, ids=names(BAD_BODIES))
def test_a_body_that_cannot_be_read_says_so(house: Running, name: str, body: bytes, status: int, kind: str) -> None:
    before = requests_kept(house)
    check_problem(keyed(house, "body", body), status, kind)
    assert requests_kept(house) == before


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "application/jsonp", "json", ""])
def test_only_forms_and_json_are_read(house: Running, kind: str) -> None:
    check_problem(keyed(house, "kind", kind=kind), 415, "content-type")


TAKEN: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("everything", {"idea": "a dragon", "today": "rain", "lesson": "sharing", "mood": "funny"}, {"mood": "funny"}),
    (
        "null is as if it were not there",
        {"idea": None, "mood": None, "minutes": None, "language": None},
        {"minutes": 6},
    ),
    ("minutes as a text", {"minutes": "7"}, {"minutes": 7}),
    ("a language in its usual case", {"language": "PT-br"}, {"language": "pt-BR"}),
    ("what nobody sees is dropped", {"idea": "a\0 shy\u202e \ud83d drag\u00adon"}, {"idea": "a shy dragon"}),
    ("both halves of a character are one", {"idea": "\U0001f409"}, {"idea": "\U0001f409"}),
    ("500 characters of 4 bytes", {"idea": "\U0001f409" * 500}, {"idea": "\U0001f409" * 500}),
    ("15 minutes", {"minutes": 15}, {"minutes": 15}),
]


@pytest.mark.parametrize(("name", "fields", "kept"), TAKEN, ids=names(TAKEN))
def test_what_is_taken_is_kept_as_it_is_meant(
    house: Running, name: str, fields: dict[str, Any], kept: dict[str, Any]
) -> None:
    answer = keyed(house, f"taken-{name}".replace(" ", "-"), json.dumps({**WISH, **fields}).encode())
    assert answer.status == 202, answer.body
    (row,) = house.rows("SELECT * FROM story_requests WHERE job_id = ?", answer.json["job_id"])
    assert {name: row[name] for name in kept} == kept


def test_a_child_may_be_named_by_its_number(house: Running) -> None:
    house.asked()
    (mia,) = house.rows("SELECT id FROM children WHERE nickname = 'Mia'")
    again = house.asked(children=[mia["id"]])
    assert house.rows("SELECT child_id FROM casts JOIN story_requests r ON r.id = request_id WHERE r.job_id = ?", again)
