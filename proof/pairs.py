"""All ordered pairs of crash points: the process dies at the first, and again at the second while it recovers."""

import itertools
import random
import tempfile
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from running import eventually
from scene import KEY, SECONDS_TO_END, Scene
from test_crash import POINTS, Point

AT_ONCE = 4
RECOVERING = (
    "reap.before_commit",
    "reap.mid",
    "reap.after_commit",
    "reap.after",
    "recover.mid",
    "ask_again.before_commit",
    "ask_again.after_commit",
    "retry.before_commit",
    "put_back.before_commit",
)


@dataclass(frozen=True)
class Pair:
    """Two steps at which the process dies, and how the provider answers meanwhile."""

    first: str
    then: str
    mode: str
    settings: tuple[tuple[str, object], ...] = ()

    def __str__(self) -> str:
        return f"{self.first} then {self.then} ({self.mode})"


@dataclass(frozen=True)
class Result:
    pair: Pair
    reached: bool
    faults: tuple[str, ...]


def points() -> dict[str, Point]:
    """Each step of a telling at which a process may die, once; with the last of the moods in which it comes there."""
    return {point.at: point for point in POINTS}


def all_pairs() -> list[Pair]:
    """Every step that a wish goes through, before every step that anything may go through after it."""
    known = points()
    both = itertools.product(known.values(), [*known, *RECOVERING])
    return [Pair(point.at, then, point.mode, point.settings) for point, then in both]


def some_pairs(count: int, seed: int) -> list[Pair]:
    return random.Random(seed).sample(all_pairs(), count)


def run(pairs: Iterable[Pair]) -> list[Result]:
    with ProcessPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(try_pair, pairs))


def try_pair(pair: Pair) -> Result:
    with (
        tempfile.TemporaryDirectory() as folder,
        Scene.of(Path(folder), mode=pair.mode, **dict(pair.settings)) as scene,
    ):
        try:
            reached = _die_twice(scene, pair)
            return Result(pair, reached, tuple(scene.faults()))
        except Exception as error:
            return Result(pair, False, (f"0: {type(error).__name__}: {next(iter(str(error).splitlines()), '')}",))


def _die_twice(scene: Scene, pair: Pair) -> bool:
    job_id = scene.ask_and_die(pair.first)
    scene.provider.set_mode("ok")
    scene.provider.queue(pair.mode)  # once more, then it is in a good mood
    scene.house.start(crash_at=pair.then)
    reached = _dies_or_ends(scene, job_id)
    scene.house.kill()
    scene.restart()
    scene.ended(scene.repeat(job_id))
    eventually(lambda: _is_quiet(scene), seconds=SECONDS_TO_END, what="the end of what was asked again")
    return reached


def _dies_or_ends(scene: Scene, job_id: int | None) -> bool:
    """Ask once more, and again once that ended, until the second step is reached or there is nothing left that could reach it."""
    process = scene.house.process
    assert process is not None
    known = scene.client.ask(KEY) or job_id

    def over() -> bool:
        return process.poll() is not None or _is_quiet(scene)

    eventually(over, seconds=SECONDS_TO_END, what="the second step or the end")
    if process.poll() is None and known:
        scene.client.press(known, "again")
        eventually(over, seconds=SECONDS_TO_END, what="the second step or the end of what was asked again")
    if process.poll() is None:
        return False
    scene.dies("the second step")
    return True


def _is_quiet(scene: Scene) -> bool:
    """Nothing runs, and what waits waits for a person."""
    left = scene.house.rows("SELECT status FROM jobs WHERE status IN ('pending', 'running')")
    waits = _waits_for_a_person(scene) and not any(job["status"] == "running" for job in left)
    return not left or waits


def _waits_for_a_person(scene: Scene) -> bool:
    return bool(scene.house.rows("SELECT 1 FROM queues WHERE paused_at IS NOT NULL"))
