"""Many at once: processes that claim, thumbs that press, phones that send one form, and the edge of the cap."""

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import requests
from provider import Provider
from queue_rules import NOW, Queue
from running import Running, eventually
from test_asking import RULES, ask, rows

from bedtime import asking, jobs
from bedtime.db import Database
from bedtime.errors import QueueFull

ROOT = Path(__file__).parent.parent

CLAIMS = """
import sys
from pathlib import Path
from bedtime import jobs
from bedtime.db import Database
database = Database(Path(sys.argv[1]), lock_seconds=60.0)
database.open()
print("ready", flush=True)
sys.stdin.readline()
while True:
    with database.transaction("claim") as tx:
        job = jobs.claim(tx, "stories", worker=sys.argv[2], lease_seconds=60.0, now=1000000.0)
    if job is None:
        break
    print(job.id, job.attempts, flush=True)
"""


def test_eight_processes_claim_four_hundred_jobs_each_of_them_once(database: Database, queue: Queue) -> None:
    with database.transaction("enqueue") as tx:
        for _ in range(400):
            jobs.enqueue(tx, "stories", "write_story", {}, now=NOW)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIMS, str(database.path), str(number)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    for process in processes:
        assert process.stdout and process.stdout.readline() == "ready\n"
    claimed = [line for process in _started(processes) for line in process.communicate(timeout=120)[0].splitlines()]
    assert [process.returncode for process in processes] == [0] * 8
    assert sorted(claimed, key=lambda line: int(line.split()[0])) == [f"{number} 1" for number in range(1, 401)]
    assert len({queue.get(number).claimed_by for number in range(1, 401)}) > 1, "more than one of them had a turn"


def _started(processes: list[subprocess.Popen[str]]) -> list[subprocess.Popen[str]]:
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    return processes


def at_once(times: int, act: Callable[[int], object]) -> list[Any]:
    """What each of `times` threads got, who all go at the same moment."""
    gate, got = threading.Barrier(times), list[Any]()

    def press(number: int) -> None:
        gate.wait()
        got.append(act(number))

    threads = [threading.Thread(target=press, args=(number,)) for number in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return got


def or_full(database: Database, act: Callable[[], object]) -> object:
    try:
        return act()
    except QueueFull:
        return "full"
    finally:
        database.close()


def test_fifty_presses_at_the_bound_admit_exactly_eight(database: Database, queue: Queue) -> None:
    told = at_once(50, lambda number: or_full(database, lambda: ask(database, key=str(number)).job_id))
    assert (told.count("full"), len(set(told))) == (42, 9)
    assert rows(queue) == (8, 8, 1)


def test_fifty_presses_with_one_key_make_one_request_and_one_job(database: Database, queue: Queue) -> None:
    told = at_once(50, lambda number: or_full(database, lambda: ask(database).job_id))
    assert told == [1] * 50
    assert rows(queue) == (1, 1, 1)


def test_fifty_presses_of_ask_again_make_one_job(database: Database, queue: Queue) -> None:
    ask(database)
    assert asking.cancel(database, 1, now=NOW)
    told = at_once(50, lambda number: or_full(database, lambda: asking.ask_again(database, 1, rules=RULES, now=NOW)))
    assert told == [2] * 50
    assert rows(queue) == (1, 2, 1)


# --- over the wire ----------------------------------------------------------------------------------


def each_alone(house: Running) -> Running:
    """The same house for one more browser: no connection and no cookie is shared."""
    browser = Running(house.folder)
    browser.url = house.url
    return browser


def codes(answers: list[requests.Response]) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


def test_fifty_scripts_at_the_bound_are_told_apart_and_eight_stories_are_told(
    paid: Callable[..., Running], provider: Provider
) -> None:
    """Nothing is claimed while the provider hangs on the first, so exactly eight more fit in."""
    provider.queue("hang")
    house = paid()
    first = house.asked()
    provider.wait_for(1)
    answers = at_once(50, lambda number: each_alone(house).ask(f"key-{number}"))
    assert codes(answers) == {202: 8, 429: 42}
    assert all("Retry-After" in answer.headers for answer in answers if answer.status_code == 429)
    provider.release()
    taken = [first, *(int(answer.json()["job_id"]) for answer in answers if answer.status_code == 202)]
    assert [house.ended(job_id)["status"] for job_id in taken] == ["completed"] * 9
    assert len(provider.bills()) == 9


def test_two_phones_with_one_form_get_one_story_and_one_bill(paid: Callable[..., Running], provider: Provider) -> None:
    """The page was opened on one of them and sent from both, as a form, again and again."""
    house = paid()
    form = {"nickname": "Mia", "band": "4-5", "pronouns": "she", "minutes": "3", "idempotency_key": "one-form"}

    def press(number: int) -> requests.Response:
        return each_alone(house).post("/stories/generate", data=form, headers={"Accept": "text/html"})

    answers = at_once(20, press)
    assert codes(answers) == {303: 20}
    places = {answer.headers["Location"] for answer in answers}
    assert len(places) == 1
    job_id = int(places.pop().rsplit("/", 1)[1])
    assert house.ended(job_id)["status"] == "completed"
    assert press(0).headers["Location"].endswith(f"/{job_id}"), "an old tab, afterwards"
    assert (len(provider.bills()), len(house.rows("SELECT 1 FROM jobs"))) == (1, 1)


def test_one_key_with_two_wishes_at_once_buys_only_one_of_them(
    paid: Callable[..., Running], provider: Provider
) -> None:
    house = paid()
    answers = at_once(10, lambda number: each_alone(house).ask("one", idea=f"wish {number % 2}"))
    assert codes(answers) == {202: 5, 422: 5}
    accepted = {int(answer.json()["job_id"]) for answer in answers if answer.status_code == 202}
    assert len(accepted) == 1
    house.ended(accepted.pop())
    assert len(provider.bills()) == 1


def test_eight_workers_at_the_edge_of_the_cap_stay_under_it(paid: Callable[..., Running], provider: Provider) -> None:
    """Each call sets its worst case aside before it is sent, so fewer are sent at once than would fit in the end."""
    provider.set_mode("hang")
    house = paid(workers=8, llm_max_tokens=10000, price_in=0, price_out=10, monthly_cap="0.35")
    asked = [int(answer.json()["job_id"]) for answer in at_once(8, lambda number: each_alone(house).ask(str(number)))]
    provider.wait_for(3)
    eventually(lambda: _failed(house) == 5, what="five that did not fit")
    assert len(provider.requests()) == 3
    assert _reserved(house) == [100_000] * 3
    provider.release()
    ended = Counter((job["status"], job["error_code"]) for job in map(house.ended, asked))
    assert ended == {("completed", None): 3, ("failed", "over_budget"): 5}
    assert len(provider.bills()) == 3


def test_fifty_presses_at_the_edge_of_the_cap_buy_what_fits(paid: Callable[..., Running], provider: Provider) -> None:
    """Three worst cases fit at once; what comes when a story has cost less may fit as well, and nothing is beyond the cap."""
    house = paid(workers=8, queue_max=50, llm_max_tokens=10000, price_in=0, price_out=10, monthly_cap="0.35")
    answers = at_once(50, lambda number: each_alone(house).ask(str(number)))
    assert codes(answers) == {202: 50}
    ended = Counter(house.ended(int(answer.json()["job_id"]))["error_code"] for answer in answers)
    assert set(ended) == {None, "over_budget"} and ended.total() == 50
    assert ended[None] == len(provider.bills()) >= 3
    spent = house.rows("SELECT sum(coalesce(spent_micros, reserved_micros)) AS micros FROM calls")[0]["micros"]
    assert 0 < spent <= 350_000


def _failed(house: Running) -> int:
    return len(house.rows("SELECT 1 FROM jobs WHERE status = 'failed' AND error_code = 'over_budget'"))


def _reserved(house: Running) -> list[int]:
    return [row["reserved_micros"] for row in house.rows("SELECT reserved_micros FROM calls WHERE status = 'sending'")]
