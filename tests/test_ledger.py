"""The ledger, verb by verb: the cap, the one bill a job, what nobody knows, and what comes late."""

import itertools
import threading
from typing import Any

import pytest
from queue_rules import LEASE, NOW, Queue

from bedtime import jobs, ledger
from bedtime.db import Database
from bedtime.errors import ClaimLost, OverBudget
from bedtime.model import Call, Job

CAP = 1000
JANUARY, FEBRUARY = 1_769_900_000.0, 1_769_904_000.0  # 2026-01-31 22:53 and 2026-02-01 00:00 UTC


class Ledger:
    """The ledger of one file; each call belongs to a job that is claimed and marked."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue

    def reserve(self, job: Job, micros: int = 400, *, cap: int = CAP, zone: str = "UTC", now: float = NOW) -> int:
        return int(
            self.queue.do(
                lambda tx: ledger.reserve(
                    tx, job, model="m", host="h", worst_case_micros=micros, cap_micros=cap, zone=zone, now=now
                )
            )
        )

    def call(self, micros: int = 400, **more: Any) -> int:
        return self.reserve(self.queue.held(marked=True), micros, **more)

    def settle(self, call_id: int, micros: int | None = 90) -> None:
        self.queue.do(
            lambda tx: ledger.settle(
                tx,
                call_id,
                spent_micros=micros,
                tokens_in=6,
                tokens_out=7,
                finish_reason="stop",
                outcome="told",
                now=NOW + 9,
            )
        )

    def receive(self, call_id: int, raw: bytes = b"raw") -> bool:
        return bool(self.queue.do(lambda tx: ledger.receive(tx, call_id, raw=raw, draft="all", words=1, now=NOW + 8)))

    def doubt(self, call_id: int, draft: str | None = "half") -> None:
        self.queue.do(lambda tx: ledger.doubt(tx, call_id, draft=draft, words=1, outcome="MaybeBilled"))

    def refuse(self, call_id: int) -> None:
        self.queue.do(lambda tx: ledger.refuse(tx, call_id, outcome="Limited", now=NOW + 7))

    def committed(self, now: float = NOW) -> int:
        return int(self.queue.read(lambda db: ledger.committed(db, ledger.period_of(now, "UTC"))))

    def get(self, call_id: int) -> Call:
        call = self.queue.read(lambda db: ledger.get(db, call_id))
        assert isinstance(call, Call)
        return call


@pytest.fixture
def book(queue: Queue) -> Ledger:
    return Ledger(queue)


ENDS = {
    "sending": lambda book, call_id: None,
    "received": lambda book, call_id: book.receive(call_id),
    "settled": lambda book, call_id: book.settle(call_id),
    "unknown": lambda book, call_id: book.doubt(call_id),
    "refused": lambda book, call_id: book.refuse(call_id),
}


# --- one bill a job ---------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["sending", "received", "settled", "unknown"])
def test_a_job_whose_call_may_have_been_billed_gets_no_second_one(book: Ledger, status: str) -> None:
    job = book.queue.held(marked=True)
    ENDS[status](book, book.reserve(job))
    again = _claimed_again(book.queue, job)
    with pytest.raises(ClaimLost, match="may have been billed"):
        book.reserve(again)


@pytest.mark.parametrize("status", ["sending", "received", "settled", "unknown"])
def test_the_database_refuses_the_second_bill_whatever_the_code_does(book: Ledger, status: str) -> None:
    job = book.queue.held(marked=True)
    ENDS[status](book, book.reserve(job))
    with pytest.raises(Exception, match=r"UNIQUE constraint failed: calls\.job_id"):
        book.queue.do(
            lambda tx: tx.execute(
                "INSERT INTO calls (job_id, attempt, model, host, status, period, reserved_micros, sent_at) "
                "VALUES (?, 99, 'm', 'h', 'sending', '2026-01', 1, 0)",
                (job.id,),
            )
        )


def test_after_a_certain_refusal_the_next_claim_may_call_but_the_same_claim_may_not(book: Ledger) -> None:
    job = book.queue.held(marked=True)
    book.refuse(book.reserve(job))
    with pytest.raises(ClaimLost):
        book.reserve(job)
    again = _claimed_again(book.queue, job)
    call_id = book.reserve(again)
    assert (book.get(call_id).attempt, book.get(call_id).status) == (2, "sending")
    assert book.queue.read(lambda db: ledger.call_of(db, job.id)).id == call_id, "not the refused one"


def _claimed_again(queue: Queue, job: Job) -> Job:
    queue.do(lambda tx: jobs.take_back(tx, job))
    queue.do(lambda tx: jobs.put_back(tx, job, run_after=NOW, code="x", text="x"))
    again = queue.claim()
    assert again is not None and again.id == job.id
    queue.mark(again)
    return again


# --- the cap ----------------------------------------------------------------------------------------


def test_the_worst_case_is_set_aside_before_anything_is_sent(book: Ledger) -> None:
    call = book.get(book.call(400))
    assert (call.status, call.reserved_micros, call.spent_micros, call.period) == ("sending", 400, None, "1970-01")
    assert book.committed() == 400


def test_a_call_fits_up_to_the_cap_and_not_a_micro_more(book: Ledger) -> None:
    book.call(600)
    with pytest.raises(OverBudget, match=r"600 of 1000 micros.*may cost 401"):
        book.call(401)
    assert book.committed() == 600
    book.reserve(book.queue.get(2), 400)
    assert book.committed() == CAP


def test_what_did_not_fit_leaves_its_job_unmarked(book: Ledger) -> None:
    """The mark and the reservation are one transaction."""
    job = book.queue.held()
    with pytest.raises(OverBudget), book.queue.database.transaction("mark") as tx:
        jobs.mark(tx, job, lease_expires_at=NOW + LEASE, now=NOW)
        ledger.reserve(tx, job, model="m", host="h", worst_case_micros=CAP + 1, cap_micros=CAP, zone="UTC", now=NOW)
    assert book.queue.get(job.id).sent_at is None


@pytest.mark.parametrize(
    ("status", "counts"), [("sending", 400), ("received", 400), ("settled", 90), ("unknown", 400), ("refused", 0)]
)
def test_what_nobody_knows_counts_at_its_worst_case(book: Ledger, status: str, counts: int) -> None:
    call_id = book.call(400)
    ENDS[status](book, call_id)
    assert (book.get(call_id).status, book.committed()) == (status, counts)


def test_a_provider_that_does_not_say_what_it_cost_is_settled_at_the_worst_case(book: Ledger) -> None:
    call_id = book.call(400)
    book.settle(call_id, None)
    assert (book.get(call_id).spent_micros, book.committed()) == (400, 400)


def test_a_call_that_costs_nothing_is_free_of_the_cap(book: Ledger) -> None:
    book.call(CAP)
    assert book.get(book.call(0, cap=0)).status == "sending"
    with pytest.raises(OverBudget):
        book.call(1)


def test_each_month_has_a_cap_of_its_own_by_the_clock_of_greenwich(book: Ledger) -> None:
    book.call(CAP, now=JANUARY)
    book.call(CAP, now=FEBRUARY)
    assert (ledger.period_of(JANUARY, "UTC"), ledger.period_of(FEBRUARY, "UTC")) == ("2026-01", "2026-02")
    assert (book.committed(JANUARY), book.committed(FEBRUARY)) == (CAP, CAP)
    with pytest.raises(OverBudget):
        book.call(1, now=FEBRUARY)


def test_a_call_that_is_settled_next_month_counts_where_it_was_reserved(book: Ledger) -> None:
    call_id = book.call(400, now=JANUARY)
    book.settle(call_id)
    assert (book.committed(JANUARY), book.committed(NOW)) == (90, 0)


def test_fifty_threads_at_the_edge_of_the_cap_stay_under_it(queue: Queue, database: Database, book: Ledger) -> None:
    held = [queue.held(marked=True) for _ in range(50)]
    outcomes: list[str] = []
    gate = threading.Barrier(len(held))

    def buy(job: Job) -> None:
        gate.wait()
        try:
            book.reserve(job, 90)
            outcomes.append("bought")
        except OverBudget:
            outcomes.append("refused")
        database.close()

    threads = [threading.Thread(target=buy, args=(job,)) for job in held]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (outcomes.count("bought"), outcomes.count("refused"), book.committed()) == (11, 39, 990)


# --- its life ---------------------------------------------------------------------------------------

MAY = {  # what each verb makes of a call in each status; a pair that is not here changes nothing
    ("sending", "receive"): "received",
    ("sending", "settle"): "settled",
    ("sending", "doubt"): "unknown",
    ("sending", "refuse"): "refused",
    ("received", "settle"): "settled",
    ("unknown", "receive"): "received",
    ("unknown", "settle"): "settled",
    ("unknown", "doubt"): "unknown",
    ("unknown", "refuse"): "refused",
}
VERBS = {"receive": Ledger.receive, "settle": Ledger.settle, "doubt": Ledger.doubt, "refuse": Ledger.refuse}


@pytest.mark.parametrize(("status", "verb"), list(itertools.product(ENDS, VERBS)))
def test_a_call_goes_only_the_ways_that_are_drawn(book: Ledger, status: str, verb: str) -> None:
    call_id = book.call()
    ENDS[status](book, call_id)
    before = book.get(call_id)
    try:
        VERBS[verb](book, call_id)  # type: ignore[operator]
    except ClaimLost:
        assert verb == "settle"
    after = book.get(call_id)
    assert after.status == MAY.get((status, verb), status)
    if (status, verb) not in MAY:
        assert after == before, "not a word of it changed"


def test_a_whole_answer_is_kept_also_when_it_comes_late_but_only_once(book: Ledger) -> None:
    call_id = book.call()
    book.doubt(call_id)
    assert book.receive(call_id, b"the whole answer") is True
    assert book.receive(call_id, b"something else") is False
    call = book.get(call_id)
    assert (call.status, call.raw, call.draft, call.received_at) == ("received", b"the whole answer", "all", NOW + 8)


def test_the_text_that_did_arrive_is_kept_when_nobody_knows(book: Ledger) -> None:
    call_id = book.call()
    book.queue.do(lambda tx: ledger.note(tx, call_id, draft="Once upon", words=2))
    book.doubt(call_id, None)
    assert (book.get(call_id).draft, book.get(call_id).words) == ("Once upon", 2)
    book.doubt(call_id, "Once upon a time")
    assert (book.get(call_id).draft, book.get(call_id).words) == ("Once upon a time", 1)


def test_how_far_it_is_stands_still_once_it_came_to_an_end(book: Ledger) -> None:
    call_id = book.call()
    book.receive(call_id)
    book.queue.do(lambda tx: ledger.note(tx, call_id, draft="late", words=99))
    assert book.get(call_id).draft == "all"


# --- questions --------------------------------------------------------------------------------------


def test_an_answer_that_is_kept_and_not_finished_is_found(book: Ledger) -> None:
    calls = {status: book.call(1) for status in ENDS}
    for status, end in ENDS.items():
        end(book, calls[status])
    of_jobs = [book.get(call_id).job_id for call_id in calls.values()]
    left = book.queue.read(lambda db: ledger.unfinished(db, of_jobs))
    assert [call.id for call in left] == [calls["received"]]
    assert book.queue.read(lambda db: ledger.unfinished(db, [])) == []


def test_an_answer_to_a_call_that_was_settled_by_hand_is_found_until_it_is_finished(book: Ledger) -> None:
    call_id, found = book.call(), []
    of_job = [book.get(call_id).job_id]
    book.doubt(call_id)
    book.queue.do(lambda tx: ledger.settle_by_hand(tx, call_id, spent_micros=7, now=NOW))
    for step in (book.get, book.receive, book.settle):
        step(call_id)
        found.append(len(book.queue.read(lambda db: ledger.unfinished(db, of_job))))
    assert found == [0, 1, 0]


@pytest.mark.parametrize(
    ("ends", "lost"),
    [
        (["unknown"], False),
        (["unknown", "unknown"], True),
        (["unknown", "settled"], False),
        (["unknown", "settled", "unknown"], False),
        (["settled", "unknown", "refused", "unknown"], True),
        (["unknown", "unknown", "sending"], True),
    ],
)
def test_two_answers_lost_in_a_row_are_noticed(book: Ledger, ends: list[str], lost: bool) -> None:
    """A refusal in between says nothing about whether answers arrive."""
    for end in ends:
        ENDS[end](book, book.call(1))
    assert book.queue.read(ledger.last_two_unknown) is lost


def usual_cost(book: Ledger, model: str = "m") -> Any:
    return book.queue.read(lambda db: ledger.usual_cost(db, model=model, host="h"))


def test_what_is_usual_comes_of_what_was_settled(book: Ledger) -> None:
    assert (book.queue.read(ledger.usual_seconds), usual_cost(book)) == (None, None)
    for micros in (10, 20):
        call_id = book.call(100)
        book.receive(call_id)
        book.settle(call_id, micros)
    book.doubt(book.call(100))
    assert (book.queue.read(ledger.usual_seconds), usual_cost(book)) == (8.0, 15)
    assert usual_cost(book, model="another") is None, "what one model cost says nothing about another"


@pytest.mark.parametrize("days", [-3, 3, 700])
def test_a_clock_that_was_set_in_mid_call_does_not_say_how_long_a_telling_takes(book: Ledger, days: int) -> None:
    for jump in (0, days, 0):
        call_id = book.call(100)
        book.receive(call_id)
        book.settle(call_id, 10)
        book.queue.do(
            lambda tx, call_id=call_id, jump=jump: tx.execute(
                "UPDATE calls SET received_at = received_at + ? WHERE id = ?", (jump * 86_400, call_id)
            )
        )
    assert book.queue.read(ledger.usual_seconds) == 8.0
