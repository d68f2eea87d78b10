"""A crash in the recovery of a crash, and a crash while a late answer comes in: as without."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from scene import Scene
from test_crash import SLOW, Told, Unknown


@dataclass(frozen=True)
class Pair:
    first: str
    then: str
    outcome: Told | Unknown
    mode: str = "ok"


CLAIMED = "claim.after_commit@stories-1"
PAIRS = [
    # A claim that was not sent goes back.
    Pair(CLAIMED, "reap.before_commit", Told()),
    Pair(CLAIMED, "reap.after_commit", Told()),
    Pair(CLAIMED, "reap.mid", Told()),
    Pair("spool.reserved", "recover.mid", Told()),
    # A claim that was sent, and whose answer is not whole, becomes unknown.
    Pair("mark.after_commit", "reap.before_commit", Unknown(bills=(0,))),
    Pair("mark.after_commit", "reap.after_commit", Unknown(bills=(0,))),
    Pair("call.mid_body:20", "reap.before_commit", Unknown(text=True), SLOW),
    Pair("call.mid_body:20", "reap.after_commit", Unknown(text=True), SLOW),
    Pair("call.mid_body:20", "reap.mid", Unknown(text=True), SLOW),
    Pair("call.mid_body:20", "recover.mid", Unknown(text=True), SLOW),
    Pair("call.mid_body:20", "reap.after", Unknown(text=True), SLOW),
    Pair("doubt.after_commit", "recover.mid", Unknown(text=True), "cut_stream"),
    # A whole answer becomes its story, from the spool or from the row.
    Pair("spool.synced", "receive.before_commit", Told()),
    Pair("spool.synced", "receive.after_commit", Told()),
    Pair("spool.synced", "finish.parsed", Told()),
    Pair("spool.synced", "finish.before_commit", Told()),
    Pair("spool.synced", "finish.after_commit", Told()),
    Pair("spool.synced", "reap.mid", Told()),
    Pair("receive.after_commit", "finish.before_commit", Told()),
    Pair("receive.after_commit", "finish.after_commit", Told()),
    Pair("finish.parsed", "finish.before_commit", Told()),
    Pair("finish.before_commit", "finish.after_commit", Told()),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.first}-{pair.then}")
def test_a_crash_in_the_recovery_changes_nothing(tmp_path: Path, pair: Pair) -> None:
    with Scene.of(tmp_path, mode=pair.mode) as scene:
        job_id = scene.ask_and_die(pair.first)
        scene.start_and_die(pair.then)
        scene.restart()
        job = scene.ended(scene.repeat(job_id))
        pair.outcome.check(scene, job, scene.check())


@pytest.mark.parametrize("at", ["reap.before_commit", "reap.after_commit", "reap.mid", "reap.after:2"])
def test_a_crash_of_the_reaper_of_a_live_house_changes_nothing(tmp_path: Path, at: str) -> None:
    """The lease of a call that hangs ran out, and the house dies while it takes the job back."""
    with Scene.of(tmp_path, mode="hang_mid", reap_seconds=1) as scene:
        scene.house.start(crash_at=f"{at}@reaper")
        job_id = scene.ask_and_hang()
        scene.let_lease_run_out(job_id)
        scene.dies(at)
        scene.restart()
        Unknown(text=True).check(scene, scene.ended(scene.repeat(job_id)), scene.check())


LATE = [
    "call.last_byte",
    "spool.synced",
    "receive.before_commit",
    "receive.after_commit",
    "finish.parsed",
    "finish.before_commit",
    "finish.after_commit",
]


@pytest.mark.parametrize("again", [False, True], ids=["waited_for", "asked_again"])
@pytest.mark.parametrize("at", LATE)
def test_a_late_answer_is_kept_although_the_house_dies_of_it(tmp_path: Path, at: str, again: bool) -> None:
    """The job was given up already; a wish that was asked again for it, and was not sent yet, is not needed any more."""
    with Scene.of(tmp_path, mode="hang_mid", reap_seconds=1) as scene:
        scene.house.start(crash_at=at)
        job_id = scene.ask_and_hang()
        scene.let_lease_run_out(job_id)
        assert scene.ended(job_id)["error_code"] == "maybe_billed"
        if again:
            scene.press(job_id, "again")
        scene.provider.set_mode("ok")
        scene.provider.release()
        scene.dies(at)
        scene.restart()
        Told().check(scene, scene.ended(scene.repeat(job_id)), file := scene.check())
        assert [job["status"] for job in file.jobs] == ["completed", "cancelled"][: 1 + again]
