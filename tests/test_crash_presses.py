"""The process dies under a button, or while it puts a wish aside: pressed once more, it has happened once."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import paid_settings
from running import eventually
from scene import KEY, Scene
from test_crash import Dead, Told, Unknown

BOTH = pytest.mark.parametrize("when", ["before_commit", "after_commit"])


@BOTH
def test_asking_again_twice_makes_one_new_job(tmp_path: Path, when: str) -> None:
    with Scene.of(tmp_path, mode="cut_stream") as scene:
        scene.house.start(crash_at=f"ask_again.{when}")
        job_id = scene.client.ask(KEY)
        assert job_id and scene.ended(job_id)["error_code"] == "maybe_billed"
        assert scene.client.press(job_id, "again") is None
        scene.dies(f"ask_again.{when}")
        scene.provider.set_mode("ok")
        scene.restart()
        answers = [scene.client.press(job_id, "again") for _ in range(2)]
        assert {answer and answer.headers["Location"] for answer in answers} == {"/stories/jobs/2"}
        assert scene.ended(2)["status"] == "completed"
        file = scene.check()
        assert [(job["status"], job["retry_of"]) for job in file.jobs] == [("failed", None), ("completed", job_id)]
        assert len(scene.provider.bills()) == 2 and len(file.stories) == 1


@BOTH
def test_a_tale_beside_the_wish_is_told_once(tmp_path: Path, when: str) -> None:
    with Scene.of(tmp_path) as scene:
        with scene.nobody_works():
            scene.house.start(crash_at=f"tale.{when}")
            job_id = scene.client.ask(KEY)
            assert job_id and scene.client.press(job_id, "tale") is None
        scene.dies(f"tale.{when}")
        scene.restart()
        answers = [scene.client.press(job_id, "tale") for _ in range(2)]
        assert {answer and answer.headers["Location"] for answer in answers} == {"/stories/jobs/2"}
        assert [scene.ended(each)["status"] for each in (job_id, 2)] == ["completed", "completed"]
        file = scene.check()
        assert sorted(story["told_by"] for story in file.stories) == ["book", "storyteller-1"]
        assert len(scene.provider.bills()) == 1 and len(file.jobs) == 2


# Where the job stands when it is called off: nobody has it, somebody claimed it, its space is reserved.
UNSENT = ["", "claim.after_commit@stories-1", "spool.reserved"]


@BOTH
@pytest.mark.parametrize("held_at", UNSENT, ids=["pending", "claimed", "reserved"])
def test_a_wish_that_was_called_off_is_cancelled_and_unbilled_or_told(tmp_path: Path, held_at: str, when: str) -> None:
    with Scene.of(tmp_path) as scene:
        job_id = _call_off(scene, held_at, lambda: scene.house.start(crash_at=f"cancel.{when}", hold_at=held_at))
        scene.dies(f"cancel.{when}")
        scene.restart()
        scene.client.press(job_id, "cancel")
        job = scene.ended(scene.repeat(job_id))
        file = scene.check()
        if job["status"] == "completed":
            assert when == "before_commit", "what was called off for good is told"
            return Told().check(scene, job, file)
        assert job["status"] == "cancelled" and not scene.provider.bills() and file.committed_micros == 0


@pytest.mark.parametrize("held_at", UNSENT[1:], ids=["claimed", "reserved"])
def test_what_was_called_off_under_a_worker_is_never_sent(tmp_path: Path, held_at: str) -> None:
    with Scene.of(tmp_path) as scene:
        job_id = _call_off(scene, held_at, lambda: scene.house.start(hold_at=held_at))
        assert scene.client.called_off == [job_id]
        scene.let_go()
        scene.house.until(scene.client.ask("another") or 0, lambda job: job["status"] == "completed")
        file = scene.check()
        assert [job["status"] for job in file.jobs] == ["cancelled", "completed"]
        assert len(scene.provider.bills()) == 1


@BOTH
def test_what_was_sent_is_not_called_off(tmp_path: Path, when: str) -> None:
    with Scene.of(tmp_path) as scene:
        held_at = "mark.after_commit"
        job_id = _call_off(scene, held_at, lambda: scene.house.start(crash_at=f"cancel.{when}", hold_at=held_at))
        scene.dies(f"cancel.{when}")
        scene.restart()
        answer = scene.client.press(job_id, "cancel")
        assert answer is not None and answer.status_code == 409
        Unknown(bills=(0,)).check(scene, scene.ended(scene.repeat(job_id)), scene.check())


def _call_off(scene: Scene, held_at: str, start: Callable[[], object]) -> int:
    with scene.nobody_works():
        start()
        job_id = scene.client.ask(KEY)
        assert job_id is not None
        if not held_at:
            scene.client.press(job_id, "cancel")
    if held_at:
        scene.hold()
        scene.client.press(job_id, "cancel")
    return job_id


@BOTH
def test_a_queue_that_was_mended_is_resumed_once(tmp_path: Path, when: str) -> None:
    with Scene.of(tmp_path, mode="status:401") as scene:
        scene.house.start(crash_at=f"resume.{when}")
        job_id = scene.client.ask(KEY)
        assert job_id is not None
        scene.house.until(job_id, lambda job: "stories" in scene.house.get("/healthz").json()["paused"])
        scene.provider.set_mode("ok")
        with pytest.raises(OSError):
            scene.house.post("/queues/stories/resume")
        scene.dies(f"resume.{when}")
        scene.restart()
        assert scene.house.post("/queues/stories/resume").status_code == 303
        Told().check(scene, scene.ended(scene.repeat(job_id)), scene.check())


@BOTH
def test_a_wish_waits_while_nobody_can_tell_it(tmp_path: Path, when: str) -> None:
    """The storyteller's settings are gone at a restart, the house dies while it says so, and they are back."""
    with Scene.of(tmp_path, paid=False) as scene:
        told = paid_settings(scene.provider)
        job_id = scene.ask_and_die("claim.after_commit@stories-1", **told)
        scene.start_and_die(f"put_back.{when}")
        scene.restart(**told)
        scene.house.post("/queues/stories/resume")
        Told().check(scene, scene.ended(scene.repeat(job_id)), scene.check())


@BOTH
def test_a_fault_of_ours_before_anything_was_sent_is_tried_again(tmp_path: Path, when: str) -> None:
    with Scene.of(tmp_path) as scene:
        with scene.nobody_works():
            scene.house.start(crash_at=f"retry.{when}")
            job_id = scene.client.ask(KEY)
            scene.write("CREATE TRIGGER fault BEFORE INSERT ON calls BEGIN SELECT raise(ABORT, 'a fault'); END")
        scene.dies(f"retry.{when}")
        scene.write("DROP TRIGGER fault")
        scene.restart()
        Told().check(scene, scene.ended(scene.repeat(job_id)), scene.check())


@BOTH
def test_what_nobody_waits_for_any_more_is_not_bought(tmp_path: Path, when: str) -> None:
    with Scene.of(tmp_path, expiry_hours="0.0001") as scene:
        with scene.nobody_works():
            scene.house.start(crash_at=f"expire.{when}")
            job_id = scene.client.ask(KEY)
            expired = "SELECT 1 FROM jobs WHERE expires_at < ?"
            eventually(lambda: scene.house.rows(expired, time.time()), what="the expiry")
        scene.dies(f"expire.{when}")
        scene.restart()
        Dead("expired").check(scene, scene.ended(scene.repeat(job_id)), scene.check())
