"""Asking by script, row by row of the table in design.md, section 8: new, known, full, busy; test_api_keys.py has the keys."""

import fcntl
import json
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from provider import Provider
from raw import WISH, check_problem, keyed, names, requests_kept, varies
from running import MIA, Running
from terminal import flask, said

UNREACHABLE = {
    "llm_url": "http://127.0.0.1:9/v1",
    "llm_model": "storyteller-1",
    "price_in": "1",
    "price_out": "4",
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One for all that writes nothing, or writes under keys of its own."""
    with Running(tmp_path_factory.mktemp("api") / "house", queue_max=1000) as house:
        yield house


def test_a_new_key_gives_202_and_where_to_look(house: Running) -> None:
    answer = keyed(house, "new")
    asked = answer.json
    assert answer.status == 202
    assert set(asked) == {"job_id", "status", "status_url"}
    assert asked["status"] in ("pending", "running", "completed")
    assert answer.headers["Location"] == asked["status_url"] == f"/stories/jobs/{asked['job_id']}"
    assert answer.headers["Content-Type"] == "application/json"
    assert varies(answer.headers["Vary"])
    assert house.rows("SELECT id FROM jobs WHERE id = ?", asked["job_id"])


def pending(paid: Callable[..., Running], provider: Provider) -> tuple[Running, int]:
    house, _ = running(paid, provider, key="before")
    return house, house.asked(key="known")


def running(paid: Callable[..., Running], provider: Provider, key: str = "known") -> tuple[Running, int]:
    provider.set_mode("hang")
    house = paid()
    job_id = house.asked(key=key)
    provider.wait_for(1)
    return house, job_id


def ended(mode: str) -> Callable[[Callable[..., Running], Provider], tuple[Running, int]]:
    def reach(paid: Callable[..., Running], provider: Provider) -> tuple[Running, int]:
        provider.set_mode(mode)
        house = paid()
        return house, house.ended(house.asked(key="known"))["job_id"]

    return reach


def cancelled(paid: Callable[..., Running], provider: Provider) -> tuple[Running, int]:
    house, job_id = pending(paid, provider)
    house.post(f"/stories/jobs/{job_id}/cancel")
    return house, job_id


def paused(paid: Callable[..., Running], provider: Provider) -> tuple[Running, int]:
    house = paid()
    said(flask(house, "jobs", "pause"), 0)
    return house, house.asked(key="known")


def full(paid: Callable[..., Running], provider: Provider) -> tuple[Running, int]:
    house, job_id = paused(paid, provider)
    for _ in range(7):
        house.asked()
    assert house.ask().status_code == 429
    return house, job_id


STATES: list[tuple[str, Callable[..., tuple[Running, int]], str]] = [
    ("pending", pending, "pending"),
    ("running", running, "running"),
    ("completed", ended("ok"), "completed"),
    ("failed", ended("status:400"), "failed"),
    ("maybe billed", ended("reset_in"), "failed"),
    ("cancelled", cancelled, "cancelled"),
    ("paused", paused, "pending"),
    ("full", full, "pending"),
]


@pytest.mark.parametrize(("name", "reach", "status"), STATES, ids=names(STATES))
def test_a_known_key_is_answered_with_its_job_whatever_became_of_it(
    paid: Callable[..., Running], provider: Provider, name: str, reach: Callable[..., tuple[Running, int]], status: str
) -> None:
    house, job_id = reach(paid, provider)
    before, bills = requests_kept(house), len(provider.bills())
    answer = house.ask(key="known")
    assert answer.status_code == 202
    assert answer.json() == {"job_id": job_id, "status": status, "status_url": f"/stories/jobs/{job_id}"}
    assert answer.headers["Idempotent-Replayed"] == "true"
    assert (requests_kept(house), len(provider.bills())) == (before, bills)


OTHER_FIELDS: list[tuple[str, dict[str, Any]]] = [
    ("minutes", {"minutes": 4}),
    ("idea", {"idea": "another"}),
    ("mood", {"mood": "funny"}),
    ("child", {"children": [{**MIA, "band": "6-7"}]}),
    ("from the book", {"from_book": True}),
]


@pytest.mark.parametrize(("name", "fields"), OTHER_FIELDS, ids=names(OTHER_FIELDS))
def test_a_known_key_with_other_fields_writes_nothing(house: Running, name: str, fields: dict[str, Any]) -> None:
    job_id = house.asked(key=f"other {name}".replace(" ", "-"))
    before = requests_kept(house)
    answer = keyed(house, f"other {name}".replace(" ", "-"), json.dumps({**WISH, **fields}).encode())
    assert check_problem(answer, 422, "key-reused", "job_id")["job_id"] == job_id
    assert requests_kept(house) == before


def test_fields_that_mean_the_same_are_the_same_fields(house: Running) -> None:
    spelled = {"idea": " a  shy\tdragon ", "mood": "calm", "language": "EN", "lesson": None, "continues": None}
    first = house.asked(key="meaning", idea="a shy dragon")
    assert house.asked(key="meaning", **spelled) == first


def test_the_ninth_wish_waits_outside_with_its_key_not_used_up(household: Callable[..., Running]) -> None:
    house = household(**UNREACHABLE)
    said(flask(house, "jobs", "pause"), 0)
    jobs = [house.asked() for _ in range(8)]
    answer = keyed(house, "ninth")
    problem = check_problem(answer, 429, "queue-full")
    assert "8 wishes" in problem["detail"]
    assert int(answer.headers["Retry-After"]) > 0
    assert requests_kept(house) == 8
    house.post(f"/stories/jobs/{jobs[0]}/cancel")
    assert keyed(house, "ninth").status == 202


def test_a_busy_database_says_when_to_come_back_with_the_key_not_used_up(house: Running) -> None:
    before = requests_kept(house)
    with (house.folder / "write.lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        answer = keyed(house, "busy")
    check_problem(answer, 503, "busy")
    assert int(answer.headers["Retry-After"]) > 0
    assert requests_kept(house) == before
    accepted = keyed(house, "busy")
    assert (accepted.status, accepted.headers["Idempotent-Replayed"]) == (202, None)


def test_a_full_disk_says_so_with_the_key_not_used_up(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: it is raised again by starting anew."""
    with Running(tmp_path / "house", **UNREACHABLE).start() as house:
        said(flask(house, "jobs", "pause"), 0)
        size = sum(path.stat().st_size for path in house.folder.glob("bedtime.db*"))
        limit(house, max(size, 1))
        wish = json.dumps({**WISH, "idea": "x" * 400}).encode()
        answers = [keyed(house, f"full-{number}", wish) for number in range(8)]
        refused = [number for number, answer in enumerate(answers) if answer.status != 202]
        assert refused
        check_problem(answers[refused[0]], 503, "busy")
        assert requests_kept(house) == 8 - len(refused)
        house.kill()
        house.start()
        assert keyed(house, f"full-{refused[0]}", wish).headers["Idempotent-Replayed"] is None


def limit(house: Running, size: int) -> None:
    assert house.process
    resource.prlimit(house.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
