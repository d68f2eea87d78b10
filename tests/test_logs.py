"""The log: a line for each change of a job's status, `key=value`, and nobody's name, wish, story or key in any of them."""

import contextlib
import dataclasses
import logging
import re
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
import requests
from provider import Provider
from running import Running, eventually
from terminal import flask, said, starting

from bedtime import library
from bedtime.db import Database
from bedtime.loop import log_bug

PAIR = r'[a-z_]+=(?:"[^"]*"|[^\s"]+)'
LINE = re.compile(rf"\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d,\d{{3}} (?:DEBUG|INFO|WARNING|ERROR) {PAIR}(?: {PAIR})*")
CHANGE = re.compile(r"(?:INFO|WARNING) job=(\d+) status=(\w+)(.*)")

NAME, LIKES, WISH, TODAY, KEY, LLM_KEY = (
    "Quillabeth",
    "marzipanthers",
    "zorblatt",
    "grimblewick",
    "key-of-canary",
    "sk-canary",
)
STORY = ("rhubarb", "hedgehog", "lamp")
CANARIES = (NAME, LIKES, WISH, TODAY, KEY, LLM_KEY, *STORY)
CHILD = {"nickname": NAME, "band": "4-5", "pronouns": "she"}


def lines(house: Running) -> list[str]:
    """The log without the frames of tracebacks, which follow a line with `bug=`."""
    return [line for line in house.log.read_text().splitlines() if not line.startswith("  ")]


def changes(house: Running, job_id: int) -> list[str]:
    """What the log says of a job: `status facts`, in order of its statuses (two processes may write at once)."""
    found = [CHANGE.search(line) for line in lines(house)]
    return [f"{one[2]}{one[3]}" for one in found if one and int(one[1]) == job_id]


def logged(house: Running, job_id: int, *wanted: str) -> None:
    """Each of the patterns is somewhere in what the log says of a job, and soon."""

    def all_there() -> bool:
        said = changes(house, job_id)
        return all(any(re.fullmatch(pattern, line) for line in said) for pattern in wanted)

    eventually(all_there, what=f"{wanted} of job {job_id} in {changes(house, job_id)}")


def change(house: Running, statement: str) -> None:
    """What only a fault of ours could have written."""
    db = sqlite3.connect(house.folder / "bedtime.db")
    with db:
        db.execute(statement)
    db.close()


OUTCOMES = ("ok", "refusal_text", "null_content", "status:400", "429:1", "reset_in", "status:500")


def test_no_name_no_wish_no_story_and_no_key_is_in_the_log(paid: Callable[..., Running], provider: Provider) -> None:
    house = paid(llm_key=LLM_KEY, log_level="debug")
    wish = {"children": [CHILD], "idea": f"a {WISH} for {NAME}", "today": TODAY}
    first = house.ended(house.ask(key=f"{KEY}-first", **wish).json()["job_id"])["job_id"]
    fill_in_the_profile(house)
    for mode in OUTCOMES:
        provider.queue(mode)
        house.ended(house.ask(key=f"{KEY}-{mode}", **wish).json()["job_id"])
    break_one_job_for_the_worker(house, house.ask(key=f"{KEY}-broken", **wish).json()["job_id"])
    change(house, f"UPDATE jobs SET payload = '{NAME}' WHERE id = {first}")
    assert house.get(f"/stories/jobs/{first}").status_code == 500
    for path in (f"/stories?q={NAME}", f"/{WISH}", f"/stories?key={KEY}"):
        house.get(path)
    assert house.ask(key=f"{KEY}-ok", **{**wish, "idea": f"another {WISH}"}).status_code == 422
    assert house.ask(key=f"{KEY}-bad", **{**wish, "minutes": WISH}).status_code == 422
    assert house.post("/stories/generate", data={"nickname": NAME, "idempotency_key": f"{KEY} bad"}).status_code == 400
    house.signal(signal.SIGTERM)
    assert house.wait() == 0
    log = house.log.read_text()
    assert len(re.findall(r"\bbug=", log)) == 2, "one for the worker, one for the page"
    assert all(
        f"reason={reason}" in log for reason in ("refused", "unreadable", "maybe_billed", "limited", "unknown_twice")
    )
    assert {canary for canary in CANARIES if canary.lower() in log.lower()} == set()
    assert [line for line in lines(house) if not LINE.fullmatch(line)] == []


def fill_in_the_profile(house: Running) -> None:
    database = Database(house.folder / "bedtime.db")
    database.open()
    with database.transaction("child") as tx:
        (child,) = library.all_children(tx)
        library.update_child(tx, dataclasses.replace(child, likes=LIKES))
    database.close()


def break_one_job_for_the_worker(house: Running, job_id: int) -> None:
    """The queue is paused here, after two unknown outcomes; the job is told once it is not."""
    change(house, f"UPDATE jobs SET payload = '{{}}' WHERE id = {job_id}")
    said(flask(house, "jobs", "resume"), 0)
    logged(house, job_id, "pending reason=error attempt=1")


def test_a_fault_of_ours_is_logged_without_its_message(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise ValueError(f"{NAME} and the {WISH}")
    except ValueError as error:
        log_bug(logging.getLogger("bedtime.test"), "job=7", error)
    assert "job=7 bug=ValueError" in caplog.text and "test_logs.py" in caplog.text
    assert NAME not in caplog.text.replace("{NAME}", "")


def test_a_story_that_is_told_leaves_three_lines(paid: Callable[..., Running]) -> None:
    house = paid()
    job_id = house.ended(house.asked())["job_id"]
    logged(house, job_id, "completed attempt=1")
    assert sorted(changes(house, job_id)) == [
        "completed attempt=1",
        "pending queue=stories",
        "running kind=write_story attempt=1",
    ]


def test_a_replay_and_a_poll_leave_no_line(paid: Callable[..., Running]) -> None:
    house = paid()
    job_id = house.ended(house.asked(key="again"))["job_id"]
    logged(house, job_id, "completed.*")
    before = lines(house)
    house.asked(key="again")
    house.job(job_id)
    assert lines(house) == before


ENDS: list[tuple[str, tuple[str, ...]]] = [
    ("status:400", ("running .*", "failed reason=refused attempt=1")),
    ("refusal", ("running .*", "failed reason=refused attempt=1")),
    ("null_content", ("running .*", "failed reason=unreadable attempt=1")),
    ("reset_in", ("running .*", "failed reason=maybe_billed attempt=1")),
    ("429:1", ("pending reason=limited attempt=1", "running .* attempt=2", "completed attempt=2")),
    ("status:401", ("pending reason=key attempt=1",)),
    ("429:quota", ("pending reason=quota attempt=1",)),
]


@pytest.mark.parametrize(("mode", "wanted"), ENDS, ids=[mode for mode, _ in ENDS])
def test_each_change_of_a_job_is_a_line(
    paid: Callable[..., Running], provider: Provider, mode: str, wanted: tuple[str, ...]
) -> None:
    provider.queue(mode)
    house = paid()
    job_id = house.asked()
    logged(house, job_id, "pending queue=stories", *wanted)
    if mode in ("status:401", "429:quota"):
        eventually(lambda: " queue=stories status=paused reason=" in house.log.read_text())


def test_giving_up_is_told_as_giving_up(paid: Callable[..., Running], provider: Provider) -> None:
    provider.set_mode("429:1")
    house = paid(max_failures=1)
    job_id = house.ended(house.asked())["job_id"]
    logged(house, job_id, "failed reason=gave_up attempt=1")
    assert not any(line.startswith("pending reason") for line in changes(house, job_id))


def test_calling_off_asking_again_and_a_tale_are_lines(paid: Callable[..., Running]) -> None:
    house = paid()
    said(flask(house, "jobs", "pause"), 0)
    job_id = house.asked()
    tale = int(house.post(f"/stories/jobs/{job_id}/tale").headers["Location"].rpartition("/")[2])
    logged(house, tale, f"pending queue=book instead_of={job_id}", "completed .*")
    house.post(f"/stories/jobs/{job_id}/cancel")
    logged(house, job_id, "cancelled")
    again = int(house.post(f"/stories/jobs/{job_id}/again").headers["Location"].rpartition("/")[2])
    logged(house, again, f"pending queue=stories retry_of={job_id}")


def test_an_expiry_is_a_line(paid: Callable[..., Running]) -> None:
    house = paid(expiry_hours="0.0001", reap_seconds="0.1", llm_url="http://127.0.0.1:9/v1")
    said(flask(house, "jobs", "pause"), 0)
    logged(house, house.asked(), "failed reason=expired")


def test_a_job_that_a_dead_process_left_is_a_line(tmp_path: Path, provider: Provider) -> None:
    settings = {"llm_url": provider.url, "llm_model": "m", "price_in": "1", "price_out": "4"}
    with Running(tmp_path / "house", **settings).start(crash_at="claim.after_commit@stories-1") as house:
        with contextlib.suppress(requests.ConnectionError):  # it may die before it has answered
            house.asked()
        house.wait()
        house.start()
        logged(house, 1, "pending reason=reaped attempt=1", "completed attempt=2")


@pytest.mark.parametrize(("level", "shown"), [("debug", True), ("info", True), ("warning", False), ("error", False)])
def test_the_level_is_set_by_bedtime_log_level(household: Callable[..., Running], level: str, shown: bool) -> None:
    house = household(log_level=level)
    job_id = house.ended(house.asked())["job_id"]
    if shown:
        logged(house, job_id, "completed tale=.*")
    assert bool(changes(house, job_id)) == shown


def test_an_unknown_level_is_refused_in_a_sentence(tmp_path: Path) -> None:
    house = Running(tmp_path / "house", log_level="loud")
    house.start()
    assert house.wait() == 1
    house.http.close()
    assert "BEDTIME_LOG_LEVEL is 'loud': expected debug or info or warning or error" in house.log.read_text()


def test_flask_run_does_not_write_down_what_was_searched_for(tmp_path: Path) -> None:
    house = Running(tmp_path / "house")
    with house.log.open("w") as log, starting(house, "run", "--port", "0", stdout=log, stderr=log) as process:
        try:
            eventually(lambda: "Running on" in house.log.read_text())
            house.url = re.findall(r"http://[\d.:]+", house.log.read_text())[0]
            assert house.get(f"/stories?q={NAME}").status_code == 200
        finally:
            process.terminate()
    house.http.close()
    assert NAME not in house.log.read_text()
