"""How the statements of the queue are carried out when there are 200,000 finished jobs behind it."""

from collections.abc import Callable

import pytest
from queue_rules import NOW, Queue

from bedtime import jobs
from bedtime.db import Connection, Database
from bedtime.model import STORIES, Job

FINISHED = """
INSERT INTO jobs (queue, kind, status, priority, run_after, expires_at, attempts, created_at, completed_at)
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200000)
SELECT 'stories', 'write_story', 'completed', n % 3, n, n + 100, 1, n, n FROM numbers
"""


@pytest.fixture
def years_later(database: Database) -> Queue:
    """A queue with 200,000 finished jobs behind it, one that runs and one that waits."""
    queue = Queue(database)
    queue.do(lambda tx: tx.execute(FINISHED))
    queue.held(expires_at=NOW + 100)
    queue.add(expires_at=NOW + 100)
    return queue


def plans(queue: Queue, act: Callable[[Connection], object]) -> str:
    """How SQLite carries out the statements that `act` runs, as they are written in the product."""
    statements: list[str] = []

    def traced(tx: Connection) -> None:
        tx.set_trace_callback(statements.append)
        act(tx)
        tx.set_trace_callback(None)

    queue.do(traced)
    assert statements
    return "\n".join(_plan(queue, statement.replace(" Inf", " 9e999")) for statement in statements)


def _plan(queue: Queue, statement: str) -> str:
    rows = queue.read(lambda db: db.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall())
    return "\n".join(row["detail"] for row in rows)


RUNNING = Job(200_001, STORIES, "", {}, "", 0, 0, None, 1, None, None, None, None, 0, None, None, None, None, 0, None)
OFTEN: dict[str, Callable[[Connection], object]] = {
    "claim": lambda tx: jobs.claim(tx, STORIES, worker="w", lease_seconds=1, now=NOW),
    "overdue": lambda tx: jobs.overdue(tx, now=NOW),
    "all that run": lambda tx: jobs.overdue(tx, now=None),
    "expire": lambda tx: jobs.expire(tx, now=NOW),
    "reap": lambda tx: jobs.reap(tx, RUNNING, overdue_at=NOW, max_failures=6, now=NOW),
    "fail_dead": lambda tx: jobs.fail_dead(tx, RUNNING, overdue_at=NOW, now=NOW),
    "given_up": lambda tx: jobs.given_up(tx, STORIES),
    "next_due": lambda tx: jobs.next_due(tx, STORIES, now=NOW),
    "count_waiting": lambda tx: jobs.count_waiting(tx, STORIES, most=8),
}


def test_what_is_done_often_never_sorts_and_never_walks_through_what_is_finished(years_later: Queue) -> None:
    found = {name: plans(years_later, act) for name, act in OFTEN.items()}
    assert {name: plan for name, plan in found.items() if "SCAN jobs" in plan or "TEMP B-TREE" in plan} == {}
    assert "jobs_to_claim" in found["claim"]
    assert "jobs_on_lease" in found["overdue"] and "jobs_on_lease" in found["all that run"]
    assert "jobs_to_expire" in found["expire"] and "jobs_dead" in found["given_up"]


def test_what_a_clock_put_off_is_sought_among_what_waits_only(years_later: Queue) -> None:
    plan = plans(years_later, lambda tx: jobs.bring_forward(tx, longest_wait_seconds=3600, now=NOW))
    assert plan == "SCAN jobs USING INDEX jobs_to_claim"


def test_what_a_page_asks_never_walks_through_what_is_finished(years_later: Queue) -> None:
    for ask in (jobs.queues_now, lambda db: jobs.unfinished(db, most=9)):
        lines = plans(years_later, ask).splitlines()
        assert [line for line in lines if line.startswith("SCAN jobs") and "USING INDEX" not in line] == []
