"""`flask household`: the link, the wait, a new passphrase, for whoever sits at the machine."""

import re
import subprocess
from collections.abc import Callable

import pytest
from doors import PASSPHRASE, PIN, Device, set_up
from running import Running
from terminal import flask, how, said

BLUE_BOATS = "three blue boats at sea"


def reset(house: Running, text: str | bytes) -> subprocess.CompletedProcess[str]:
    """With this on standard input; under the locale in which Python takes any byte for a letter."""
    command = how(house, "household", "reset")
    command["env"] |= {"LC_ALL": "C.UTF-8"}
    content = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run(**command, input=content, capture_output=True, timeout=60)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def test_link_shows_the_link_until_it_was_used(household: Callable[..., Running]) -> None:
    house = household()
    text = said(flask(house, "household", "link", host="0.0.0.0", port="5123"), 0)
    token = (house.folder / "setup_token").read_text()
    assert re.fullmatch(rf"http://\S+:5123/setup/{token}\n", text)
    set_up(house)
    assert "flask household reset" in said(flask(house, "household", "link"), 1)
    assert not (house.folder / "setup_token").exists()


def test_link_says_when_only_this_computer_could_use_it(household: Callable[..., Running]) -> None:
    text = said(flask(household(), "household", "link"), 0)
    assert "http://127.0.0.1:" in text
    assert "make run HOST=0.0.0.0" in text


def test_unlock_ends_the_wait(household: Callable[..., Running]) -> None:
    house = household()
    set_up(house)
    phone = Device(house)
    for _ in range(5):
        phone.sign_in("not the passphrase")
    assert phone.sign_in(PASSPHRASE).status_code == 429
    said(flask(house, "household", "unlock"), 0)
    assert phone.sign_in(PASSPHRASE).status_code == 303


def test_reset_renews_both_and_signs_every_device_out_while_the_server_runs(household: Callable[..., Running]) -> None:
    house = household()
    phone = set_up(house)
    assert phone.get("/devices").status_code == 200
    text = said(reset(house, f"{BLUE_BOATS}\n582931\n"), 0)
    assert "boats" not in text and "582931" not in text
    assert phone.get("/devices").headers["Location"].startswith("/sign-in")
    assert phone.sign_in(PASSPHRASE).status_code == 422
    assert phone.sign_in(BLUE_BOATS).status_code == 303
    assert phone.give_pin(PIN).status_code == 422
    assert phone.give_pin("582931").status_code == 303


def test_reset_refuses_what_set_up_refuses(household: Callable[..., Running]) -> None:
    house = household()
    for text, sentence in (
        ("short\n582931\n", "At least 10"),
        ("three blue boats\nabcdef\n", "Six digits"),
        ("", "At least 10"),
    ):
        assert sentence in said(reset(house, text), 1)
    assert house.rows("SELECT count(*) AS rows FROM secrets") == [{"rows": 0}]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"three gr\xfcne boats at sea\n582931\n", "UTF-8"),
        (f"{BLUE_BOATS}\n582931\n".encode("utf-16"), "UTF-8"),
        ("three\u200bblue boats at sea\n582931\n".encode(), "seen and typed"),
    ],
    ids=["latin-1", "utf-16", "zero-width"],
)
def test_reset_refuses_what_nobody_could_type_and_signs_nobody_out(
    household: Callable[..., Running], content: bytes, words: str
) -> None:
    house = household()
    phone = set_up(house)
    assert words in said(reset(house, content), 1)
    assert phone.get("/devices").status_code == 200
    assert phone.sign_in(PASSPHRASE).status_code == 303


def test_a_file_that_begins_with_a_byte_order_mark_holds_the_passphrase_without_it(
    household: Callable[..., Running],
) -> None:
    house = household()
    phone = set_up(house)
    said(reset(house, f"{BLUE_BOATS}\r\n582931\r\n".encode("utf-8-sig")), 0)
    assert phone.sign_in(BLUE_BOATS).status_code == 303
    assert phone.give_pin("582931").status_code == 303
