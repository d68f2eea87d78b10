"""A setting that is wrong stops the start of the whole process: it is named, and what is expected is said, without a traceback.

One row for each way of being wrong; test_settings.py has them all.
"""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from running import ROOT, Running, eventually

LLM = {"LLM_URL": "http://127.0.0.1:9/v1", "LLM_MODEL": "storyteller-1"}
WRONG: list[tuple[dict[str, str], str]] = [
    ({"PORT": "65536"}, "0 to 65535"),
    ({"INSTANCE": "~/bedtime"}, "a folder written out"),
    ({"LLM_URL": "http://api.example.com/v1", "LLM_MODEL": "m"}, "https:// for a server outside the house"),
    ({"LLM_URL": "https://api.example.com/v1"}, "BEDTIME_LLM_MODEL is not: set both"),
    ({**LLM, "LLM_KEY": "a key with spaces"}, "visible ASCII"),
    ({**LLM, "LLM_EXTRA": '{"model": "another"}'}, "which Bedtime sets itself"),
    ({**LLM, "LLM_FIRST_BYTE_SECONDS": "0"}, "seconds, more than 0"),
    ({**LLM, "LLM_EXTRA": '{"models": ["another"]}'}, "name the one model that is to tell in BEDTIME_LLM_MODEL"),
    ({**LLM, "PRICE_IN": "0.15"}, "BEDTIME_PRICE_OUT is not: set both"),
    ({"MONTHLY_CAP": "5,00"}, "a decimal such as 5.00"),
    ({"WORKERS": "9"}, "1 to 8"),
    ({"LEASE_SECONDS": "soon"}, "whole seconds, 1 or more"),
    ({"SEND_NAMES": "maybe"}, "yes or no"),
    ({"LOG_LEVEL": "loud"}, "debug or info"),
]


def start(folder: Path, **settings: str) -> tuple[int, str]:
    """Exit code and words of `python app.py` with these settings."""
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("BEDTIME_", "FLASK_"))}
    told = {f"BEDTIME_{name}": value for name, value in {"INSTANCE": str(folder), "PORT": "0", **settings}.items()}
    command = [sys.executable, str(ROOT / "app.py")]
    ended = subprocess.run(command, env=keep | told, capture_output=True, text=True, timeout=60, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def check(folder: Path, said: tuple[int, str], *words: str) -> None:
    code, text = said
    assert code == 1 and text.startswith("Bedtime cannot start: ") and text.count("\n") == 1, text
    assert all(word in text for word in words), text
    assert not folder.joinpath("bedtime.db").exists(), "nothing was opened"


@pytest.mark.parametrize(
    ("settings", "expected"), WRONG, ids=lambda value: next(iter(value), "") if isinstance(value, dict) else ""
)
def test_a_setting_that_is_wrong_is_named_with_what_is_expected(
    tmp_path: Path, settings: dict[str, str], expected: str
) -> None:
    wrong = next(name for name in settings if settings[name] != LLM.get(name))
    said = start(tmp_path / "house", **settings)
    check(tmp_path / "house", said, f"BEDTIME_{wrong}", expected)
    assert "a key with spaces" not in said[1]


def test_a_name_that_is_no_setting_suggests_the_nearest(tmp_path: Path) -> None:
    said = start(tmp_path / "house", MONTHLY_CAPP="1.00")
    check(tmp_path / "house", said, "BEDTIME_MONTHLY_CAPP is not a setting", "did you mean BEDTIME_MONTHLY_CAP?")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"monthly_cap = 5.00\nqueue_max = \n", ("line 2", "is not TOML")),
        (b"\xff\xfe", ("is not UTF-8",)),
        (b"quue_max = 8\n", ("quue_max", "did you mean queue_max?")),
        (b"queue_max = 0\n", ("queue_max in", "1 or more")),
        (b"instance = '/elsewhere'\n", ("set BEDTIME_INSTANCE in the environment",)),
    ],
    ids=["syntax", "encoding", "name", "value", "instance"],
)
def test_a_file_of_settings_that_is_wrong_is_named_with_its_place(
    tmp_path: Path, content: bytes, words: tuple[str, ...]
) -> None:
    folder = tmp_path / "house"
    folder.mkdir(mode=0o700)
    (folder / "settings.toml").write_bytes(content)
    check(folder, start(folder), "settings.toml", *words)


# --- where it listens -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nobody.invalid", "a" * 64 + ".home"], ids=["unknown", "too long"])
def test_a_name_that_leads_nowhere_is_told_with_what_to_set(tmp_path: Path, name: str) -> None:
    check(tmp_path / "house", start(tmp_path / "house", HOST=name), f"BEDTIME_HOST is {name}", "127.0.0.1", "0.0.0.0")


def test_an_address_of_another_computer_is_told_with_what_to_set(tmp_path: Path) -> None:
    said = start(tmp_path / "house", HOST="192.0.2.1")
    check(tmp_path / "house", said, "BEDTIME_HOST is 192.0.2.1", "an address of this computer")


def test_a_port_that_is_taken_is_told_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        said = start(tmp_path / "house", PORT=port)
    check(tmp_path / "house", said, f"BEDTIME_PORT is {port}", "127.0.0.1", "set another BEDTIME_PORT")


def test_a_name_with_two_addresses_is_served_at_one(tmp_path: Path) -> None:
    """As localhost is on most machines. Where nobody may mount, it is as this machine has it."""
    hosts = tmp_path / "hosts"
    hosts.write_text("::1 localhost\n127.0.0.1 localhost\n")
    for options in ("-m", "-rm"):
        through = ("unshare", options, "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', str(hosts))
        if subprocess.run([*through, "true"], capture_output=True, check=False).returncode == 0:
            break
    else:
        through = ()
    house = Running(tmp_path / "house", host="localhost")
    house.through = through
    with house.start():
        assert house.url.startswith("http://localhost:"), house.log.read_text()
        eventually(lambda: house.get("/healthz").json()["worker"] == "here", what="the worker")
