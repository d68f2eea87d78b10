"""The log: `key=value`, and nobody's name, wish, story or key in any line; test_logs_changes.py has the changes."""

import ast
import dataclasses
import logging
import re
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from logbook import changes, lines, logged
from provider import Provider
from running import ROOT, Running, eventually
from terminal import flask, said, starting

from bedtime import library
from bedtime.db import Database
from bedtime.loop import log_bug

PAIR = r'[a-z_]+=(?:"[^"]*"|[^\s"]+)'
LINE = re.compile(rf"\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d,\d{{3}} (?:DEBUG|INFO|WARNING|ERROR) {PAIR}(?: {PAIR})*")

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


def test_every_line_that_can_be_logged_is_key_and_value() -> None:
    """As it is written in the code: `key=%s`, `key=word`, `key="%s"`; frames may follow a bug's."""
    pair = r'(?:[a-z_]+|%s)=(?:"[^"]*"|[\w:%.…-]+)(?:%s)?'
    wrong = [
        f"{file.relative_to(ROOT)}:{call.lineno}: {call.args[0].value}"
        for file in [ROOT / "app.py", *(ROOT / "bedtime").rglob("*.py")]
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func.value) in ("log", "logger")
        and call.func.attr in ("debug", "info", "warning", "error", "exception", "critical")
        and isinstance(call.args[0], ast.Constant)
        and not re.fullmatch(rf"(?:%s |{pair} )*{pair}(?:\n%s)?", str(call.args[0].value))
    ]
    assert wrong == []
