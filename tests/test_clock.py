"""The clock on the wall jumps by three days while the house runs: nothing is lost, nothing bought twice, nothing put off."""

from collections.abc import Callable

import pytest
from provider import Provider
from workbench import DAY, NOW, Workbench

from bedtime import asking
from bedtime.asking import AskRules
from bedtime.model import STORIES, WRITE_STORY, Job, Listener, Wish
from bedtime.reaper import Reaper
from bedtime.telling import take_back_overdue

Benches = Callable[..., Workbench]
STEPS = ["mark.after_commit", "call.first_byte", "spool.synced", "receive.after_commit", "finish.parsed"]
HALF_A_DAY = AskRules(STORIES, WRITE_STORY, queue_max=8, expiry_seconds=DAY / 2)
WISH = Wish((Listener("Mia", "4-5", "she"),), minutes=3)


def tick(house: Workbench) -> None:
    """What the reaper does every fifteen seconds."""
    Reaper(house.database, lambda: take_back_overdue(house.parts), seconds=15, clock=lambda: house.now).step()


def jump(house: Workbench, days: float) -> Callable[[], None]:
    def act() -> None:
        house.now += days * DAY
        tick(house)

    return act


@pytest.mark.parametrize("step", STEPS)
def test_three_days_forward_in_mid_call_lose_no_answer_and_buy_nothing_twice(
    workbench: Benches, provider: Provider, step: str
) -> None:
    """The reaper takes the claim for overdue; the answer comes all the same."""
    house = workbench()
    house.at[step] = jump(house, 3)
    assert told_once(house, provider).completed_at == NOW + 3 * DAY


@pytest.mark.parametrize("step", STEPS)
def test_three_days_back_in_mid_call_lose_no_answer_and_buy_nothing_twice(
    workbench: Benches, provider: Provider, step: str
) -> None:
    house = workbench()
    house.at[step] = jump(house, -3)
    told_once(house, provider)


def test_three_days_forward_while_it_waits_end_it_unbought(workbench: Benches, provider: Provider) -> None:
    house = workbench()
    job_id = asking.ask(house.database, WISH, key="k", rules=HALF_A_DAY, now=house.now).job_id
    house.now += 3 * DAY
    assert not house.tell(), "nobody waits for it any more, also before the reaper saw that"
    tick(house)
    assert (house.job(job_id).status, house.job(job_id).error_code) == ("failed", "expired")
    assert provider.requests() == []
    house.now -= 3 * DAY
    assert house.job(house.ask_again(job_id)).status == "pending" and house.tell()
    assert len(provider.bills()) == 1


def test_three_days_back_between_two_wishes_change_no_order(workbench: Benches, provider: Provider) -> None:
    """What was asked for before the clock was set back is not put off by the three days until then."""
    house = workbench()
    first = house.ask()
    house.now -= 3 * DAY
    second = house.ask()
    tick(house)
    assert house.tell() and house.job(first).status == "completed"
    assert house.tell() and house.job(second).status == "completed"
    assert len(provider.bills()) == 2


def test_a_wait_that_was_begun_before_the_clock_was_set_back_is_over_within_the_hour(
    workbench: Benches, provider: Provider
) -> None:
    house = workbench()
    provider.queue("429:1")
    job_id = house.ask()
    assert house.tell() and house.job(job_id).error_code == "limited"
    house.now -= 3 * DAY
    tick(house)
    assert house.tell() and house.job(job_id).status == "completed"


def test_a_wait_that_a_provider_asked_for_is_kept_however_long_it_is(workbench: Benches, provider: Provider) -> None:
    house = workbench()
    provider.queue("429:3600")
    job_id = house.ask()
    assert house.tell()
    for _ in range(3):
        tick(house)
        assert not house.tell()
        house.now += 1000
    house.now += 700
    assert house.tell() and house.job(job_id).status == "completed"


def told_once(house: Workbench, provider: Provider) -> Job:
    job_id = house.ask()
    assert house.tell()
    tick(house)
    job = house.job(job_id)
    assert (job.status, house.call(job_id).status) == ("completed", "settled")
    assert house.text(job_id) and len(provider.requests()) == len(provider.bills()) == 1
    assert not house.tell(), "and there is nothing left to do"
    return job
