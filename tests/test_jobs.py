"""The queue, verb by verb: what comes in, who may claim it, and the fence that stands in every move."""

import dataclasses
import inspect
from dataclasses import replace

import pytest
from queue_rules import LEASE, MOVES, NOW, QUIET_MOVES, Queue, attempt

from bedtime import jobs
from bedtime.errors import ClaimLost
from bedtime.model import BOOK, STORIES, Job

# --- in ---------------------------------------------------------------------------------------------


def test_a_job_waits_with_what_it_was_given(queue: Queue) -> None:
    job = queue.get(queue.add({"request_id": 7}, priority=3, run_after=NOW + 9, expires_at=NOW + 99))
    assert (job.status, job.payload, job.priority, job.attempts, job.failures) == (
        "pending",
        {"request_id": 7},
        3,
        0,
        0,
    )
    assert (job.run_after, job.expires_at, job.created_at, job.sent_at) == (NOW + 9, NOW + 99, NOW, None)


def test_a_job_has_the_columns_of_its_table_in_their_order(queue: Queue) -> None:
    columns = queue.read(lambda db: [row["name"] for row in db.execute("PRAGMA table_info(jobs)").fetchall()])
    assert columns == [field.name for field in dataclasses.fields(Job)]


def test_what_was_planned_once_is_not_planned_again_whatever_became_of_it(queue: Queue) -> None:
    def plan(kind: str = "write_story") -> int | None:
        found: int | None = queue.do(lambda tx: jobs.enqueue(tx, STORIES, kind, {}, now=NOW, dedupe_key="monday"))
        return found

    first = plan()
    assert first is not None and plan() is None
    assert queue.read(lambda db: jobs.planned(db, "write_story", "monday")) == first
    assert queue.do(lambda tx: jobs.cancel(tx, first, now=NOW))
    assert plan() is None
    assert plan("tell_tale") is not None, "another kind has keys of its own"
    assert queue.read(lambda db: jobs.planned(db, "write_story", "tuesday")) is None


def test_the_bound_counts_what_people_wait_for_and_not_what_runs_or_was_planned(queue: Queue) -> None:
    def waiting(most: int = 8) -> object:
        return queue.read(lambda db: jobs.count_waiting(db, STORIES, most=most))

    held = queue.held()
    queue.add(dedupe_key="monday")
    queue.add(queue=BOOK)
    assert waiting() == 0
    queue.add()
    queue.do(lambda tx: jobs.fail(tx, held, code="refused", text="no", now=NOW))
    queue.do(lambda tx: jobs.enqueue_retry(tx, held.id, now=NOW, expires_at=None))
    assert waiting() == 2, "one new, one asked again"
    assert waiting(1) == 1, "counted no further than was asked"


def test_a_job_that_failed_is_asked_again_once(queue: Queue) -> None:
    job = queue.held(payload={"request_id": 7}, priority=10)

    def again() -> object:
        return queue.do(lambda tx: jobs.enqueue_retry(tx, job.id, now=NOW + 5, expires_at=NOW + 50))

    assert again() is None, "it runs"
    queue.do(lambda tx: jobs.fail(tx, job, code="refused", text="no", now=NOW))
    new = again()
    assert isinstance(new, int) and again() is None
    made = queue.get(new)
    assert (made.retry_of, made.payload, made.priority, made.status) == (job.id, {"request_id": 7}, 10, "pending")
    assert (made.attempts, made.failures, made.run_after, made.expires_at) == (0, 0, NOW + 5, NOW + 50)
    assert queue.read(lambda db: jobs.successor(db, job.id)) == new


# --- claim ------------------------------------------------------------------------------------------


def test_a_claim_takes_the_first_by_priority_then_in_the_order_of_asking(queue: Queue) -> None:
    planned, first, second = queue.add(priority=0), queue.add(priority=10), queue.add(priority=10)
    taken = [queue.claim() for _ in range(4)]
    assert [job and job.id for job in taken] == [first, second, planned, None]


def test_a_claim_holds_a_lease_under_a_new_fence(queue: Queue) -> None:
    job = queue.held()
    assert (job.status, job.attempts, job.claimed_by) == ("running", 1, "w")
    assert (job.claimed_at, job.lease_expires_at, job.sent_at) == (NOW, NOW + LEASE, None)
    queue.do(lambda tx: MOVES["put_back"](tx, job))
    again = queue.claim()
    assert again is not None and again.attempts == 2
    assert (again.error_code, again.error_text) == (None, None)


def test_nothing_is_claimed_before_it_is_due(queue: Queue) -> None:
    queue.add(run_after=NOW + 10)
    assert queue.claim(now=NOW + 9.9) is None
    assert queue.claim(now=NOW + 10) is not None


def test_nothing_is_claimed_from_another_queue(queue: Queue) -> None:
    queue.add(queue=BOOK)
    assert queue.claim(queue=STORIES) is None
    assert queue.claim(queue=BOOK) is not None


def test_nothing_is_claimed_that_has_expired_also_before_the_reaper_saw_it(queue: Queue) -> None:
    queue.add(expires_at=NOW + 10)
    assert queue.claim(now=NOW + 10) is None
    assert queue.claim(now=NOW + 9) is not None


def test_a_paused_queue_waits_and_the_first_reason_stays(queue: Queue) -> None:
    queue.add()
    queue.add(queue=BOOK)
    queue.do(lambda tx: jobs.pause(tx, STORIES, reason="key", detail="401", now=NOW))
    queue.do(lambda tx: jobs.pause(tx, STORIES, reason="money", detail="402", now=NOW))
    assert queue.claim() is None
    assert queue.claim(queue=BOOK) is not None, "the other one goes on"
    assert queue.read(lambda db: jobs.paused(db, STORIES)) == ("key", "401")
    assert queue.read(lambda db: jobs.next_due(db, STORIES, now=NOW)) is None
    assert queue.do(lambda tx: jobs.resume(tx, STORIES)) is True
    assert queue.do(lambda tx: jobs.resume(tx, STORIES)) is False
    assert queue.read(lambda db: jobs.paused(db, STORIES)) is None
    assert queue.claim() is not None


# --- the fence --------------------------------------------------------------------------------------


def test_every_verb_that_takes_a_held_job_is_tried_here() -> None:
    takes = {
        name
        for name in jobs.__all__
        if inspect.isfunction(verb := getattr(jobs, name))
        and list(inspect.signature(verb).parameters)[:2] == ["tx", "job"]
    }
    assert takes == {*MOVES, *QUIET_MOVES, "cancel_successor"}  # which moves another job than the one it takes


def stale(queue: Queue, marked: bool) -> tuple[Job, Job]:
    """The claim of somebody who was too slow, and the one that holds now."""
    old = queue.held()
    queue.reap(old)
    new = queue.claim()
    assert new is not None and new.id == old.id
    if marked:
        queue.mark(new)
    return old, new


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("verb", MOVES)
def test_a_claim_that_was_lost_moves_nothing(queue: Queue, verb: str, marked: bool) -> None:
    old, new = stale(queue, marked)
    with queue.untouched(new.id), pytest.raises(ClaimLost, match=f"job {old.id}: claim 1"):
        queue.do(lambda tx: MOVES[verb](tx, old))


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("verb", QUIET_MOVES)
def test_nor_does_the_reaper_by_a_claim_that_was_lost(queue: Queue, verb: str, marked: bool) -> None:
    old, new = stale(queue, marked)
    with queue.untouched(new.id):
        assert not queue.do(lambda tx: QUIET_MOVES[verb](tx, old))


def _ended(queue: Queue, how: str, marked: bool) -> Job:
    job = queue.held(marked=marked)
    if how == "cancelled":
        assert queue.do(lambda tx: jobs.cancel(tx, job.id, now=NOW))
    else:
        queue.do(lambda tx: MOVES["complete" if how == "completed" else "fail"](tx, job))
    return job


@pytest.mark.parametrize("verb", {**MOVES, **QUIET_MOVES})
@pytest.mark.parametrize(
    ("how", "marked"), [("completed", False), ("completed", True), ("failed", True), ("cancelled", False)]
)
def test_what_has_ended_moves_no_more(queue: Queue, verb: str, how: str, marked: bool) -> None:
    job = _ended(queue, how, marked)
    with queue.untouched(job.id):
        attempt(queue, {**MOVES, **QUIET_MOVES}[verb], job)


def test_a_lost_claim_takes_back_whatever_its_transaction_wrote(queue: Queue) -> None:
    old, _ = stale(queue, marked=True)
    with pytest.raises(ClaimLost), queue.database.transaction("finish") as tx:
        jobs.enqueue(tx, BOOK, "extra", {}, now=NOW)
        jobs.complete(tx, old, now=NOW)
    assert queue.claim(queue=BOOK) is None


def test_a_fence_is_the_id_as_well_as_the_number_of_the_claim(queue: Queue) -> None:
    job, other = queue.held(), queue.add()
    with queue.untouched(job.id), queue.untouched(other), pytest.raises(ClaimLost):
        queue.do(lambda tx: jobs.complete(tx, replace(job, id=other), now=NOW))
