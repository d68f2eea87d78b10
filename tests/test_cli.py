"""What all commands under `flask` share: help with examples, exit codes, a sentence where something is missing or wrong."""

import fcntl
from pathlib import Path

import pytest
from running import Running
from terminal import flask, said

from bedtime.crew import somebody_works

MIA = ("--child", "Mia:4-5:she", "--minutes", "3")


@pytest.fixture
def empty(tmp_path: Path) -> Running:
    """A folder that is not there yet."""
    return Running(tmp_path / "house")


WRONG_USE = [
    ((), "who is listening"),
    (("--child", "Nobody"), "no child has the nickname"),
    (("--child", "999"), "no child 999"),
    (("--child", "Mia:4-5:it"), "she, he, they"),
    (("--child", "Mia:11-12:she"), "How old"),
    ((*MIA, "--minutes", "99"), "3 to 15"),
    ((*MIA, "--minutes", "six"), "valid integer"),
    ((*MIA, "--mood", "wild"), "one of"),
    ((*MIA, "--language", "?"), "pt-BR"),
    ((*MIA, "--idea", "x" * 501), "shorten"),
    ((*MIA, "--continues", "999"), "no story 999"),
    ((*MIA, "--key", "two words"), "visible ASCII"),
    ((*MIA, "--key", ""), "visible ASCII"),
    ((*MIA, "--wish", "x"), "No such option"),
]


@pytest.mark.parametrize(("options", "words"), WRONG_USE, ids=[words for _, words in WRONG_USE])
def test_a_wrong_option_is_told_in_a_sentence(started: Running, options: tuple[str, ...], words: str) -> None:
    code = 1 if words in ("no child 999", "no story 999") else 2
    assert words.lower() in " ".join(said(flask(started, "ask", *options), code).lower().split())
    assert started.rows("SELECT 1 FROM story_requests") == []


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Running:
    """A house that was served once, and is not now."""
    house = Running(tmp_path_factory.mktemp("cli") / "house").start()
    house.__exit__()
    return house


@pytest.mark.parametrize(
    "command", [("ask", *MIA), ("prompt", *MIA), ("jobs", "list"), ("jobs", "show", "1"), ("jobs", "pause")]
)
def test_without_a_database_there_is_a_sentence_and_nothing_is_made(empty: Running, command: tuple[str, ...]) -> None:
    assert "There is no database yet" in said(flask(empty, *command), 1)
    assert not empty.folder.exists()


def test_a_wrong_setting_is_told_in_a_sentence(empty: Running) -> None:
    assert "BEDTIME_PORT is 'door'" in said(flask(empty, "jobs", "list", port="door"), 1)


@pytest.mark.parametrize(
    "command",
    [
        ("ask",),
        ("prompt",),
        ("doctor",),
        ("jobs",),
        *(("jobs", name) for name in ("list", "show", "cancel", "again", "pause", "resume")),
    ],
)
def test_every_help_text_has_examples(empty: Running, command: tuple[str, ...]) -> None:
    text = said(flask(empty, *command, "--help"), 0)
    assert f"flask {' '.join(command)}" in text.partition("Examples:")[2]


def test_a_busy_database_is_a_sentence(started: Running) -> None:
    with (started.folder / "write.lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "The database is busy" in said(flask(started, "jobs", "pause"), 1)


def test_who_asks_whether_a_server_runs_is_not_taken_for_one(tmp_path: Path) -> None:
    lock = tmp_path / "worker.lock"
    assert not somebody_works(lock)
    with lock.open("w") as other:
        assert not somebody_works(lock)
        fcntl.flock(other, fcntl.LOCK_SH)  # another command, asking at the same moment
        assert not somebody_works(lock)
        fcntl.flock(other, fcntl.LOCK_EX)
        assert somebody_works(lock)
