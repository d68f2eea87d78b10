"""The queue, verb by verb: the point of no return, what waits again, how a job ends, and what the reaper may take."""

import pytest
from queue_rules import LEASE, MOST_FAILURES, MOVES, NOW, QUIET_MOVES, Queue, attempt

from bedtime import jobs
from bedtime.errors import ClaimLost
from bedtime.model import BOOK, STORIES, Job

HANDED_OUT_AGAIN = ("retry", "put_back", "reap")


# --- the point of no return -------------------------------------------------------------------------


def test_what_was_marked_is_never_handed_out_again(queue: Queue) -> None:
    job = queue.held(marked=True)
    with queue.untouched(job.id):
        for verb in HANDED_OUT_AGAIN:
            attempt(queue, {**MOVES, **QUIET_MOVES}[verb], job)
        assert queue.do(lambda tx: jobs.cancel(tx, job.id, now=NOW)) is False
        assert queue.do(lambda tx: jobs.expire(tx, now=NOW * 2)) == []


def test_nor_can_it_be_marked_twice(queue: Queue) -> None:
    job = queue.held(marked=True)
    with queue.untouched(job.id), pytest.raises(ClaimLost):
        queue.mark(job)


def test_the_mark_extends_the_lease_to_the_end_of_the_call(queue: Queue) -> None:
    job = queue.held()
    queue.do(lambda tx: jobs.mark(tx, job, lease_expires_at=NOW + 330, now=NOW + 1))
    marked = queue.get(job.id)
    assert (marked.sent_at, marked.lease_expires_at, marked.status) == (NOW + 1, NOW + 330, "running")


def test_the_schema_itself_hands_out_nothing_that_was_sent(queue: Queue) -> None:
    """Whatever the code does: the CHECK refuses it."""
    job = queue.held(marked=True)
    for status in ("pending", "cancelled"):
        with pytest.raises(Exception, match="CHECK constraint failed"):
            queue.do(
                lambda tx, status=status: tx.execute(
                    "UPDATE jobs SET status = ?, lease_expires_at = NULL, completed_at = ? WHERE id = ?",
                    (status, NOW if status == "cancelled" else None, job.id),
                )
            )


def test_only_a_certain_refusal_takes_the_mark_back_and_then_it_may_wait_again(queue: Queue) -> None:
    job = queue.held()
    with pytest.raises(ClaimLost):
        queue.do(lambda tx: jobs.take_back(tx, job))
    queue.mark(job)
    queue.do(lambda tx: jobs.take_back(tx, job))
    queue.do(lambda tx: MOVES["put_back"](tx, job))
    again = queue.claim()
    assert again is not None and (again.attempts, again.failures, again.sent_at) == (2, 0, None)


# --- back -------------------------------------------------------------------------------------------


def test_what_is_put_back_counts_no_failure_and_waits_with_its_reason(queue: Queue) -> None:
    job = queue.held()
    queue.do(lambda tx: jobs.put_back(tx, job, run_after=NOW + 30, code="not_reached", text="nobody there"))
    back = queue.get(job.id)
    assert (back.status, back.failures, back.run_after) == ("pending", 0, NOW + 30)
    assert (back.error_code, back.error_text, back.lease_expires_at) == ("not_reached", "nobody there", None)


@pytest.mark.parametrize("verb", ["retry", "reap"])
def test_a_job_is_given_up_at_its_last_failure_and_not_before(queue: Queue, verb: str) -> None:
    queue.add()
    for failure in range(1, MOST_FAILURES + 1):
        job = queue.claim()
        assert job is not None and job.failures == failure - 1
        queue.do(lambda tx, job=job: {**MOVES, **QUIET_MOVES}[verb](tx, job))
    assert queue.claim() is None
    ended = queue.get(1)
    assert (ended.status, ended.error_code, ended.failures) == ("failed", "gave_up", MOST_FAILURES)
    assert (ended.attempts, ended.completed_at, ended.lease_expires_at) == (MOST_FAILURES, NOW + 1, None)


# --- how it ends ------------------------------------------------------------------------------------


def test_a_completed_job_says_when_and_keeps_no_lease_and_no_error(queue: Queue) -> None:
    job = queue.held(marked=True)
    queue.do(lambda tx: jobs.complete(tx, job, now=NOW + 5))
    done = queue.get(job.id)
    assert (done.status, done.completed_at, done.lease_expires_at, done.error_code) == (
        "completed",
        NOW + 5,
        None,
        None,
    )


def test_a_failed_job_says_why(queue: Queue) -> None:
    job = queue.held()
    queue.do(lambda tx: jobs.fail(tx, job, code="over_budget", text="no money left", now=NOW + 5))
    dead = queue.get(job.id)
    assert (dead.status, dead.error_code, dead.error_text) == ("failed", "over_budget", "no money left")


def maybe_billed(queue: Queue) -> Job:
    job = queue.held(marked=True)
    queue.do(lambda tx: jobs.fail(tx, job, code="maybe_billed", text="cut off", now=NOW + 5))
    return job


def test_a_late_answer_completes_what_was_given_up_as_maybe_billed(queue: Queue) -> None:
    job = maybe_billed(queue)
    with queue.untouched(job.id), pytest.raises(ClaimLost):
        queue.do(lambda tx: jobs.complete(tx, job, now=NOW + 9))
    queue.do(lambda tx: jobs.complete_late(tx, job, now=NOW + 9))
    done = queue.get(job.id)
    assert (done.status, done.completed_at, done.error_code) == ("completed", NOW + 9, None)


def test_a_late_answer_without_a_story_says_so_but_doubt_replaces_nothing(queue: Queue) -> None:
    job = maybe_billed(queue)
    with queue.untouched(job.id), pytest.raises(ClaimLost):
        queue.do(lambda tx: jobs.fail(tx, job, code="maybe_billed", text="again", now=NOW + 9))
    queue.do(lambda tx: jobs.fail(tx, job, code="unreadable", text="no text", now=NOW + 9))
    assert queue.get(job.id).error_code == "unreadable"
    attempt(queue, MOVES["complete_late"], job)
    assert queue.get(job.id).status == "failed", "only maybe_billed is open"


def test_a_refusal_that_comes_late_leaves_nothing_to_pay(queue: Queue) -> None:
    job = maybe_billed(queue)
    queue.do(lambda tx: jobs.give_up_late(tx, job, text="429"))
    given_up = queue.get(job.id)
    assert (given_up.status, given_up.error_code, given_up.sent_at) == ("failed", "gave_up", None)


@pytest.mark.parametrize("verb", ["complete_late", "fail", "give_up_late"])
def test_only_the_claim_that_was_sent_may_still_change_what_is_in_doubt(queue: Queue, verb: str) -> None:
    old = queue.held()
    queue.reap(old)
    sent = queue.claim()
    assert sent is not None
    queue.mark(sent)
    queue.fail_dead(sent)
    with queue.untouched(sent.id):
        attempt(queue, {**MOVES, **QUIET_MOVES}[verb], old)


@pytest.mark.parametrize("running", [False, True])
def test_what_was_not_sent_can_be_cancelled_once(queue: Queue, running: bool) -> None:
    job_id = queue.held().id if running else queue.add()
    assert queue.do(lambda tx: jobs.cancel(tx, job_id, now=NOW + 1)) is True
    assert queue.do(lambda tx: jobs.cancel(tx, job_id, now=NOW + 2)) is False
    cancelled = queue.get(job_id)
    assert (cancelled.status, cancelled.completed_at, cancelled.lease_expires_at) == ("cancelled", NOW + 1, None)
    assert queue.do(lambda tx: jobs.cancel(tx, 999, now=NOW)) is False


@pytest.mark.parametrize(("sent", "status"), [(False, "cancelled"), (True, "running")])
def test_the_successor_of_a_job_that_came_late_is_cancelled_unless_it_was_sent(
    queue: Queue, sent: bool, status: str
) -> None:
    job = maybe_billed(queue)
    new = queue.do(lambda tx: jobs.enqueue_retry(tx, job.id, now=NOW, expires_at=None))
    again = queue.claim()
    assert again is not None and again.id == new
    if sent:
        queue.mark(again)
    queue.do(lambda tx: jobs.cancel_successor(tx, job, now=NOW))
    assert queue.get(new).status == status


def test_what_nobody_waits_for_any_more_expires_unbought(queue: Queue) -> None:
    due, later, never = queue.add(expires_at=NOW + 10), queue.add(expires_at=NOW + 11), queue.add()
    assert queue.do(lambda tx: jobs.expire(tx, now=NOW + 10)) == [due]
    expired = queue.get(due)
    assert (expired.status, expired.error_code, expired.sent_at) == ("failed", "expired", None)
    assert [queue.get(job_id).status for job_id in (later, never)] == ["pending", "pending"]


def test_what_runs_does_not_expire(queue: Queue) -> None:
    job = queue.held(expires_at=NOW + 10)
    with queue.untouched(job.id):
        assert queue.do(lambda tx: jobs.expire(tx, now=NOW + 99)) == []


# --- the reaper -------------------------------------------------------------------------------------


def test_only_claims_whose_lease_ran_out_are_overdue_unless_their_process_is_dead(queue: Queue) -> None:
    first, second = queue.held(), queue.held()
    queue.do(lambda tx: jobs.extend(tx, first, lease_expires_at=NOW + 2 * LEASE))
    queue.add()

    def overdue(now: float | None) -> list[int]:
        return [job.id for job in queue.read(lambda db: jobs.overdue(db, now=now))]

    assert overdue(NOW + LEASE - 1) == []
    assert overdue(NOW + LEASE) == [second.id]
    assert sorted(overdue(None)) == [first.id, second.id]


def test_the_reaper_takes_back_what_was_not_sent_with_one_failure_more(queue: Queue) -> None:
    job = queue.held()
    assert queue.reap(job, overdue_at=NOW + LEASE, now=NOW + LEASE)
    back = queue.get(job.id)
    assert (back.status, back.failures, back.attempts, back.lease_expires_at) == ("pending", 1, 1, None)
    assert not queue.fail_dead(job)


def test_the_reaper_looks_again_when_it_takes(queue: Queue) -> None:
    """Between its look and its taking the claim was extended: its whole condition stands in the UPDATE."""
    job, sent = queue.held(), queue.held(marked=True)
    for held in (job, sent):
        queue.do(lambda tx, held=held: jobs.extend(tx, held, lease_expires_at=NOW + 2 * LEASE))
    with queue.untouched(job.id), queue.untouched(sent.id):
        assert not queue.reap(job, overdue_at=NOW + LEASE)
        assert not queue.fail_dead(sent, overdue_at=NOW + LEASE)


def test_what_was_sent_by_a_process_that_died_may_have_been_bought(queue: Queue) -> None:
    job = queue.held(marked=True)
    assert not queue.reap(job)
    assert queue.fail_dead(job, now=NOW + 5)
    dead = queue.get(job.id)
    assert (dead.status, dead.error_code, dead.sent_at, dead.completed_at) == ("failed", "maybe_billed", NOW, NOW + 5)


# --- questions --------------------------------------------------------------------------------------


def test_a_place_is_how_many_are_served_up_to_and_with_this_one(queue: Queue) -> None:
    queue.held(priority=10)
    planned, first, second = queue.add(), queue.add(priority=10), queue.add(priority=10)
    queue.add(queue=BOOK, priority=99)
    places = [
        queue.read(lambda db, job_id=job_id: jobs.places(db, [job_id])[job_id]) for job_id in (planned, first, second)
    ]
    assert places == [3, 1, 2]
    assert queue.read(lambda db: jobs.places(db, [1])) == {}, "it runs"
    told = [job.id for job in queue.read(lambda db: jobs.unfinished(db, most=9)) if job.queue == STORIES]
    assert told == [1, first, second, planned]


def test_the_next_due_time_leaves_out_what_has_expired(queue: Queue) -> None:
    assert queue.read(lambda db: jobs.next_due(db, STORIES, now=NOW)) is None
    queue.add(run_after=NOW + 5, expires_at=NOW + 1)
    queue.add(run_after=NOW + 9)
    assert queue.read(lambda db: jobs.next_due(db, STORIES, now=NOW)) == NOW + 5
    assert queue.read(lambda db: jobs.next_due(db, STORIES, now=NOW + 2)) == NOW + 9


def test_the_queues_say_what_they_look_like(queue: Queue) -> None:
    queue.add(now=NOW - 50, run_after=NOW - 40)
    queue.add()
    queue.held(priority=1)
    maybe_billed_first = queue.held(priority=1, marked=True)
    queue.fail_dead(maybe_billed_first)
    seen = {now.name: now for now in queue.read(jobs.queues_now)}
    stories = seen[STORIES]
    assert (stories.pending, stories.running, stories.failed) == (2, 1, 1)
    assert (stories.oldest_pending_at, stories.oldest_due_at, stories.paused_at) == (NOW - 50, NOW - 40, None)
    assert (seen[BOOK].pending, seen[BOOK].oldest_due_at) == (0, None)
    assert [job.id for job in queue.read(lambda db: jobs.listing(db, status="failed"))] == [maybe_billed_first.id]
