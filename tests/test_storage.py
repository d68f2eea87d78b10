"""Disks that are full, or fill up in mid-call: a clear sentence, nothing lost, nothing bought twice, no 500."""

import resource
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
import requests
from disks import is_sound, no_bug, says_busy, small_disk
from provider import Provider
from running import Running, eventually
from workbench import Workbench

FORM = {"nickname": "Mia", "band": "4-5", "pronouns": "she", "minutes": "3", "idea": "a shy dragon"}


def press(house: Running, key: str) -> requests.Response:
    return house.post("/stories/generate", data={**FORM, "idempotency_key": key}, headers={"Accept": "text/html"})


def test_a_full_disk_answers_503_and_keeps_every_wish_that_was_accepted(
    household: Callable[..., Running], tmp_path: Path
) -> None:
    with small_disk(tmp_path / "house", mib=2) as disk:
        house = household(
            lease_seconds=3, reap_seconds=1
        )  # what was claimed when the disk filled up waits for its lease
        assert house.process
        accepted = [house.asked()]
        disk.fill(house.process.pid)
        answers = fill_up(house, accepted)
        says_busy(answers, "Nothing was lost and nothing was spent")
        key = uuid.uuid4().hex
        says_busy(press(house, key), "Try again in a few seconds")
        assert [house.get(path, headers={"Accept": "text/html"}).status_code for path in ("/", "/stories")] == [
            200,
            200,
        ]

        disk.empty(house.process.pid)
        assert press(house, key).status_code == 303, "the key was not used up"
        assert {house.ended(job_id, seconds=90)["status"] for job_id in accepted} == {"completed"}
        is_sound(house)
        no_bug(house)
        house.__exit__()


def fill_up(house: Running, accepted: list[int]) -> requests.Response:
    """Ask until there is no room; the first answer that is not 202."""
    for _ in range(200):
        answer = house.ask()
        if answer.status_code not in (202, 429):
            return answer
        if answer.status_code == 202:
            accepted.append(answer.json()["job_id"])
    raise AssertionError("the disk never was full")


def test_a_process_that_may_not_write_more_says_so_and_goes_on_when_it_may(household: Callable[..., Running]) -> None:
    house = household()
    assert house.process
    first = house.asked()
    house.ended(first)
    limits = resource.prlimit(house.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(house.process.pid, resource.RLIMIT_FSIZE, (4096, limits[1]))
    key = uuid.uuid4().hex
    says_busy(house.ask(key), "the disk may be full")
    assert house.get("/").status_code == 200
    resource.prlimit(house.process.pid, resource.RLIMIT_FSIZE, limits)
    answer = house.ask(key)
    assert answer.status_code == 202 and house.ended(answer.json()["job_id"])["status"] == "completed"
    is_sound(house)
    no_bug(house)


def test_without_room_for_the_answer_nothing_is_bought_and_it_is_told_when_there_is_room(
    provider: Provider, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "house", mib=6) as disk:  # the spool sets 9 aside
        house = Workbench(tmp_path / "house", provider)
        job = house.told()
        assert (job.status, job.error_code, job.failures, job.sent_at) == ("pending", "disk_full", 0, None)
        assert provider.requests() == [] and house.parts.spool.kept() == [] and house.committed() == 0
        disk.grow(16)
        assert not house.tell(), "after a minute, not before"
        house.now = job.run_after
        assert house.tell() and house.job(job.id).status == "completed" and len(provider.bills()) == 1
        house.database.close()


@pytest.mark.parametrize("step", ["call.sent", "call.mid_body", "spool.synced"])
def test_a_disk_that_fills_up_after_the_mark_keeps_the_answer_and_finishes_when_there_is_room(
    provider: Provider, tmp_path: Path, step: str
) -> None:
    with small_disk(tmp_path / "house", mib=12) as disk:
        house = Workbench(tmp_path / "house", provider)
        house.at[step] = disk.fill
        job_id = house.ask()
        assert house.tell()
        assert house.call(job_id).status == "sending" and len(house.parts.spool.kept()) == 1
        disk.empty()
        house.lose_the_claim()
        assert house.job(job_id).status == "completed" and (house.text(job_id) or "").endswith("closed its eye.")
        assert len(provider.requests()) == 1 and house.parts.spool.kept() == []
        house.database.close()


def test_a_house_whose_disk_filled_up_in_mid_call_has_the_story_after_a_restart(
    household: Callable[..., Running], paid: Callable[..., Running], provider: Provider, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "house", mib=12) as disk:
        house = paid()
        house.kill()
        house.start(hold_at="call.last_byte")
        job_id = house.asked()
        eventually(house.hold.exists, what="the last byte")
        assert house.process
        disk.fill(house.process.pid)
        house.hold.unlink()
        eventually(lambda: "disk is full" in house.log.read_text(), what="a full disk")
        page = house.get(f"/stories/jobs/{job_id}", headers={"Accept": "text/html"})
        assert page.status_code == 200 and house.job(job_id)["status"] == "running"
        disk.empty(house.process.pid)
        house.kill()
        house.start()
        assert house.ended(job_id)["status"] == "completed" and len(provider.bills()) == 1
        no_bug(house)
        house.__exit__()
