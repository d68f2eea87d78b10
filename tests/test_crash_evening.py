"""The process dies while it plans an evening: that evening's story comes exactly once."""

import datetime
import time
from pathlib import Path

import pytest
from running import eventually
from scene import KEY, Scene

from bedtime import library
from bedtime.db import Database

BOTH = pytest.mark.parametrize("when", ["before_commit", "after_commit"])


@BOTH
def test_an_evening_is_told_exactly_once(tmp_path: Path, when: str) -> None:
    with Scene.of(tmp_path) as scene:
        _plan_an_evening(scene, key=KEY, soon=_soon())
        scene.start_and_die(f"plan.{when}")
        scene.restart()
        _told(scene)
        scene.house.kill()
        scene.restart()
        file = scene.check()
        assert [job["dedupe_key"] is None for job in file.jobs] == [True, False]
        assert len(file.stories) == len(scene.provider.bills()) == 2


def test_a_client_cannot_take_the_key_of_an_evening(tmp_path: Path) -> None:
    """A script chooses its keys as it likes; the names of planned evenings are not among those that it can choose."""
    with Scene.of(tmp_path) as scene:
        soon = _soon()
        _plan_an_evening(scene, key=f"evening-1-{soon.date().isoformat()}", soon=soon)
        scene.restart()
        _told(scene)
        assert len(scene.check().stories) == 2


def _soon() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=30)


def _plan_an_evening(scene: Scene, *, key: str, soon: datetime.datetime) -> None:
    """A child is known by a first wish; its plan makes a story due within the hour. The house is not running then."""
    scene.house.start()
    job_id = scene.client.ask(key)
    assert job_id is not None
    scene.ended(job_id)
    scene.house.kill()
    database = Database(scene.house.folder / "bedtime.db")
    database.open()
    with database.transaction("add_schedule") as tx:
        library.add_schedule(
            tx,
            children=(1,),
            days=frozenset(range(7)),
            at=soon.strftime("%H:%M"),
            zone="UTC",
            minutes=3,
            mood="calm",
            themes=("a lantern with the number 5f1a",),
            language="en",
            now=time.time(),
        )
    database.close()


def _told(scene: Scene) -> None:
    planned = "SELECT 1 FROM jobs WHERE dedupe_key LIKE 'evening%' AND status = 'completed'"
    eventually(lambda: scene.house.rows(planned), what="the evening's story")
