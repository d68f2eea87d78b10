"""The log: one line for each change of a job's status, with its reason."""

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
import requests
from logbook import changes, lines, logged
from provider import Provider
from running import Running, eventually
from terminal import flask, said


def test_a_story_that_is_told_leaves_three_lines(paid: Callable[..., Running]) -> None:
    house = paid()
    job_id = house.ended(house.asked())["job_id"]
    logged(house, job_id, "completed attempt=1")
    assert sorted(changes(house, job_id)) == [
        "completed attempt=1",
        "pending queue=stories",
        "running kind=write_story attempt=1",
    ]


def test_a_replay_and_a_poll_leave_no_line(paid: Callable[..., Running]) -> None:
    house = paid()
    job_id = house.ended(house.asked(key="again"))["job_id"]
    logged(house, job_id, "completed.*")
    before = lines(house)
    house.asked(key="again")
    house.job(job_id)
    assert lines(house) == before


ENDS: list[tuple[str, tuple[str, ...]]] = [
    ("status:400", ("running .*", "failed reason=refused attempt=1")),
    ("refusal", ("running .*", "failed reason=refused attempt=1")),
    ("null_content", ("running .*", "failed reason=unreadable attempt=1")),
    ("reset_in", ("running .*", "failed reason=maybe_billed attempt=1")),
    ("429:1", ("pending reason=limited attempt=1", "running .* attempt=2", "completed attempt=2")),
    ("status:401", ("pending reason=key attempt=1",)),
    ("429:quota", ("pending reason=quota attempt=1",)),
]


@pytest.mark.parametrize(("mode", "wanted"), ENDS, ids=[mode for mode, _ in ENDS])
def test_each_change_of_a_job_is_a_line(
    paid: Callable[..., Running], provider: Provider, mode: str, wanted: tuple[str, ...]
) -> None:
    provider.queue(mode)
    house = paid()
    job_id = house.asked()
    logged(house, job_id, "pending queue=stories", *wanted)
    if mode in ("status:401", "429:quota"):
        eventually(lambda: " queue=stories status=paused reason=" in house.log.read_text())


def test_giving_up_is_told_as_giving_up(paid: Callable[..., Running], provider: Provider) -> None:
    provider.set_mode("429:1")
    house = paid(max_failures=1)
    job_id = house.ended(house.asked())["job_id"]
    logged(house, job_id, "failed reason=gave_up attempt=1")
    assert not any(line.startswith("pending reason") for line in changes(house, job_id))


def test_calling_off_asking_again_and_a_tale_are_lines(paid: Callable[..., Running]) -> None:
    house = paid()
    said(flask(house, "jobs", "pause"), 0)
    job_id = house.asked()
    tale = int(house.post(f"/stories/jobs/{job_id}/tale").headers["Location"].rpartition("/")[2])
    logged(house, tale, f"pending queue=book instead_of={job_id}", "completed .*")
    house.post(f"/stories/jobs/{job_id}/cancel")
    logged(house, job_id, "cancelled")
    again = int(house.post(f"/stories/jobs/{job_id}/again").headers["Location"].rpartition("/")[2])
    logged(house, again, f"pending queue=stories retry_of={job_id}")


def test_an_expiry_is_a_line(paid: Callable[..., Running]) -> None:
    house = paid(expiry_hours="0.0001", reap_seconds="0.1", llm_url="http://127.0.0.1:9/v1")
    said(flask(house, "jobs", "pause"), 0)
    logged(house, house.asked(), "failed reason=expired")


def test_a_job_that_a_dead_process_left_is_a_line(tmp_path: Path, provider: Provider) -> None:
    settings = {"llm_url": provider.url, "llm_model": "m", "price_in": "1", "price_out": "4"}
    with Running(tmp_path / "house", **settings).start(crash_at="spool.reserved") as house:
        with contextlib.suppress(requests.ConnectionError):  # it may die before it has answered
            house.asked()
        house.wait()
        house.start()
        logged(house, 1, "pending reason=reaped attempt=1", "completed attempt=2")
