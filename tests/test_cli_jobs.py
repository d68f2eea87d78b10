"""`flask jobs`: the queue as it is, one job, and what may be done with it, beside a server and without one."""

import json
import subprocess
from collections.abc import Callable

import pytest
from provider import Provider
from running import Running
from terminal import flask, said, starting


def test_list_counts_and_gives_reasons_without_a_name_or_a_wish(
    paid: Callable[..., Running], provider: Provider
) -> None:
    house = paid()
    for mode in ("ok", "status:400", "reset_in"):
        provider.queue(mode)
        house.ended(house.asked(idea="zorblatt"))
    said(flask(house, "jobs", "pause"), 0)
    house.asked()
    text = said(flask(house, "jobs", "list"), 0)
    assert next(line for line in text.splitlines() if line.startswith("stories ")).split()[:4] == [
        "stories",
        "1",
        "0",
        "2",
    ]
    assert "stories is paused (hand)" in text
    jobs = [line.split()[:4] for line in text.splitlines() if line.strip()[:1].isdigit()]
    assert [job[:3] for job in jobs] == [
        ["4", "stories", "pending"],
        ["3", "stories", "failed"],
        ["2", "stories", "failed"],
        ["1", "stories", "completed"],
    ]
    assert (jobs[1][3], jobs[2][3]) == ("maybe_billed", "refused")
    assert "Mia" not in text and "zorblatt" not in text
    failed = said(flask(house, "jobs", "list", "--status", "failed", "--most", "1"), 0)
    assert ("maybe_billed" in failed, "refused" in failed) == (True, False)


def test_show_is_what_the_api_says(paid: Callable[..., Running]) -> None:
    house = paid()
    house.ended(house.asked())
    shown = json.loads(said(flask(house, "jobs", "show", "1", "--json"), 0))
    assert shown == house.job(1)
    text = said(flask(house, "jobs", "show", "1"), 0)
    assert "It is on the shelf." in text and "/stories/1" in text and "less than" in text


def test_a_cancelled_job_is_asked_again_once_however_often_it_is_said(paid: Callable[..., Running]) -> None:
    house = paid()
    said(flask(house, "jobs", "pause"), 0)
    house.asked()
    assert "called off" in said(flask(house, "jobs", "cancel", "1"), 0)
    assert "ended already: cancelled" in said(flask(house, "jobs", "cancel", "1"), 1)
    both = [starting(house, "jobs", "again", "1", stdout=subprocess.PIPE) for _ in range(2)]
    printed = [process.communicate(timeout=60)[0].strip() for process in both]
    assert (printed, [process.returncode for process in both]) == (["2", "2"], [0, 0])
    assert "goes on" in said(flask(house, "jobs", "resume"), 0)
    assert house.ended(2)["status"] == "completed"


def test_two_who_call_off_at_once_call_off_once(paid: Callable[..., Running]) -> None:
    house = paid()
    said(flask(house, "jobs", "pause"), 0)
    house.asked()
    both = [starting(house, "jobs", "cancel", "1", stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    heard = [process.communicate(timeout=60) for process in both]
    assert sorted(process.returncode for process in both) == [0, 1], heard
    assert not any("Traceback" in error for _, error in heard)


def test_a_job_that_is_being_paid_for_is_not_called_off(paid: Callable[..., Running], provider: Provider) -> None:
    provider.set_mode("hang")
    house = paid()
    house.asked()
    provider.wait_for(1)
    assert "being paid for already" in said(flask(house, "jobs", "cancel", "1"), 1)
    assert "nothing to ask again" in said(flask(house, "jobs", "again", "1"), 1)
    provider.release()
    assert house.ended(1)["status"] == "completed"


def test_what_may_have_been_billed_is_asked_again_only_by_who_says_so(
    paid: Callable[..., Running], provider: Provider
) -> None:
    provider.queue("reset_in")
    house = paid()
    house.ended(house.asked())
    assert "--understood" in said(flask(house, "jobs", "again", "1"), 1)
    assert len(house.rows("SELECT 1 FROM jobs")) == 1
    said(flask(house, "jobs", "again", "1", "--understood"), 0)
    assert house.ended(2)["status"] == "completed"
    assert "job 2" in said(flask(house, "jobs", "again", "1"), 0), "what was asked again is only shown"


def test_pause_and_resume_say_what_they_did(paid: Callable[..., Running], provider: Provider) -> None:
    house = paid()
    assert "is paused" in said(flask(house, "jobs", "pause"), 0)
    assert "paused already" in said(flask(house, "jobs", "pause"), 0)
    house.asked()
    assert "goes on" in said(flask(house, "jobs", "resume"), 0)
    assert "was not paused" in said(flask(house, "jobs", "resume"), 0)
    house.ended(1)
    assert len(provider.bills()) == 1


def test_a_pause_keeps_the_first_reason(paid: Callable[..., Running], provider: Provider) -> None:
    provider.set_mode("status:402")
    house = paid()
    house.until(house.asked(), lambda job: "account there is empty" in job["message"])
    assert "paused already" in said(flask(house, "jobs", "pause"), 0)
    assert "account there is empty" in said(flask(house, "jobs", "show", "1"), 0)


@pytest.mark.parametrize("act", ["show", "cancel", "again"])
def test_an_unknown_job_is_a_sentence(stopped: Running, act: str) -> None:
    assert "999" in said(flask(stopped, "jobs", act, "999"), 1)


@pytest.mark.parametrize("number", ["0", "-1", "one", "1.5", str(2**63)])
def test_what_cannot_be_a_job_is_wrong_use(stopped: Running, number: str) -> None:
    said(flask(stopped, "jobs", "show", "--", number), 2)


def test_without_a_server_the_queue_can_be_paused_and_says_that_nobody_tells(stopped: Running) -> None:
    said(flask(stopped, "jobs", "pause"), 0)
    assert "no server runs" in said(flask(stopped, "jobs", "resume"), 0)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Running:
    house = Running(tmp_path_factory.mktemp("jobs") / "house").start()
    house.__exit__()
    return house
