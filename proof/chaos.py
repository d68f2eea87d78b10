"""Random deaths under load: clients who ask, press and repeat; a provider in random moods; SIGKILL, SIGSTOP, SIGTERM."""

import contextlib
import datetime
import random
import signal
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from running import ENDED, MIA, eventually
from scene import Scene

MODES = (
    "ok", "ok", "ok", "ok@0.003", "ok@0.01", "ok_json", "no_done", "crlf_comments", "usage_missing", "usage_absurd",
    "finish_length", "refusal", "null_content", "empty200", "html200", "error200", "cut_stream", "cut_json",
    "reset_after_read", "reset_in", "reset_after", "status:400", "status:503", "429:1", "no_title", "think_inside",
)  # fmt: skip
SETTINGS = {
    "queue_max": 200,
    "lease_seconds": 2,
    "reap_seconds": 1,
    "llm_total_seconds": 20,
    "llm_idle_seconds": 5,
    "llm_first_byte_seconds": 5,
    "log_level": "warning",
}
CLIENTS, WISHES_A_ROUND, ROUNDS_BETWEEN_PLANS = 2, 10, 4
CAP_MICROS = 900_000_000
PAUSE = threading.Event()  # never set: it only waits


@dataclass
class Told:
    """What a run saw."""

    seed: int
    rounds: int
    jobs: int
    stories: int
    evenings: int
    deaths: int
    bills: int
    faults: list[str]


def run(*, seed: int, rounds: int, modes: Sequence[str] = MODES) -> Told:
    """Rounds of load and deaths on one file, then peace, then the history checker."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Scene.of(Path(folder), cap_micros=CAP_MICROS, look_seconds=0.5, **SETTINGS) as scene,
    ):
        chaos = _Chaos(scene, random.Random(seed), modes)
        for number in range(rounds):
            chaos.round(number)
        faults = chaos.peace()
        jobs, stories, evenings = (
            scene.house.rows(f"SELECT count(*) AS n FROM {what}")[0]["n"]
            for what in ("jobs", "stories", "story_requests WHERE idea LIKE 'an evening%'")
        )
        if evenings != chaos.plans:
            faults.append(f"{chaos.plans} evenings were due, and {evenings} were asked for")
        return Told(seed, rounds, jobs, stories, evenings, chaos.deaths, len(scene.provider.bills()), faults)


class _Chaos:
    def __init__(self, scene: Scene, dice: random.Random, modes: Sequence[str]) -> None:
        self._scene, self._dice, self._modes = scene, dice, modes
        self._unanswered: list[str] = []
        self.deaths = self.plans = 0

    def round(self, number: int) -> None:
        self._scene.house.start()
        if number % ROUNDS_BETWEEN_PLANS == 0:
            self._plan(number)
        self._scene.provider.queue(*self._dice.choices(self._modes, k=WISHES_A_ROUND))
        plans = [
            (client, self._dice.random(), [f"r{number}c{client}w{n}" for n in range(WISHES_A_ROUND // CLIENTS)])
            for client in range(CLIENTS)
        ]
        threads = [threading.Thread(target=self._ask, args=(keys, seed)) for _, seed, keys in plans]
        for thread in threads:
            thread.start()
        self._die()
        for thread in threads:
            thread.join()

    def peace(self) -> list[str]:
        """Everything answers again: each key is repeated, whatever waits for a person gets one, and then all must be true."""
        scene = self._scene
        scene.provider.set_mode("ok")
        scene.restart()
        for key in self._take_unanswered():
            scene.client.ask(key, from_book=key.endswith("w0"))
        eventually(self._quiet, seconds=120, what="the end of all jobs")
        return scene.faults()

    def _quiet(self) -> bool:
        if self._scene.house.rows("SELECT 1 FROM queues WHERE paused_at IS NOT NULL"):
            self._scene.house.post("/queues/stories/resume")
        marks = ", ".join(f"'{status}'" for status in ENDED)
        return not self._scene.house.rows(f"SELECT 1 FROM jobs WHERE status NOT IN ({marks}) LIMIT 1")

    def _ask(self, keys: list[str], seed: float) -> None:
        """One client: asks, repeats what was not answered, presses buttons; an answer that never came is no answer."""
        dice = random.Random(seed)
        for key in [*self._take_unanswered(), *keys]:
            job_id = self._scene.client.ask(key, from_book=key.endswith("w0"))
            if job_id is None:
                self._unanswered.append(key)
            elif dice.random() < 0.4:
                self._scene.client.press(job_id, dice.choice(("again", "cancel", "tale")))
            if dice.random() < 0.1:
                self._resume()
            PAUSE.wait(dice.uniform(0, 0.15))

    def _plan(self, number: int) -> None:
        """An evening that is due within the hour: it is planned at the next start, and once."""
        house = self._scene.house
        if not number:
            house.post("/children", data=MIA)
        at = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=self._dice.randint(5, 50))
        plan = {
            "child": "1",
            "day": list("0123456"),
            "at": f"{at:%H:%M}",
            "zone": "UTC",
            "minutes": "3",
            "mood": "calm",
        }
        answer = house.post("/evenings", data={**plan, "themes": f"an evening with the number {number:04}"})
        assert answer.status_code == 303, answer.text
        self.plans += 1

    def _take_unanswered(self) -> list[str]:
        taken, self._unanswered = self._unanswered, []
        return taken

    def _resume(self) -> None:
        with contextlib.suppress(OSError):  # it is dead just now
            self._scene.house.post("/queues/stories/resume")

    def _die(self) -> None:
        house, dice = self._scene.house, self._dice
        PAUSE.wait(dice.uniform(0.2, 2.5))
        how = dice.choices(("kill", "stop", "term"), (6, 2, 2))[0]
        if how == "stop":
            house.signal(signal.SIGSTOP)
            PAUSE.wait(dice.uniform(0.5, 3.0))
            house.signal(signal.SIGCONT)
            PAUSE.wait(dice.uniform(0.2, 1.0))
        if how == "term":
            house.signal(signal.SIGTERM)
            PAUSE.wait(dice.uniform(0.0, 1.5))
        house.kill()
        self.deaths += 1
