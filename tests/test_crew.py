"""Who cannot have the worker's lock says so, and takes it as soon as it can be had."""

from collections.abc import Callable
from pathlib import Path

from running import Running, eventually


def test_a_house_that_cannot_lock_its_worker_says_that_nobody_works_and_works_once_it_can(
    household: Callable[..., Running], tmp_path: Path
) -> None:
    in_the_way = tmp_path / "house" / "worker.lock"
    in_the_way.mkdir(parents=True, mode=0o700)
    house = household()
    dead = eventually(lambda: house.get("/healthz").status_code == 503, what="the word that nobody works")
    assert dead and house.get("/healthz").json()["dead_loops"] == ["crew"]
    job_id = house.asked()
    in_the_way.rmdir()
    assert house.ended(job_id)["status"] == "completed"
    assert house.get("/healthz").status_code == 200
