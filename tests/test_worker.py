"""The worker: what it claims it hands to the handler of its kind; what goes wrong waits, unless it was sent."""

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from queue_rules import LEASE, NOW, Queue
from running import eventually

from bedtime import backoff, jobs
from bedtime.db import Database
from bedtime.errors import ClaimLost, DatabaseBusy, NotFound
from bedtime.model import STORIES, WRITE_STORY, Job
from bedtime.watcher import Watcher
from bedtime.worker import Worker

ROOT = Path(__file__).parent.parent
DICE = 0.5


def worker(database: Database, handler: Callable[[Job], None], **more: Any) -> Worker:
    settings: dict[str, Any] = {"name": "w", "lease_seconds": LEASE, "max_failures": 6, "clock": lambda: NOW}
    return Worker(database, STORIES, {WRITE_STORY: handler}, dice=lambda: DICE, **{**settings, **more})


def raises(error: Exception) -> Callable[[Job], None]:
    def handler(job: Job) -> None:
        raise error

    return handler


def test_a_step_claims_one_job_and_hands_it_to_the_handler_of_its_kind(database: Database, queue: Queue) -> None:
    first, second = queue.add({"request_id": 1}), queue.add()
    seen: list[Job] = []
    works = worker(database, seen.append)
    assert works.step() is True
    assert [(job.id, job.status, job.attempts, job.claimed_by) for job in seen] == [(first, "running", 1, "w")]
    assert works.step() is True and works.step() is False
    assert [job.id for job in seen] == [first, second]


def test_the_handler_alone_says_how_a_job_ends(database: Database, queue: Queue) -> None:
    job_id = queue.add()
    worker(database, lambda job: None).step()
    assert queue.get(job_id).status == "running"


def test_a_claim_that_was_lost_is_nobodys_failure(database: Database, queue: Queue) -> None:
    job_id = queue.add()
    assert worker(database, raises(ClaimLost("lost"))).step() is True
    assert (queue.get(job_id).status, queue.get(job_id).failures) == ("running", 0)


@pytest.mark.parametrize("error", [DatabaseBusy("busy"), NotFound("gone"), ValueError("a bug"), RecursionError()])
def test_what_goes_wrong_before_anything_was_sent_is_tried_again_later(
    database: Database, queue: Queue, error: Exception
) -> None:
    job_id = queue.add()
    assert worker(database, raises(error)).step() is True
    job = queue.get(job_id)
    assert (job.status, job.failures, job.error_code, job.error_text) == ("pending", 1, "error", type(error).__name__)
    assert job.run_after == NOW + backoff.not_sent_delay(1, DICE)


@pytest.mark.parametrize("error", [DatabaseBusy("busy"), ValueError("a bug")])
def test_what_goes_wrong_after_it_was_sent_stays_for_the_reaper(
    database: Database, queue: Queue, error: Exception
) -> None:
    def sends(job: Job) -> None:
        queue.mark(job)
        raise error

    job_id = queue.add()
    works = worker(database, sends)
    assert works.step() is True
    job = queue.get(job_id)
    assert (job.status, job.failures, job.sent_at) == ("running", 0, NOW)
    assert works.step() is False, "nobody claims it again"


def test_a_job_that_always_fails_is_given_up_and_the_next_one_has_its_turn(database: Database, queue: Queue) -> None:
    bad, good = queue.add({"bad": 1}), queue.add()
    told: list[int] = []

    def handler(job: Job) -> None:
        if "bad" in job.payload:
            raise ValueError
        told.append(job.id)

    now = [NOW]
    works = worker(database, handler, clock=lambda: now[0], max_failures=3)
    for _ in range(4):
        assert works.step()
        now[0] += 1000
    assert (queue.get(bad).error_code, queue.get(bad).failures, told) == ("gave_up", 3, [good])


def test_a_job_of_a_kind_that_nobody_handles_waits_for_a_person_in_the_end(database: Database, queue: Queue) -> None:
    job_id = queue.add(kind="sing_song")
    worker(database, raises(AssertionError()), max_failures=1).step()
    assert (queue.get(job_id).status, queue.get(job_id).error_code) == ("failed", "gave_up")


def test_a_bug_of_a_handler_is_logged_without_what_a_family_typed(
    database: Database, queue: Queue, caplog: pytest.LogCaptureFixture
) -> None:
    job_id = queue.add()
    with caplog.at_level(logging.INFO, logger="bedtime.worker"):
        worker(database, raises(ValueError("Ottoline is afraid of the dark"))).step()
    assert "bug=ValueError" in caplog.text and "in handler" in caplog.text
    assert "Ottoline" not in caplog.text + (queue.get(job_id).error_text or "")


def test_a_database_that_is_busy_is_told_to_the_loop(database: Database, queue: Queue) -> None:
    queue.add()
    impatient = Database(database.path, lock_seconds=0.05)
    impatient.open()
    with database.transaction("somebody else"), pytest.raises(DatabaseBusy):
        worker(impatient, lambda job: None).step()
    impatient.close()


# --- rest -------------------------------------------------------------------------------------------


class Resting:
    """A worker that rests in a thread of its own, beside a watcher in another."""

    def __init__(self, database: Database) -> None:
        self.wake = threading.Event()
        self._database = database
        self._works = worker(database, lambda job: None, clock=time.time)
        self._watcher, self._over, watches = Watcher(database, [self.wake]), threading.Event(), threading.Event()
        threading.Thread(target=self._watch, args=(watches,)).start()
        watches.wait()
        self._thread = threading.Thread(target=self._rest)
        self._thread.start()

    def _rest(self) -> None:
        self._works.rest(self.wake)
        self._over.set()
        self._database.close()

    def _watch(self, watches: threading.Event) -> None:
        self._watcher.step()
        self.wake.clear()  # whoever has never looked does not know what has changed
        watches.set()
        while not self._over.is_set():
            self._watcher.rest(self._over)
            self._watcher.step()
        self._database.close()

    def ended(self, *, seconds: float) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()


def test_it_rests_until_it_is_woken(database: Database) -> None:
    resting = Resting(database)
    assert not resting.ended(seconds=0.6)
    resting.wake.set()
    assert resting.ended(seconds=5)


ENQUEUES = """
import sys
from pathlib import Path
from bedtime import jobs
from bedtime.db import Database
database = Database(Path(sys.argv[1]))
database.open()
with database.transaction("enqueue") as tx:
    jobs.enqueue(tx, "stories", "write_story", {}, now=0.0)
"""


def test_it_wakes_when_another_process_commits(database: Database) -> None:
    resting = Resting(database)
    assert not resting.ended(seconds=0.3)
    subprocess.run([sys.executable, "-c", ENQUEUES, database.path], cwd=ROOT, check=True, timeout=60)
    assert resting.ended(seconds=2), "looked at four times a second"


def test_it_does_not_rest_while_something_is_due(database: Database, queue: Queue) -> None:
    queue.add(now=0.0)
    assert Resting(database).ended(seconds=5)


def test_it_wakes_when_the_next_one_is_due(database: Database, queue: Queue) -> None:
    queue.add(run_after=time.time() + 3)
    resting = Resting(database)
    assert not resting.ended(seconds=0.2)
    assert resting.ended(seconds=8), "not only when the rest of ten seconds is over"


def test_a_paused_queue_is_no_reason_to_stay_awake(database: Database, queue: Queue) -> None:
    queue.add(now=0.0)
    queue.do(lambda tx: jobs.pause(tx, STORIES, reason="key", detail="", now=NOW))
    resting = Resting(database)
    assert not resting.ended(seconds=0.4)
    queue.do(lambda tx: jobs.resume(tx, STORIES))
    eventually(lambda: resting.ended(seconds=0.1), seconds=5)
