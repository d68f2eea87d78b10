"""Told to stop: the running call ends first; told twice, or killed meanwhile, it is as after any crash."""

import os
import signal
from pathlib import Path

import pytest
from running import eventually
from scene import KEY, Scene
from test_crash import Told, Unknown

BOTH = pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])


@BOTH
def test_a_stop_lets_the_running_call_end(tmp_path: Path, stop: signal.Signals) -> None:
    with Scene.of(tmp_path, mode="hang_mid") as scene:
        scene.house.start()
        job_id = scene.ask_and_hang()
        _stop(scene, stop)
        scene.provider.release()
        assert scene.house.wait() == 0
        scene.restart()
        Told().check(scene, scene.ended(scene.repeat(job_id)), scene.check())


@BOTH
def test_a_stop_is_heard_whichever_thread_it_reaches(tmp_path: Path, stop: signal.Signals) -> None:
    """And also in the moment in which the main thread begins to wait."""
    with Scene.of(tmp_path) as scene:
        scene.restart()
        assert scene.house.process
        threads = Path(f"/proc/{scene.house.process.pid}/task").iterdir()
        os.kill(max(int(thread.name) for thread in threads), stop)
        assert scene.house.wait() == 0


@BOTH
def test_a_second_stop_ends_at_once(tmp_path: Path, stop: signal.Signals) -> None:
    with Scene.of(tmp_path, mode="hang_mid") as scene:
        scene.house.start()
        job_id = scene.ask_and_hang()
        _stop(scene, stop)
        scene.house.signal(stop)
        assert scene.house.wait() == 128 + stop
        scene.restart()
        Unknown(text=True).check(scene, scene.ended(scene.repeat(job_id)), scene.check())


def test_killed_while_it_waits_for_the_running_call(tmp_path: Path) -> None:
    with Scene.of(tmp_path, mode="hang_mid") as scene:
        scene.house.start(crash_at="shutdown.during_grace")
        job_id = scene.ask_and_hang()
        scene.house.signal(signal.SIGTERM)
        scene.dies("shutdown.during_grace")
        scene.restart()
        Unknown(text=True).check(scene, scene.ended(scene.repeat(job_id)), scene.check())


def test_killed_when_the_running_call_has_ended(tmp_path: Path) -> None:
    with Scene.of(tmp_path, mode="hang_mid") as scene:
        scene.house.start(crash_at="shutdown.after_grace")
        job_id = scene.ask_and_hang()
        _stop(scene, signal.SIGTERM)
        scene.provider.release()
        scene.dies("shutdown.after_grace")
        scene.restart()
        Told().check(scene, scene.ended(scene.repeat(job_id)), scene.check())


@pytest.mark.parametrize("at", ["spool.reserved", "mark.after_commit", "finish.parsed"])
def test_a_stop_at_any_step_lets_the_story_be_told(tmp_path: Path, at: str) -> None:
    with Scene.of(tmp_path) as scene:
        scene.house.start(hold_at=at)
        job_id = scene.client.ask(KEY)
        scene.hold()
        _stop(scene, signal.SIGTERM)
        scene.let_go()
        assert scene.house.wait() == 0
        scene.restart()
        Told().check(scene, scene.ended(scene.repeat(job_id)), scene.check())


def _stop(scene: Scene, stop: signal.Signals) -> None:
    scene.house.signal(stop)
    eventually(lambda: "status=stopping" in scene.house.log.read_text(), what="the stop")
