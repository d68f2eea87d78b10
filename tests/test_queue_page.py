"""The queue as a grown-up sees it: what waits, what came to nothing and what to do about it; one set of numbers for all."""

import datetime
import re
from collections.abc import Callable

import pytest
from provider import Provider
from queue_rules import NOW, Queue
from running import Running, eventually
from terminal import flask, said

from bedtime import jobs

Houses = Callable[..., Running]

HTML = {"Accept": "text/html"}


def page_of(house: Running, query: str = "") -> str:
    answer = house.get(f"/queue{query}", headers=HTML)
    assert answer.status_code == 200
    return answer.text


def section(page: str, name: str) -> str:
    """What stands under one heading."""
    return page.split(f'aria-labelledby="{name}"')[1].split("</section>")[0]


def test_what_waits_and_what_is_told_stand_there_and_can_be_called_off(paid: Houses, provider: Provider) -> None:
    provider.set_mode("hang_mid@0.02")
    house = paid()
    first = house.asked(idea="the first one")
    house.until(first, lambda job: job["words"])
    second = house.asked(idea="the second <b>one</b>")
    now = section(page_of(house), "waiting")
    assert now.index("the first one") < now.index("the second &lt;b&gt;one")
    assert re.search(r"Being told: \d+ of about 360 words", now) and "Next." in now
    assert re.findall(r'action="([^"]+)"', now) == [f"/stories/jobs/{second}/cancel"], "what is being paid for goes on"
    assert house.post(f"/stories/jobs/{second}/cancel").status_code == 303
    assert "the second" not in section(page_of(house), "waiting")
    page = house.get(f"/stories/jobs/{second}", headers=HTML).text
    assert "Called off" in page and f'action="/stories/jobs/{second}/again"' in page, "it can be taken up again"
    answer = house.post(f"/stories/jobs/{second}/again")
    assert answer.status_code == 303
    assert answer.headers["Location"] in house.get(f"/stories/jobs/{second}", headers=HTML).text
    provider.release()


def test_a_dead_letter_has_its_reason_and_what_can_be_done(paid: Houses, provider: Provider) -> None:
    provider.queue("status:400", "cut_stream", "null_content")
    house = paid()
    ended = [house.ended(house.asked(idea=idea))["job_id"] for idea in ("refused", "lost", "empty")]
    dead = section(page_of(house), "dead")
    assert [dead.count(words) for words in ("would not tell this one", "may have been billed", "no story in it")] == [
        1,
        1,
        1,
    ]
    assert "127.0.0.1 answered 400: The provider said no.<" in dead
    assert re.findall(r'action="([^"]+)/again"', dead) == [f"/stories/jobs/{ended[2]}", f"/stories/jobs/{ended[0]}"]
    assert "See what arrived, and decide" in dead, "asking again for what may have been billed is no single press"
    assert house.post(f"/stories/jobs/{ended[0]}/again").status_code == 303
    assert house.post(f"/stories/jobs/{ended[2]}/tale").status_code == 303
    dead = section(page_of(house), "dead")
    assert "Asked again: open it" in dead and dead.count("/again") == 1


def test_dead_letters_go_on_by_pages_and_stand_there_once(queue: Queue) -> None:
    for _ in range(5):
        job = queue.held()
        queue.do(lambda tx, job=job: jobs.fail(tx, job, code="refused", text="no", now=NOW))
    first = queue.read(lambda db: jobs.dead_letters(db, before=None, most=3))
    rest = queue.read(lambda db: jobs.dead_letters(db, before=first[-1].id, most=3))
    assert [job.id for job in [*first, *rest]] == [5, 4, 3, 2, 1]


def test_a_grown_up_pauses_and_resumes_with_the_reason_on_the_page(paid: Houses, provider: Provider) -> None:
    house = paid()
    assert "Pause it" in page_of(house)
    assert house.post("/queues/stories/pause").headers["Location"] == "/queue"
    job_id = house.asked()
    page = page_of(house)
    assert "A grown-up has paused the storyteller." in page and "Waits until somebody resumes." in page
    assert "Pause it" not in page and provider.requests() == []
    assert house.post("/queues/stories/resume", data={"next": "/queue"}).headers["Location"] == "/queue"
    assert house.ended(job_id)["status"] == "completed"
    assert house.post("/queues/stories/resume", data={"next": "//evil.example"}).headers["Location"] == "/"
    for name in ("book", "chores", "nobody"):
        for verb in ("pause", "resume"):
            assert house.post(f"/queues/{name}/{verb}").status_code == 404


def test_page_command_and_metrics_say_the_same_numbers(paid: Houses, provider: Provider) -> None:
    provider.queue("ok", "ok", "status:400", "cut_stream", "hang")
    house = paid()
    for _ in range(4):
        house.ended(house.asked())
    running = house.asked()
    house.until(running, lambda job: job["status"] == "running")
    house.asked()
    house.asked()
    view = house.rows("SELECT pending, running, failed FROM queue_now WHERE name = 'stories'")[0]
    assert tuple(view.values()) == (2, 1, 2)
    figures = section(page_of(house), "queue-stories")
    assert re.findall(r"<dd>(\d+)</dd>", figures)[:3] == ["2", "1", "2"]
    reasons = "the answer was lost on the way and may have been paid for (1), the storyteller would not tell it (1)"
    assert f"Came to nothing because: {reasons}." in figures
    line = re.search(r"^stories +(\d+) +(\d+) +(\d+) ", said(flask(house, "jobs", "list"), 0), re.MULTILINE)
    assert line and line.groups() == ("2", "1", "2")
    metrics = house.get("/metrics").text
    for name, number in view.items():
        assert f'bedtime_queue_{name}{{queue="stories"}} {number}\n' in metrics
    provider.release()


def test_a_house_without_an_llm_has_a_queue_page_too(household: Houses) -> None:
    house = household()
    house.ended(house.asked())
    page = page_of(house)
    assert "The built-in book" in page and "The storyteller" not in page
    assert re.search(r"Today</th><td>1<", page)


@pytest.mark.parametrize("query", ["?before=x", f"?before={10**30}", "?before=-1", "?before=0"])
def test_a_page_of_dead_letters_that_is_none_is_no_fault(household: Houses, query: str) -> None:
    assert household().get(f"/queue{query}").status_code == 200


# --- figures --------------------------------------------------------------------------------------


def done(queue: Queue, seconds: float, *, at: float = NOW) -> None:
    job = queue.held(now=at)
    queue.do(lambda tx: jobs.complete(tx, job, now=NOW + seconds))


def test_usual_time_and_the_95th_of_100_are_of_completed_jobs(queue: Queue) -> None:
    assert queue.read(lambda db: jobs.times(db, "stories")) is None
    for seconds in range(1, 101):
        done(queue, seconds)
    failed = queue.held()
    queue.do(lambda tx: jobs.fail(tx, failed, code="refused", text="no", now=NOW + 10_000))
    times = queue.read(lambda db: jobs.times(db, "stories"))
    assert (times.mean, times.slow, times.jobs) == (50.5, 95, 100)
    assert queue.read(lambda db: jobs.times(db, "book")) is None


def test_a_clock_that_was_set_back_gives_no_time_below_nothing(queue: Queue) -> None:
    done(queue, -100)
    assert queue.read(lambda db: jobs.times(db, "stories")) is None


def test_only_what_was_completed_counts_as_done_that_day(queue: Queue) -> None:
    day = datetime.timedelta(days=1).total_seconds()
    for seconds in (0, day - 1, day, 2 * day):
        done(queue, seconds)
    assert queue.read(lambda db: jobs.done_since(db, since=NOW + day)) == [NOW + day, NOW + 2 * day]


def test_counts_by_status_and_reason(queue: Queue) -> None:
    done(queue, 1)
    for code in ("refused", "refused", "unreadable"):
        job = queue.held()
        queue.do(lambda tx, job=job, code=code: jobs.fail(tx, job, code=code, text="no", now=NOW))
    queue.add()
    assert queue.read(jobs.counts) == [("stories", "completed", 1), ("stories", "failed", 3), ("stories", "pending", 1)]
    assert queue.read(jobs.failed_by_code) == [("stories", "refused", 2), ("stories", "unreadable", 1)]


def test_a_pause_by_a_person_is_seen_by_the_page_at_once(household: Houses) -> None:
    house = household()
    assert said(flask(house, "jobs", "pause"), 0)
    assert eventually(lambda: "A grown-up has paused" in page_of(house))
