"""Providers that are not there, that are free, that limit us without end, or that nobody knows the price of."""

import socket
from collections.abc import Callable, Iterator

import pytest
from provider import Provider
from workbench import NOW, Workbench

from bedtime.model import Price

FREE = Price(0, 0)


@pytest.fixture(params=["refused", "certificate", "connect time-out"])
def unreachable(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a server to which not one byte of a request gets through."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listening:
        port = listening.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        if request.param == "refused":
            listening.close()
        if request.param == "connect time-out":
            for one in waiting:
                one.setblocking(False)
                one.connect_ex(("127.0.0.1", port))
        yield f"http{'s' if request.param == 'certificate' else ''}://127.0.0.1:{port}/v1"
        for one in waiting:
            one.close()


def test_a_wish_waits_as_long_as_nobody_can_be_reached_and_counts_no_failure(
    workbench: Callable[..., Workbench], unreachable: str
) -> None:
    house = workbench(url=unreachable, connect_seconds=0.3, total_seconds=0.6, max_failures=2)
    job_id, waits = house.ask(), []
    for _ in range(8):
        assert house.tell()
        job = house.job(job_id)
        assert (job.status, job.failures, job.error_code, job.sent_at) == ("pending", 0, "not_reached", None)
        assert house.call(job_id).status == "refused" and house.committed() == 0
        waits.append(job.run_after - house.now)
        assert not house.tell(), "not before it is due"
        house.now = job.run_after
    assert waits == [3.75, 7.5, 15, 30, 60, 120, 225, 225], "three quarters of 5 s, doubling to 300"
    assert house.paused() is None


# --- free, and without a price --------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["status:500", "status:408", "reset_after_read", "cut_stream", "empty200", "html200"])
def test_a_free_provider_is_simply_asked_again_until_too_much_went_wrong(
    workbench: Callable[..., Workbench], provider: Provider, mode: str
) -> None:
    house = workbench(price=FREE, max_failures=3)
    provider.set_mode(mode)
    job_id, seen = house.ask(), []
    while house.tell():
        job = house.job(job_id)
        seen.append((job.status, job.error_code, job.failures, job.run_after - house.now))
        assert house.call(job_id).status == "refused" and house.call(job_id).reserved_micros == 0
        house.now = max(house.now, job.run_after)
    assert seen[:2] == [("pending", "cut_off", 1, 3.75), ("pending", "cut_off", 2, 7.5)]
    assert seen[2][:3] == ("failed", "gave_up", 3) and len(seen) == 3
    assert house.paused() is None and len(provider.requests()) == 3


def test_a_free_provider_that_broke_off_once_tells_the_story_at_the_next_try(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    house = workbench(price=FREE)
    provider.queue("cut_stream", "ok")
    job_id = house.ask()
    assert house.tell()
    house.now = house.job(job_id).run_after
    assert house.tell() and house.job(job_id).status == "completed"
    assert house.call(job_id).spent_micros == 0 and house.text(job_id)


def test_a_free_call_whose_claim_was_lost_is_told_at_the_next_try(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    house = workbench(price=FREE)
    house.at["call.mid_body"] = house.lose_the_claim
    job = house.told()
    assert (job.status, job.failures, house.call(job.id).status) == ("pending", 1, "refused")
    assert house.tell() and house.job(job.id).status == "completed"
    assert house.text(job.id) and house.parts.spool.kept() == []


def test_limits_that_go_on_end_in_a_dead_letter_that_cost_nothing(
    workbench: Callable[..., Workbench], provider: Provider
) -> None:
    house = workbench(max_failures=3)
    provider.set_mode("429")
    job_id = house.ask()
    while house.tell():
        house.now = max(house.now, house.job(job_id).run_after)
    job = house.job(job_id)
    assert (job.status, job.error_code, job.failures) == ("failed", "gave_up", 3)
    assert provider.bills() == [] and house.committed() == 0


def test_a_model_that_nobody_knows_the_price_of_is_not_called(workbench: Callable[..., Workbench]) -> None:
    house = workbench(url="https://api.example.com/v1", price=None)
    job = house.told()
    assert (job.status, job.error_code, job.sent_at, job.failures) == ("pending", "price", None, 0)
    assert house.paused() == "price" and house.committed() == 0
    assert "mark.after_commit" not in house.heard and "call.sent" not in house.heard and house.now == NOW
