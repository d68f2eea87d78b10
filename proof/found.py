"""What a disk holds after a power cut, once the product has recovered from it; seen with the product's own recovery."""

import sqlite3
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from bedtime import llm
from bedtime.db import Database
from bedtime.errors import BedtimeError
from bedtime.model import Price
from bedtime.spool import Spool
from bedtime.storytellers.language_model import LanguageModel
from bedtime.telling import Parts, recover_dead
from proof.disk import State

MEMORY = Path("/dev/shm")


@dataclass
class Found:
    """By job: which there are, how many calls each has (with those that were asked again for it), whose story is told, whose whole
    answer is kept."""

    jobs: set[int] = field(default_factory=set)
    calls: dict[int, int] = field(default_factory=dict)
    told: set[int] = field(default_factory=set)
    kept: set[int] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)


def look(state: State) -> Found:
    """Put the disk into a folder, recover, and read what there is."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as name:
        folder = Path(name)
        for path, file in state.items():
            _put(folder / path.lstrip("/"), bytes(file.data), file.size)
        database = Database(folder / "bedtime.db")
        try:
            database.open()
            recover_dead(_parts(database, folder))
            return _read(database)
        except (BedtimeError, sqlite3.Error, OSError) as error:
            return Found(faults=[f"it cannot be used: {type(error).__name__}: {error}".replace(name, "")])
        finally:
            database.close()


def _put(path: Path, data: bytes, size: int) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(data)
        file.truncate(size)
    path.chmod(0o600)


def _parts(database: Database, folder: Path) -> Parts:
    """Of a house whose storyteller cannot be reached: recovery never needs the network."""
    endpoint = llm.Endpoint("http://127.0.0.1:9/v1", "storyteller-1", "test-key")
    return Parts(
        database=database,
        spool=Spool(folder / "spool"),
        storyteller=LanguageModel(endpoint, Price(1_000_000, 4_000_000), print, time.monotonic),
        observe=lambda step: None,
        clock=time.time,
        monotonic=time.monotonic,
        dice=lambda: 0.5,
        cap_micros=5_000_000,
        max_failures=6,
        max_tokens=None,
        send_names=False,
        zone="UTC",
    )


def _read(database: Database) -> Found:
    found = Found()
    with database.reading() as db:
        jobs = db.execute("SELECT id, status, retry_of FROM jobs ORDER BY id").fetchall()
        calls = db.execute("SELECT job_id, status, raw FROM calls").fetchall()
        found.told = {row[0] for row in db.execute("SELECT job_id FROM stories").fetchall()}
        checks = [row[0] for row in db.execute("PRAGMA integrity_check").fetchall()]
        loose = [f"a loose row of {row[0]}" for row in db.execute("PRAGMA foreign_key_check").fetchall()]
    found.jobs = {job["id"] for job in jobs}
    found.faults = [check for check in checks if check != "ok"] + loose
    counted = {call["job_id"] for call in calls if call["status"] != "refused"}
    firsts: dict[int, int] = {}
    for job in jobs:
        firsts[job["id"]] = firsts.get(job["retry_of"], job["id"])
    for call in calls:
        first = firsts[call["job_id"]]
        found.calls[first] = found.calls.get(first, 0) + 1
        if call["raw"] is not None and call["status"] == "settled":
            found.kept.add(call["job_id"])
    for job in jobs:
        if job["status"] == "running":
            found.faults.append(f"job {job['id']} still runs")
        if job["status"] == "pending" and job["id"] in counted:
            found.faults.append(f"job {job['id']} would be bought again")
    return found
