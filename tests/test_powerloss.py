"""The power goes while a house works: what was said stays said. A short form of `make proof`."""

import random
from pathlib import Path

from trees import change, tree_of

from proof.disk import Disk
from proof.powerloss import SHORT, record, replay
from proof.recording import Create, Resize, Sync, Write, read

FOLDER = "/house"
SEED, CHANCE = 7, 0.05  # of the cuts after a write; after each sync and each promise there is one


def test_no_power_cut_loses_what_was_acknowledged_or_forgets_a_mark(tmp_path: Path) -> None:
    told = replay(record(tmp_path, modes=SHORT), seed=SEED, chance=CHANCE)
    assert told.broken == []
    assert told.syncs > 20 and told.promises > 8 and told.different > 200, told


def test_a_house_that_syncs_only_at_checkpoints_is_caught(tmp_path: Path) -> None:
    root = tree_of(tmp_path / "tree")
    change(root, "bedtime/db/connection.py", "PRAGMA synchronous = FULL", "PRAGMA synchronous = NORMAL")
    told = replay(record(tmp_path, modes=SHORT[:1], root=root), seed=SEED, chance=CHANCE)
    assert any("was acknowledged and is lost" in fault for fault in told.broken)
    assert any("and the ledger knows of 0" in fault for fault in told.broken)


def test_only_what_was_synced_is_sure() -> None:
    disk = _disk([Create(f"{FOLDER}/a"), Sync(FOLDER, 1), Write(f"{FOLDER}/a", 0, b"one"), Sync(f"{FOLDER}/a", 3)])
    disk.do(4, Write(f"{FOLDER}/a", 3, b"two"))
    disk.do(5, Create(f"{FOLDER}/b"))
    assert {path: bytes(file.data) for path, file in disk.after_power_loss("nothing", _dice()).items()} == {
        "/a": b"one"
    }
    everything = disk.after_power_loss("everything", _dice())
    assert {path: bytes(file.data) for path, file in everything.items()} == {"/a": b"onetwo", "/b": b""}


def test_a_sync_promises_nothing_about_what_came_after_it_began() -> None:
    disk = _disk([Create(f"{FOLDER}/a"), Sync(FOLDER, 1), Write(f"{FOLDER}/a", 0, b"one"), Sync(f"{FOLDER}/a", 2)])
    assert disk.after_power_loss("nothing", _dice())["/a"].size == 0


def test_a_torn_write_leaves_whole_sectors_only() -> None:
    disk = _disk(
        [Create(f"{FOLDER}/a"), Sync(FOLDER, 1), Resize(f"{FOLDER}/a", 4096, only_up=True), Sync(f"{FOLDER}/a", 3)]
    )
    disk.do(4, Write(f"{FOLDER}/a", 0, b"x" * 4096))
    states = {bytes(disk.after_power_loss("torn", _dice(seed))["/a"].data).ljust(4096, b"\0") for seed in range(50)}
    assert len(states) > 10
    sectors = {state[start : start + 512] for state in states for start in range(0, 4096, 512)}
    assert sectors == {b"x" * 512, bytes(512)}


def test_a_recording_is_read_in_its_order(tmp_path: Path) -> None:
    """A write counts from its start, a sync from its end, and what failed not at all."""
    path = "".join(f"\\x{letter:02x}" for letter in b"/house/a")
    (tmp_path / "trace").write_text(
        f'1 openat(AT_FDCWD<{path}>, "{path}", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 3<{path}>\n'
        f"1 fdatasync(3<{path}> <unfinished ...>\n"
        f'2 pwrite64(3<{path}>, "\\x68\\x69", 2, 512) = 2\n'
        f"1 <... fdatasync resumed>) = 0\n"
        f'2 pwrite64(3<{path}>, "\\x68\\x69", 2, 514) = -1 ENOSPC (No space left on device)\n'
        f"1 +++ killed by SIGKILL +++\n"
    )
    events = [event for event in read(tmp_path / "trace") if isinstance(event, Create | Write | Sync)]
    assert events == [Create("/house/a"), Write("/house/a", 512, b"hi"), Sync("/house/a", 1)]


def _disk(events: list[Create | Write | Resize | Sync]) -> Disk:
    disk = Disk(Path(FOLDER))
    for number, event in enumerate(events):
        disk.do(number, event)
    return disk


def _dice(seed: int = 0) -> random.Random:
    return random.Random(seed)
