"""The claim was lost while the call ran: late answers are kept, late refusals cost nothing; and two unknown in a row."""

from collections.abc import Callable

import pytest
from outcome_table import USED
from provider import Provider
from workbench import Workbench

from bedtime import accounts, household
from bedtime.errors import DatabaseBusy
from bedtime.telling import Parts, recover_dead, take_back_overdue, writing


@pytest.mark.parametrize("step", ["call.sent", "call.first_byte", "call.mid_body", "spool.synced"])
def test_an_answer_that_comes_after_its_claim_was_lost_is_a_story_all_the_same(
    workbench: Callable[..., Workbench], provider: Provider, step: str
) -> None:
    house = workbench()
    states: list[tuple[str, str | None, str]] = []

    def lose() -> None:
        house.lose_the_claim()
        job = house.job(1)
        states.append((job.status, job.error_code, house.call(1).status))

    house.at[step] = lose
    job = house.told()
    whole = step == "spool.synced"  # then the reaper finds it whole in the spool, and finishes it without the network
    assert states == [("completed", None, "settled") if whole else ("failed", "maybe_billed", "unknown")]
    assert (job.status, job.error_code, job.completed_at) == ("completed", None, house.now)
    assert (house.call(job.id).status, house.call(job.id).spent_micros) == ("settled", USED)
    assert (house.text(job.id) or "").endswith("closed its eye.")
    assert len(provider.bills()) == 1 and house.parts.spool.kept() == []


def test_a_late_answer_cancels_the_wish_that_was_asked_again_and_not_sent_yet(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    house = workbench()
    again: list[int] = []

    def lose_and_ask_again() -> None:
        house.lose_the_claim()
        again.append(house.ask_again(1))

    house.at["call.mid_body"] = lose_and_ask_again
    assert house.told().status == "completed"
    assert house.job(again[0]).status == "cancelled" and not house.tell()
    assert len(provider.bills()) == 1


def test_a_late_answer_cancels_what_was_asked_again_for_what_was_asked_again(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    house = workbench()
    asked: list[int] = []

    def lose_and_ask_again_twice() -> None:
        house.lose_the_claim()
        asked.append(house.ask_again(1))
        house.cancel(asked[0])
        asked.append(house.ask_again(asked[0]))

    house.at["call.mid_body"] = lose_and_ask_again_twice
    assert house.told().status == "completed"
    assert house.job(asked[1]).status == "cancelled" and not house.tell()
    assert len(provider.bills()) == 1


def test_a_late_answer_and_one_that_was_asked_again_and_sent_are_both_kept(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    house = workbench()
    again: list[int] = []

    def lose_and_have_it_told_again() -> None:
        house.lose_the_claim()
        again.append(house.ask_again(1))
        assert house.tell()

    house.at["call.first_byte"] = lose_and_have_it_told_again
    first = house.told()
    assert (first.status, house.job(again[0]).status) == ("completed", "completed")
    assert house.text(first.id) and house.text(again[0])
    assert len(provider.bills()) == 2 and house.committed() == 2 * USED


def test_a_late_answer_is_read_by_the_stand_ins_that_were_sent_with_it(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    house = workbench()

    def lose_and_have_it_told_with_names() -> None:
        house.lose_the_claim()
        accounts.choose(house.database, {household.SEND_NAMES: "yes"}, now=house.now)
        house.ask_again(1)
        assert house.tell()

    house.at["call.first_byte"] = lose_and_have_it_told_with_names
    assert house.told().status == "completed"
    assert house.text(1) == house.text(2) and "{child:1}" in (house.text(1) or "")


def test_a_late_answer_that_is_no_story_says_so_and_settles_the_bill(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    house = workbench()
    provider.queue("null_content")
    house.at["call.first_byte"] = house.lose_the_claim
    job = house.told()
    assert (job.status, job.error_code) == ("failed", "unreadable")
    assert house.call(job.id).spent_micros == USED and house.call(job.id).raw


@pytest.mark.parametrize("mode", ["status:401", "status:404", "429", "429:quota", "status:400", "status:422"])
def test_a_certain_refusal_after_the_claim_was_lost_means_that_nothing_was_billed(
    workbench: Callable[..., Workbench], provider: Provider, mode: str
) -> None:
    house = workbench()
    provider.queue(mode)
    house.at["call.sent"] = house.lose_the_claim
    job = house.told()
    assert (job.status, job.error_code, job.sent_at) == ("failed", "gave_up", None)
    assert house.call(job.id).status == "refused" and house.committed() == 0
    assert house.paused() is None and not house.tell()
    assert house.job(house.ask_again(job.id)).status == "pending", "and may be asked again without a warning"


def test_an_answer_cut_off_after_its_claim_was_lost_stays_unknown_with_the_longer_text(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    house = workbench()
    provider.queue("cut_stream")
    house.at["call.first_byte"] = house.lose_the_claim
    job = house.told()
    call = house.call(job.id)
    assert (job.status, job.error_code, call.status) == ("failed", "maybe_billed", "unknown")
    assert call.words > 150 and "found the lamp" in call.draft and house.committed() == call.reserved_micros


# --- two in a row ---------------------------------------------------------------------------------


def test_two_unknown_in_a_row_pause_the_queue_and_a_story_between_them_does_not(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    house = workbench()
    paused = []
    provider.queue("status:500", "ok", "status:500", "empty200", "ok")
    for _ in range(4):
        house.told()
        paused.append(house.paused())
    assert paused == [None, None, None, "unknown_twice"]
    waiting = house.ask()
    assert not house.tell() and house.job(waiting).status == "pending" and len(provider.requests()) == 4
    house.resume()
    assert house.tell() and house.job(waiting).status == "completed"


@pytest.mark.parametrize(
    ("mode", "step", "became"),
    [
        ("429", "refuse", ("pending", "limited", "refused")),
        ("status:401", "refuse", ("pending", "key", "refused")),
        ("status:400", "refuse", ("failed", "refused", "refused")),
        ("cut_stream", "doubt", ("failed", "maybe_billed", "unknown")),
    ],
)
@pytest.mark.parametrize("tries", [1, 3])
def test_what_the_wire_said_is_written_down_although_the_file_is_busy(
    workbench: Callable[..., Workbench],
    provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    step: str,
    became: tuple[str, str, str],
    tries: int,
) -> None:
    monkeypatch.setattr(writing, "BUSY_SECONDS", 0.0)
    house, left = workbench(), [tries]

    def busy() -> None:
        if left[0]:
            left[0] -= 1
            house.at[f"{step}.before_commit"] = busy
            raise DatabaseBusy("another program holds it")

    house.at[f"{step}.before_commit"] = busy
    provider.queue(mode)
    job_id = house.ask()
    house.tell()
    job = house.job(job_id)
    assert (job.status, job.error_code, house.call(job_id).status) == became
    assert left == [0] and len(provider.requests()) == 1 and house.parts.spool.kept() == []


# --- a late answer that meets a busy file -----------------------------------------------------------


def _busy() -> None:
    raise DatabaseBusy("another program holds it")


def _late_and_busy(house: Workbench, step: str) -> int:
    """A story that came whole after its claim was lost, and that could not be written down; its job."""
    house.at |= {"call.mid_body": house.lose_the_claim, f"{step}.before_commit": _busy}
    job = house.told()
    assert (job.error_code, house.text(job.id)) == ("maybe_billed", None)
    return job.id


@pytest.mark.parametrize("step", ["receive", "finish"])
def test_a_late_answer_that_met_a_busy_file_is_a_story_when_the_reaper_comes_by(
    workbench: Callable[..., Workbench], provider: Provider, step: str
) -> None:
    house = workbench()
    job_id = _late_and_busy(house, step)
    again = house.ask_again(job_id)
    take_back_overdue(house.parts)
    job, call = house.job(job_id), house.call(job_id)
    assert (job.status, job.error_code, call.status, call.spent_micros) == ("completed", None, "settled", USED)
    assert (house.text(job_id) or "").endswith("closed its eye.") and house.job(again).status == "cancelled"
    assert len(provider.requests()) == 1 and house.parts.spool.kept() == []
    heard = len(house.heard)
    take_back_overdue(house.parts)
    assert house.heard[heard:] == [], "and then it is done"


@pytest.mark.parametrize("step", ["receive", "finish"])
def test_what_was_entered_by_hand_stands_when_the_reaper_finishes_the_answer(
    workbench: Callable[..., Workbench], step: str
) -> None:
    house = workbench()

    def lose_and_settle() -> None:
        house.lose_the_claim()
        accounts.settle_by_bill(house.database, 1, spent_micros=70, now=house.now)

    house.at |= {"call.mid_body": lose_and_settle, f"{step}.before_commit": _busy}
    assert house.told().error_code == "maybe_billed"
    take_back_overdue(house.parts)
    assert (house.job(1).status, house.call(1).spent_micros, bool(house.text(1))) == ("completed", 70, True)


@pytest.mark.parametrize("step", ["receive", "finish"])
def test_what_a_start_left_for_later_is_done_by_the_reaper(workbench: Callable[..., Workbench], step: str) -> None:
    house = workbench()
    job_id = _late_and_busy(house, step)

    def still_busy() -> None:
        house.at[f"{step}.before_commit"] = still_busy
        _busy()

    house.at[f"{step}.before_commit"] = still_busy
    recover_dead(house.parts)
    assert house.job(job_id).status == "failed"
    del house.at[f"{step}.before_commit"]
    take_back_overdue(house.parts)
    assert house.job(job_id).status == "completed" and house.text(job_id)


@pytest.mark.parametrize("step", ["call.last_byte", "spool.synced", "receive.after_commit", "finish.parsed"])
def test_the_reaper_and_the_thread_that_finish_one_late_answer_make_one_story(
    workbench: Callable[..., Workbench], provider: Provider, step: str
) -> None:
    """Whichever comes second finds it done; so does a third, in the middle of the reaper's own."""
    house = workbench()

    def come_by() -> None:
        house.at.setdefault("finish.parsed", lambda: take_back_overdue(house.parts))
        take_back_overdue(house.parts)

    house.at |= {"call.mid_body": house.lose_the_claim, step: come_by}
    job = house.told()
    assert (job.status, house.call(job.id).status, house.call(job.id).spent_micros) == ("completed", "settled", USED)
    assert house.heard.count("receive.after_commit") <= 2 and house.heard.count("finish.after_commit") == 1
    assert len(provider.requests()) == 1 and house.parts.spool.kept() == []


@pytest.mark.parametrize("recover", [take_back_overdue, recover_dead])
def test_an_answer_that_cannot_be_finished_does_not_keep_the_next_from_it(
    workbench: Callable[..., Workbench], recover: Callable[[Parts], None], caplog: pytest.LogCaptureFixture
) -> None:
    house = workbench()
    file = _late_and_busy(house, "receive")
    path = house.database.path.parent / "spool" / f"{file}-1"
    path.unlink()
    path.mkdir()
    row = _late_and_busy(house, "finish")
    with house.database.transaction("poison") as tx:
        tx.execute("UPDATE calls SET raw = x'ff00' WHERE job_id = :job", {"job": row})
    house.resume()
    whole = _late_and_busy(house, "finish")
    for _ in range(3):
        recover(house.parts)
    assert [caplog.text.count(f"job={job_id} recovery=") for job_id in (file, row, whole)] == [1, 1, 0]
    assert [house.job(job_id).status for job_id in (file, row, whole)] == ["failed", "failed", "completed"]


def test_an_answer_that_still_arrives_is_left_to_its_thread(workbench: Callable[..., Workbench]) -> None:
    house, kept = workbench(), []

    def come_by() -> None:
        take_back_overdue(house.parts)
        kept.append((house.call(1).status, house.parts.spool.kept()))

    house.at |= {"call.first_byte": house.lose_the_claim, "call.mid_body": come_by}
    assert house.told().status == "completed"
    assert kept == [("unknown", [(1, 1)])]
