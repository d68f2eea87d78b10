"""Asking: a request and its job are one; a key is one wish; the bound; and what may be asked of a job that exists."""

from dataclasses import replace

import pytest
from queue_rules import MOVES, NOW, Queue

from bedtime import asking, household, jobs, library
from bedtime.asking import Asked, Asker, AskRules
from bedtime.db import Database
from bedtime.errors import KeyReused, MayCostTwice, NotFound, OverDailyCap, QueueFull
from bedtime.model import BOOK, STORIES, TELL_TALE, WRITE_STORY, Listener, Wish

RULES = AskRules(STORIES, WRITE_STORY, queue_max=8, expiry_seconds=3600.0)
MIA, THEO = Listener("Mia", "4-5", "she"), Listener("Theo", "6-7", "he")
WISH = Wish((MIA,), idea="a shy dragon")


def ask(database: Database, wish: Wish = WISH, *, key: str = "k", rules: AskRules = RULES, now: float = NOW) -> Asked:
    return asking.ask(database, wish, key=key, rules=rules, now=now)


def count(queue: Queue, table: str) -> int:
    return int(queue.read(lambda db: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]))


def rows(queue: Queue) -> tuple[int, int, int]:
    """How many requests, jobs and children there are."""
    return count(queue, "story_requests"), count(queue, "jobs"), count(queue, "children")


def test_a_wish_is_written_down_together_with_its_job(database: Database, queue: Queue) -> None:
    asked = ask(
        database, Wish((MIA, THEO), idea="a shy dragon", today="swimming", minutes=9, mood="funny", language="de")
    )
    job = queue.get(asked.job_id)
    request = queue.read(lambda db: library.request_for(db, job.payload["request_id"]))
    assert (job.status, job.queue, job.kind, job.priority) == ("pending", STORIES, WRITE_STORY, 10)
    assert (job.run_after, job.expires_at) == (NOW, NOW + 3600)
    assert (request.job_id, [child.nickname for child in request.children]) == (asked.job_id, ["Mia", "Theo"])
    wish = request.wish
    assert (wish.idea, wish.today, wish.minutes, wish.mood, wish.language) == (
        "a shy dragon",
        "swimming",
        9,
        "funny",
        "de",
    )
    assert not asked.replayed


def test_the_payload_holds_ids_only_and_never_a_name(database: Database, queue: Queue) -> None:
    ask(database)
    payload = queue.read(lambda db: db.execute("SELECT payload FROM jobs").fetchone()[0])
    assert payload == '{"request_id": 1}'


@pytest.mark.parametrize("point", ["enqueue.before_commit"])
def test_neither_row_is_there_when_it_breaks_off_and_the_key_is_free(
    database: Database, queue: Queue, point: str
) -> None:
    def breaks(seen: str) -> None:
        if seen == point:
            raise KeyboardInterrupt

    broken = Database(database.path, observe=breaks)
    broken.open()
    with pytest.raises(KeyboardInterrupt):
        ask(broken)
    broken.close()
    assert rows(queue) == (0, 0, 0)
    assert not ask(database).replayed


# --- the key ----------------------------------------------------------------------------------------


def _end(queue: Queue, how: str) -> None:
    if how == "pending":
        return
    job = queue.claim()
    assert job is not None
    if how == "cancelled":
        queue.do(lambda tx: jobs.cancel(tx, job.id, now=NOW))
    elif how != "running":
        queue.do(lambda tx: MOVES["complete" if how == "completed" else "fail"](tx, job))


@pytest.mark.parametrize("status", ["pending", "running", "completed", "failed", "cancelled"])
def test_a_known_key_gives_the_same_job_whatever_became_of_it(database: Database, queue: Queue, status: str) -> None:
    first = ask(database)
    _end(queue, status)
    assert queue.get(first.job_id).status == status
    assert ask(database, now=NOW + 9e6) == Asked(first.job_id, replayed=True)
    assert rows(queue) == (1, 1, 1)


def test_a_known_key_is_answered_also_when_no_more_fit_in_or_the_queue_is_paused(
    database: Database, queue: Queue
) -> None:
    first = ask(database)
    queue.do(lambda tx: jobs.pause(tx, STORIES, reason="key", detail="", now=NOW))
    full = replace(RULES, queue_max=1)
    assert ask(database, rules=full) == Asked(first.job_id, replayed=True)
    with pytest.raises(QueueFull):
        ask(database, key="other", rules=full)


OTHERS: dict[str, object] = {
    "children": (MIA, THEO),
    "idea": "a bold dragon",
    "today": "swimming",
    "minutes": 7,
    "mood": "funny",
    "lesson": "sharing",
    "language": "de",
    "continues": 1,
    "from_book": True,
}


@pytest.mark.parametrize("field", Wish.__dataclass_fields__)
def test_a_known_key_with_another_wish_is_refused_and_names_the_first_job(
    database: Database, queue: Queue, field: str
) -> None:
    first = ask(database)
    other = replace(WISH, **{field: OTHERS[field]})
    with pytest.raises(KeyReused) as refused:
        ask(database, other)
    assert refused.value.job_id == first.job_id
    assert rows(queue) == (1, 1, 1)


def test_another_key_is_another_wish(database: Database, queue: Queue) -> None:
    assert ask(database, key="a").job_id != ask(database, key="b").job_id
    assert rows(queue) == (2, 2, 1), "and the same child"


# --- the bound --------------------------------------------------------------------------------------


def test_the_ninth_waits_outside_and_its_key_is_not_used_up(database: Database, queue: Queue) -> None:
    for number in range(8):
        ask(database, key=str(number))
    with pytest.raises(QueueFull):
        ask(database, Wish((THEO,)), key="ninth")
    assert rows(queue) == (8, 8, 1), "not even the child was written down"
    assert queue.claim() is not None, "what runs makes room"
    assert not ask(database, Wish((THEO,)), key="ninth").replayed


def test_planned_stories_and_tales_from_the_book_take_no_room(database: Database, queue: Queue) -> None:
    for number in range(8):
        queue.add(dedupe_key=str(number))
    asked = ask(database)
    asking.tale_now(database, asked.job_id, now=NOW)
    for number in range(7):
        ask(database, key=str(number))
    with pytest.raises(QueueFull):
        ask(database, key="ninth")


# --- who it is for ----------------------------------------------------------------------------------


def test_a_child_is_known_again_by_all_three_fields(database: Database, queue: Queue) -> None:
    for key, child in enumerate([MIA, MIA, replace(MIA, band="6-7"), replace(MIA, pronouns="they")]):
        ask(database, Wish((child,)), key=str(key))
    assert count(queue, "children") == 3
    ask(database, Wish((Listener(child_id=1),)), key="by id")
    assert count(queue, "children") == 3


@pytest.mark.parametrize(
    ("wish", "gone"),
    [(Wish((Listener(child_id=7),)), "child 7"), (Wish((MIA, Listener(child_id=8))), "child 8")],
)
def test_a_child_that_is_gone_is_named_and_nothing_is_written(
    database: Database, queue: Queue, wish: Wish, gone: str
) -> None:
    with pytest.raises(NotFound, match=gone):
        ask(database, wish)
    assert rows(queue) == (0, 0, 0)


def test_a_story_that_is_gone_cannot_be_gone_on_with(database: Database, queue: Queue) -> None:
    with pytest.raises(NotFound, match="no story 5"):
        ask(database, replace(WISH, continues=5))
    assert rows(queue) == (0, 0, 0)


# --- of a job that exists ---------------------------------------------------------------------------


def _failed(database: Database, queue: Queue, code: str = "refused") -> int:
    ask(database)
    job = queue.claim()
    assert job is not None
    queue.do(lambda tx: jobs.fail(tx, job, code=code, text="no", now=NOW))
    return job.id


def test_asked_again_and_pressed_twice_it_is_one_new_job_of_the_same_wish(database: Database, queue: Queue) -> None:
    failed = _failed(database, queue)
    again = asking.ask_again(database, failed, rules=RULES, now=NOW + 5)
    assert asking.ask_again(database, failed, rules=RULES, now=NOW + 6) == again
    new = queue.get(again)
    assert (new.retry_of, new.payload, new.expires_at) == (failed, {"request_id": 1}, NOW + 5 + 3600)
    assert ask(database) == Asked(failed, replayed=True), "the key stays with the first job"


def test_asking_again_obeys_the_bound_but_finds_what_was_asked_before(database: Database, queue: Queue) -> None:
    failed = _failed(database, queue)
    full = replace(RULES, queue_max=1)
    ask(database, key="waits", rules=full)
    with pytest.raises(QueueFull):
        asking.ask_again(database, failed, rules=full, now=NOW)
    again = asking.ask_again(database, failed, rules=RULES, now=NOW)
    assert asking.ask_again(database, failed, rules=full, now=NOW) == again


def test_what_may_cost_twice_is_decided_where_it_is_asked_again(database: Database, queue: Queue) -> None:
    """And not only by a look a moment before, when the job was still running."""
    failed = _failed(database, queue, code="maybe_billed")
    with pytest.raises(MayCostTwice, match="second time"):
        asking.ask_again(database, failed, rules=RULES, now=NOW)
    again = asking.ask_again(database, failed, rules=RULES, understood=True, now=NOW)
    assert asking.ask_again(database, failed, rules=RULES, now=NOW) == again, (
        "it was asked again: nothing more is bought"
    )


@pytest.mark.parametrize("status", ["pending", "running", "completed"])
def test_there_is_nothing_to_ask_again_of_a_job_that_has_not_failed(
    database: Database, queue: Queue, status: str
) -> None:
    asked = ask(database)
    _end(queue, status)
    with pytest.raises(NotFound, match="has not failed"):
        asking.ask_again(database, asked.job_id, rules=RULES, now=NOW)
    with pytest.raises(NotFound, match="no job 99"):
        asking.ask_again(database, 99, rules=RULES, now=NOW)
    assert count(queue, "jobs") == 1


def test_a_tale_meanwhile_is_one_and_the_wish_stays_in_the_queue(database: Database, queue: Queue) -> None:
    asked = ask(database)
    tale = asking.tale_now(database, asked.job_id, now=NOW)
    assert asking.tale_now(database, asked.job_id, now=NOW + 1) == tale
    job = queue.get(tale)
    assert (job.queue, job.kind, job.payload) == (BOOK, TELL_TALE, queue.get(asked.job_id).payload)
    assert queue.get(asked.job_id).status == "pending"
    with pytest.raises(NotFound):
        asking.tale_now(database, 99, now=NOW)


def test_cancelled_is_what_was_not_sent(database: Database, queue: Queue) -> None:
    waits, sent = ask(database, key="a"), queue.held(marked=True, priority=99)
    assert asking.cancel(database, waits.job_id, now=NOW) is True
    assert asking.cancel(database, waits.job_id, now=NOW) is False
    assert asking.cancel(database, sent.id, now=NOW) is False
    assert asking.cancel(database, 99, now=NOW) is False


# --- every way of writing ---------------------------------------------------------------------------


def test_whatever_is_asked_is_written_by_immediate_transactions_only(database: Database, queue: Queue) -> None:
    """A deferred one that reads and then writes fails at once when somebody else has committed in between."""
    statements: list[str] = []
    with database.reading() as db:
        db.set_trace_callback(statements.append)
    failed = _failed(database, queue)
    asking.ask_again(database, failed, rules=RULES, now=NOW)
    asking.tale_now(database, failed, now=NOW)
    asking.cancel(database, failed, now=NOW)
    asking.resume(database, STORIES)
    begun = ""
    for statement in statements:
        if statement.startswith("BEGIN"):
            begun = statement
        if statement.split()[0] in ("INSERT", "UPDATE", "DELETE"):
            assert begun == "BEGIN IMMEDIATE", statement
    assert begun


def test_a_wish_keeps_its_fingerprint_from_one_version_to_the_next() -> None:
    """It stands in the file: a key that is repeated after an update has to find its first wish unchanged."""
    wish = Wish(
        (Listener("Zoë", "4-5", "she"), Listener(child_id=3)), idea="a “lamp”", today="x", minutes=6, continues=4
    )
    assert wish.fingerprint() == "4a599686421531171a9837e924677037c7bae1ec3886f208e15daec56583b5d8"


@pytest.mark.parametrize(
    ("seconds_ahead", "counts"), [(0, True), (60, True), (2 * 365 * 86400, False)], ids=["now", "a minute", "years"]
)
def test_what_a_script_asked_while_the_clock_was_ahead_shuts_it_for_a_day_at_most(
    database: Database, seconds_ahead: float, counts: bool
) -> None:
    with database.transaction("test") as tx:
        token = household.add_device(tx, name="kitchen", role="script", key="t", now=NOW)
    asker = Asker(token, daily_cap_micros=10, worst_case_micros=4)
    for key in "ab":
        asking.ask(database, WISH, key=key, rules=RULES, now=NOW + seconds_ahead, asker=asker)
    if counts:
        with pytest.raises(OverDailyCap):
            asking.ask(database, WISH, key="c", rules=RULES, now=NOW, asker=asker)
    else:
        assert asking.ask(database, WISH, key="c", rules=RULES, now=NOW, asker=asker).job_id == 3
