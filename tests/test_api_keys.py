"""Idempotency keys: exactly one good one, the same however it is sent."""

import json
from collections.abc import Iterator

import pytest
from raw import WISH, check_problem, names, requests_kept, send
from running import Running


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One for all that writes nothing, or writes under keys of its own."""
    with Running(tmp_path_factory.mktemp("api") / "house", queue_max=1000) as house:
        yield house


def in_body(key: object) -> bytes:
    return json.dumps({**WISH, "idempotency_key": key}).encode()


BAD_KEYS: list[tuple[str, list[tuple[str, str | bytes]], bytes | None]] = [
    ("none", [], None),
    ("empty header", [("Idempotency-Key", "")], None),
    ("empty field", [], in_body("")),
    ("empty header beside a good field", [("Idempotency-Key", "")], in_body("good")),
    ("quoted and empty", [("Idempotency-Key", '""')], None),
    ("256 long", [("Idempotency-Key", "k" * 256)], None),
    ("256 long and quoted", [("Idempotency-Key", f'"{"k" * 256}"')], None),
    ("256 long field", [], in_body("k" * 256)),
    ("with a space", [("Idempotency-Key", "one two")], None),
    ("with a space, quoted", [("Idempotency-Key", '"one two"')], None),
    ("not ASCII, UTF-8", [("Idempotency-Key", "schlüssel".encode())], None),
    ("not ASCII, Latin-1", [("Idempotency-Key", "schlüssel".encode("latin-1"))], None),
    ("not ASCII in the field", [], in_body("schlüssel")),
    ("with NUL in the field", [], in_body("a\0b")),
    ("with a line feed in the field", [], in_body("key\n")),
    ("with a delete character in the field", [], in_body("a\x7fb")),
    ("a quote that is not closed", [("Idempotency-Key", '"key')], None),
    ("a quote inside of quotes", [("Idempotency-Key", '"a"b"')], None),
    ("an escape of nothing", [("Idempotency-Key", '"a\\b"')], None),
    ("header and field that differ", [("Idempotency-Key", "one")], in_body("two")),
    ("header and field that differ in case", [("Idempotency-Key", "one")], in_body("One")),
    ("header twice", [("Idempotency-Key", "one"), ("Idempotency-Key", "two")], None),
    ("the same header twice", [("Idempotency-Key", "one"), ("Idempotency-Key", "one")], None),
    ("a number", [], in_body(5)),
    ("a list", [], in_body(["k"])),
    ("an object", [], in_body({"k": 1})),
    ("true", [], in_body(True)),
    ("a number beside the same header", [("Idempotency-Key", "5")], in_body(5)),
]


@pytest.mark.parametrize(("name", "headers", "body"), BAD_KEYS, ids=names(BAD_KEYS))
def test_without_exactly_one_good_key_nothing_is_asked(
    house: Running, name: str, headers: list[tuple[str, str | bytes]], body: bytes | None
) -> None:
    before = requests_kept(house)
    problem = check_problem(send(house, *headers, body=body), 400, "idempotency-key")
    assert "Idempotency-Key" in problem["detail"]
    assert requests_kept(house) == before


SAME_KEYS: list[tuple[str, list[tuple[str, str | bytes]], bytes | None, str]] = [
    ("bare", [("Idempotency-Key", "tonight-1")], None, "tonight-1"),
    ("quoted", [("Idempotency-Key", '"tonight-2"')], None, "tonight-2"),
    ("quoted with escapes", [("Idempotency-Key", r'"a\"b\\c"')], None, r'a"b\c'),
    ("with white space around it", [("Idempotency-Key", "  tonight-3  ")], None, "tonight-3"),
    ("in the field", [], in_body("tonight-4"), "tonight-4"),
    ("in both", [("Idempotency-Key", "tonight-5")], in_body("tonight-5"), "tonight-5"),
    (
        "quoted in the header, bare in the field",
        [("Idempotency-Key", '"tonight-6"')],
        in_body("tonight-6"),
        "tonight-6",
    ),
    ("the header's name in small letters", [("idempotency-key", "tonight-7")], None, "tonight-7"),
    ("one character", [("Idempotency-Key", "k")], None, "k"),
    ("every visible one", [], in_body("".join(map(chr, range(0x21, 0x7F)))), "".join(map(chr, range(0x21, 0x7F)))),
    ("255 long", [("Idempotency-Key", "k" * 255)], None, "k" * 255),
    ("255 long and quoted", [("Idempotency-Key", f'"{"q" * 255}"')], None, "q" * 255),
]


@pytest.mark.parametrize(("name", "headers", "body", "key"), SAME_KEYS, ids=names(SAME_KEYS))
def test_a_key_is_the_same_key_however_it_is_sent(
    house: Running, name: str, headers: list[tuple[str, str | bytes]], body: bytes | None, key: str
) -> None:
    first = send(house, *headers, body=body)
    assert first.status == 202, first.body
    assert house.rows("SELECT 1 FROM story_requests WHERE idempotency_key = ?", key)
    again = send(house, body=in_body(key))
    assert again.json["job_id"] == first.json["job_id"]
    assert (first.headers["Idempotent-Replayed"], again.headers["Idempotent-Replayed"]) == (None, "true")
