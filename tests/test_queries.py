"""How many statements a page runs, and what a row that leaves looks through, does not grow with what the house holds."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from running import ROOT

import app as product
from bedtime import asking, jobs, library, settings
from bedtime.asking import AskRules
from bedtime.db import Database
from bedtime.library import Told
from bedtime.model import BOOK, TELL_TALE, Draft, Listener, Wish

NOW = 1_800_000_000.0
RULES = AskRules("stories", "write_story", queue_max=8, expiry_seconds=43200.0)
HTML = {"Accept": "text/html"}
FRAGMENT = {**HTML, "HX-Request": "true"}

SCANNED = {  # foreign keys without an index: table, column, and why no delete pays for it
    ("jobs", "queue"): "no queue is ever deleted",
    ("planned_evenings", "job_id"): "jobs are deleted all at once only, when what was planned is gone",
    ("wishes", "request_id"): "requests are deleted all at once only, when the wishes are gone",
    ("wishes", "device_id"): "a household has few devices, and seldom signs one out",
}


@pytest.fixture
def app(tmp_path: Path) -> Flask:
    """The pages of a house, with no thread of it started."""
    house = settings.load({"BEDTIME_INSTANCE": str(tmp_path / "house"), "BEDTIME_LOG_LEVEL": "error"}, root=ROOT)
    app, _ = product.build(dataclasses.replace(house, queue_max=8))
    return app


def test_a_page_runs_as_many_statements_for_a_full_house_as_for_a_small_one(app: Flask) -> None:
    database = app.extensions["bedtime"].database
    _grow(database, stories=10, children=2, waiting=1)  # with one child nobody asks whose turn it is
    small = {path: _statements(app, database, path) for path in _paths(database)}
    _grow(database, stories=300, children=10, waiting=8)
    full = {path: _statements(app, database, path) for path in small}
    database.close()
    assert full == small


def test_a_row_that_leaves_looks_through_no_table_for_what_hangs_on_it(database: Database) -> None:
    """SQLite asks so for each foreign key and each row (https://sqlite.org/foreignkeys.html#fk_indexes)."""
    with database.reading() as db:
        keys = db.execute(
            """
            SELECT t.name AS child, k."from" AS "column"
              FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS k
             WHERE t.type = 'table'
            """
        ).fetchall()
        plans = {
            (key["child"], key["column"]): db.execute(
                f"EXPLAIN QUERY PLAN SELECT 1 FROM {key['child']} WHERE {key['column']} = ?", (1,)
            ).fetchone()["detail"]
            for key in keys
        }
    assert len(plans) > len(SCANNED)
    assert {key for key, plan in plans.items() if plan.startswith("SCAN")} == SCANNED.keys()


def _paths(database: Database) -> list[str]:
    with database.reading() as db:
        [waiting] = jobs.listing(db, status="pending")
    return ["/", "/stories", "/stories?q=lamp", "/stories/5", f"/stories/jobs/{waiting.id}", "/children", "/queue"]


def _statements(app: Flask, database: Database, path: str) -> int:
    """What SQLite runs for one request, in the thread that asks."""
    run: list[str] = []
    client = app.test_client()
    headers = FRAGMENT if path.startswith("/stories/jobs/") else HTML
    get: Callable[[], int] = lambda: client.get(path, headers=headers, base_url="http://127.0.0.1").status_code  # noqa: E731
    assert get() == 200  # what is read once has been read
    database._connection().set_trace_callback(run.append)
    assert get() == 200
    database._connection().set_trace_callback(None)
    return len(
        [statement for statement in run if not statement.startswith("--")]
    )  # those are the full-text index's own


def _grow(database: Database, *, stories: int, children: int, waiting: int) -> None:
    """Until there are so many of each; every story is for all the children."""
    listeners = tuple(Listener(f"Child{n}", "4-5", "she") for n in range(min(children, 5)))
    with database.transaction("grow") as tx:
        there = {child.nickname for child in library.all_children(tx)}
        for n in range(children):
            if f"Child{n}" not in there:
                library.add_child(tx, nickname=f"Child{n}", band="4-5", pronouns="she", now=NOW)
        book = AskRules(BOOK, TELL_TALE, queue_max=8, expiry_seconds=43200.0)
        for n in range(library.count_stories(tx, eyes=library.EVERYTHING), stories):
            request_id, _ = asking.asks.write_down(tx, Wish(listeners, idea="lamp"), key=f"s{n}", rules=book, now=NOW)
            job = jobs.claim(tx, BOOK, worker="test", lease_seconds=60.0, now=NOW)
            request = library.request_for(tx, request_id)
            assert job is not None
            assert request is not None
            library.add_story(tx, job, request, Draft("A lamp", ("It shone.", "It slept.")), Told("book"), now=NOW)
            jobs.complete(tx, job, now=NOW)
        known = jobs.count_waiting(tx, RULES.queue, most=8)
    for n in range(known, waiting):
        asking.ask(database, Wish(listeners, idea="a wish"), key=f"w{n}", rules=RULES, now=NOW)
