"""The process is killed at each step of a telling, started again, and asked again: one story, one bill, or the truth."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from scene import Scene
from witnesses import BILL_MICROS, File, Row

SLOW = "ok@0.01"  # events come one by one, so that a step in the middle is one


@dataclass(frozen=True)
class Told:
    """One story, one bill."""

    def check(self, scene: Scene, job: Row, file: File) -> None:
        assert job["status"] == "completed"
        assert len(file.stories) == len(scene.provider.bills()) == 1
        assert [call["status"] for call in file.calls if call["status"] != "refused"] == ["settled"]
        assert file.committed_micros == BILL_MICROS == job["cost_micros"]
        page = scene.house.get(job["story_url"], headers={"Accept": "text/html"})
        assert page.status_code == 200 and file.stories[0]["title"] in page.text


@dataclass(frozen=True)
class Unknown:
    """Nobody can know: at most one bill, counted at its worst case, the text so far kept and readable."""

    bills: tuple[int, ...] = (1,)
    text: bool = False

    def check(self, scene: Scene, job: Row, file: File) -> None:
        assert (job["status"], job["error_code"]) == ("failed", "maybe_billed")
        assert [call["status"] for call in file.calls] == ["unknown"]
        assert file.committed_micros == file.calls[0]["reserved_micros"] >= BILL_MICROS
        assert len(scene.provider.bills()) in self.bills
        assert not file.stories
        assert bool(job["draft"].strip()) == self.text, f"{job['words']} words are kept: {job['draft'][:60]!r}"
        assert scene.client.house.post(f"/stories/jobs/{job['job_id']}/again").status_code == 422  # not told of it yet


@dataclass(frozen=True)
class Dead:
    """A dead letter with its reason, and no bill."""

    code: str

    def check(self, scene: Scene, job: Row, file: File) -> None:
        assert (job["status"], job["error_code"]) == ("failed", self.code)
        assert not scene.provider.bills() and not file.stories and file.committed_micros == 0


@dataclass(frozen=True)
class Point:
    at: str
    outcome: Told | Unknown | Dead
    mode: str = "ok"
    next_mode: str = ""  # how the provider answers after the restart
    settings: tuple[tuple[str, object], ...] = ()


POINTS = [
    Point("enqueue.before_commit", Told()),
    Point("enqueue.after_commit", Told()),
    Point("enqueue.after_answer", Told()),
    Point("claim.before_commit@stories-1", Told()),
    Point("claim.after_commit@stories-1", Told()),
    Point("spool.reserved", Told()),
    Point("mark.before_commit", Told()),
    Point("mark.after_commit", Unknown(bills=(0,))),
    Point("call.sent", Unknown(bills=(0, 1))),
    Point("call.first_byte", Unknown(), SLOW),
    Point("call.mid_body", Unknown(text=True), SLOW),
    Point("call.mid_body:50", Unknown(text=True), SLOW),
    Point("note.before_commit", Unknown(text=True), SLOW),
    Point("note.after_commit", Unknown(text=True), SLOW),
    Point("call.last_byte", Told()),
    Point("spool.synced", Told()),
    Point("receive.before_commit", Told()),
    Point("receive.after_commit", Told()),
    Point("finish.parsed", Told()),
    Point("finish.before_commit", Told()),
    Point("finish.after_commit", Told()),
    # The answer was cut off, or there was none, and the process dies while it writes that down.
    Point("doubt.before_commit", Unknown(text=True), "cut_stream"),
    Point("doubt.after_commit", Unknown(text=True), "cut_stream"),
    Point("doubt.before_commit", Unknown(), "reset_after_read"),
    Point("doubt.after_commit", Unknown(), "reset_after_read"),
    # A certain refusal that is not on the disk is not certain any more.
    Point("refuse.before_commit", Unknown(bills=(0,)), "status:400"),
    Point("refuse.after_commit", Dead("refused"), "status:400"),
    Point("refuse.before_commit", Unknown(bills=(0,)), "429:1"),
    Point("refuse.after_commit", Told(), "429:1", next_mode="ok"),
    # Nothing is sent: the cap leaves no room for it.
    Point("fail.before_commit", Dead("over_budget"), settings=(("monthly_cap", "0.001"),)),
    Point("fail.after_commit", Dead("over_budget"), settings=(("monthly_cap", "0.001"),)),
]


@pytest.mark.parametrize("point", POINTS, ids=lambda point: f"{point.at}-{point.mode}-{type(point.outcome).__name__}")
def test_a_crash_loses_no_wish_buys_nothing_twice_and_keeps_what_was_paid_for(tmp_path: Path, point: Point) -> None:
    with Scene.of(tmp_path, mode=point.mode, **dict(point.settings)) as scene:
        job_id = scene.ask_and_die(point.at)
        scene.provider.set_mode(point.next_mode or point.mode)
        scene.restart()
        job = scene.ended(scene.repeat(job_id))
        point.outcome.check(scene, job, scene.check())
