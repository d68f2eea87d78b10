"""The power goes at every write and every sync of a real run: nothing acknowledged is lost, no mark is forgotten."""

import hashlib
import logging
import random
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from running import ROOT, eventually
from scene import Scene

from proof import recording
from proof.disk import VARIANTS, Disk, State
from proof.found import Found, look
from proof.promised import Promise, broken, promises
from proof.recording import Event, Sync

AT_ONCE, AT_A_TIME = 2, 100
SHORT = ("ok", "reset_in")
LONG = ("ok", "429:1", "ok", "cut_stream", "refusal", "ok_json", "reset_after_read", "null_content", "ok")


@dataclass
class Recorded:
    """A run: its events, and what was promised in it."""

    folder: Path
    events: list[Event]
    promises: list[Promise]


@dataclass
class Told:
    """What a replay saw."""

    seed: int
    syncs: int = 0
    cuts: int = 0
    states: int = 0
    different: int = 0
    promises: int = 0
    broken: list[str] = field(default_factory=list)


def run(*, seed: int, modes: tuple[str, ...] = LONG, root: Path = ROOT, chance: float = 1.0) -> Told:
    """Record, cut, look. Raises recording.NoStrace."""
    with tempfile.TemporaryDirectory() as folder:
        return replay(record(Path(folder), modes=modes, root=root), seed=seed, chance=chance)


def record(folder: Path, *, modes: tuple[str, ...], root: Path = ROOT) -> Recorded:
    """A house from its first start: a wish a mode, a tale, an ask-again; killed in the middle, started again, killed."""
    with Scene.of(folder, root=root, look_seconds=1, reap_seconds=1, llm_idle_seconds=5) as scene:
        middle = len(modes) // 2
        events = _record(scene, folder / "first.trace", modes[:middle], "first", 0)
        events += _record(scene, folder / "second.trace", modes[middle:], "second", len(events))
        jobs = {sent.key: sent.job_id for sent in scene.client.asked if sent.job_id}
        return Recorded(scene.house.folder, events, promises(events, jobs))


def replay(recorded: Recorded, *, seed: int, chance: float = 1.0) -> Told:
    """Every variant of the disk at every cut; what is the same disk is looked at once.

    With a `chance` below 1 only so many of the cuts after a write are made, and all after a sync or a promise.
    """
    told, disk, found = Told(seed, promises=len(recorded.promises)), Disk(recorded.folder), _Looking()
    promised, dice = {promise.number for promise in recorded.promises}, random.Random(seed)
    with ProcessPoolExecutor(AT_ONCE, initializer=logging.disable) as pool:
        for number, event in enumerate(recorded.events):
            changed, synced = disk.do(number, event), isinstance(event, Sync)
            if not (changed or number in promised) or (
                not synced and number not in promised and dice.random() >= chance
            ):
                continue
            told.cuts += 1
            told.syncs += changed and synced
            for variant in VARIANTS:
                found.add(
                    pool, (number, variant), disk.after_power_loss(variant, random.Random(f"{seed} {number} {variant}"))
                )
        found.look(pool)
    told.states, told.different = len(found.names), len(found.found)
    for (number, variant), name in found.names.items():
        for fault in broken(recorded.promises, number, found.found[name]):
            told.broken.append(f"event {number}, {variant}: {fault}")
    return told


class _Looking:
    """Looks at each disk once, many at a time."""

    def __init__(self) -> None:
        self.names: dict[tuple[int, str], str] = {}
        self.found: dict[str, Found] = {}
        self._waiting: dict[str, State] = {}

    def add(self, pool: ProcessPoolExecutor, cut: tuple[int, str], state: State) -> None:
        name = self.names[cut] = _name(state)
        if name not in self.found:
            self._waiting[name] = state
        if len(self._waiting) >= AT_A_TIME:
            self.look(pool)

    def look(self, pool: ProcessPoolExecutor) -> None:
        self.found |= zip(self._waiting, pool.map(look, self._waiting.values(), chunksize=5), strict=True)
        self._waiting.clear()


def _record(scene: Scene, trace: Path, modes: tuple[str, ...], name: str, first: int) -> list[Event]:
    scene.house.through = recording.through(trace)
    scene.restart()
    _live(scene, modes, name)
    assert scene.house.process is not None
    pid = scene.house.process.pid
    scene.house.kill()
    eventually(lambda: recording.is_whole(trace, pid), what="the end of the recording")
    return recording.read(trace, first=first)


def _live(scene: Scene, modes: tuple[str, ...], name: str) -> None:
    scene.provider.set_mode("ok")
    for number, mode in enumerate(modes):
        scene.provider.queue(mode)
        job_id = scene.client.ask(f"{name}{number}")
        assert job_id is not None
        job = scene.ended(job_id)
        if job["error_code"] == "maybe_billed":
            scene.press(job_id, "again")
        if scene.house.rows("SELECT 1 FROM queues WHERE paused_at IS NOT NULL"):
            scene.house.post("/queues/stories/resume")
    scene.ended(scene.client.ask(f"{name}tale", from_book=True) or 0)
    eventually(lambda: _checkpointed(scene), what="a checkpoint")


def _checkpointed(scene: Scene) -> bool:
    idle = not scene.house.rows("SELECT 1 FROM jobs WHERE status IN ('pending', 'running')")
    return idle and (scene.house.folder / "bedtime.db-wal").stat().st_size == 0


def _name(state: State) -> str:
    whole = hashlib.sha1(usedforsecurity=False)
    for path, file in state.items():
        whole.update(f"{path} {file.size} {len(file.data)} ".encode() + file.data)
    return whole.hexdigest()
