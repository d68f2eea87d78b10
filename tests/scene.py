"""A house, its provider and its client, for tests in which the process dies: killed at a step, and started again."""

import fcntl
import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import history
from conftest import paid_settings
from provider import Provider
from running import ROOT, Running, eventually
from witnesses import BILL_MICROS, CAP_MICROS, SECONDS_BETWEEN_LOOKS, Client, File, Row, Watch, arrived

KEY = "8d5f0c1e"
SECONDS_TO_END = 30.0  # half a lease: after a restart nothing may wait for one


@dataclass
class Scene:
    """`with Scene.of(tmp_path) as scene`: the provider runs, the money is watched, the house is not started."""

    house: Running
    provider: Provider
    client: Client
    watch: Watch
    arrived: dict[int, str] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def of(
        cls,
        folder: Path,
        *,
        mode: str = "ok",
        root: Path = ROOT,
        paid: bool = True,
        cap_micros: int = CAP_MICROS,
        bill_micros: int = BILL_MICROS,
        look_seconds: float = SECONDS_BETWEEN_LOOKS,
        **settings: object,
    ) -> Iterator[Self]:
        with Provider(folder / "bills.jsonl", mode) as provider:
            more = {**paid_settings(provider), "monthly_cap": cap_micros / 1e6} if paid else {}
            house = Running(folder / "house", **{**more, **settings})
            house.root = root
            house.folder.mkdir(mode=0o700)
            watch = Watch(house, provider, cap_micros=cap_micros, bill_micros=bill_micros, seconds=look_seconds)
            scene = cls(house, provider, Client(house), watch)
            try:
                with watch:
                    yield scene
            except AssertionError as error:
                error.add_note(history.told(scene.client, provider))
                raise
            finally:
                house.__exit__()

    @contextmanager
    def nobody_works(self) -> Iterator[None]:
        """The house serves, but another process has the worker's lock: wishes wait."""
        fd = os.open(self.house.folder / "worker.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    def ask_and_die(self, at: str, **more: Any) -> int | None:
        """Ask a house that is killed at `at`, with the wish on the disk before anybody works; its job, if it was answered."""
        with self.nobody_works():
            self.house.start(crash_at=at, **more)
            job_id = self.client.ask(KEY)
        self.dies(at)
        return job_id

    def ask_and_hang(self) -> int:
        """Ask a provider in mode `hang_mid`: the job, when a part of its text has come, and no more comes."""
        job_id = self.client.ask(KEY)
        assert job_id is not None
        eventually(lambda: arrived(self.house.folder).get(job_id), what="some text")
        return job_id

    def start_and_die(self, at: str, **more: Any) -> None:
        self.house.start(crash_at=at, **more)
        self.dies(at)

    def dies(self, at: str) -> None:
        """Wait for the SIGKILL; what had arrived by then is looked up before anybody touches it."""
        house = self.house
        assert house.process is not None
        eventually(
            lambda: house.process.poll() is not None, seconds=SECONDS_TO_END, what=f"the step {at}, or the death"
        )
        code = house.wait()
        assert code == -signal.SIGKILL, f"at {at} it ended with {code}, not by SIGKILL"
        self.arrived.update(arrived(house.folder))

    def restart(self, **more: Any) -> None:
        """Start without a crash point; what a dead process left is recovered when this returns."""
        self.house.start(**more)
        eventually(lambda: self.house.get("/healthz").json()["worker"] == "here", what="a worker")

    def repeat(self, before: int | None = None) -> int:
        """The same key once more, as from a client that got no answer: the same job."""
        job_id = self.client.ask(KEY)
        assert job_id is not None, f"the repeated key was not answered with a job: {self.client.asked[-1]}"
        assert before in (None, job_id), f"the wish was job {before}, and when its key was repeated job {job_id}"
        return job_id

    def ended(self, job_id: int) -> Row:
        return self.house.ended(job_id, seconds=SECONDS_TO_END)

    def press(self, job_id: int, button: str) -> None:
        answer = self.client.press(job_id, button)
        assert answer is not None
        assert answer.status_code == 303, answer.text

    def check(self) -> File:
        """The three witnesses agree; what the file says, for what else is expected of it."""
        found = self.faults()
        assert not found, "\n".join(["the history is broken:", *found])
        return File.read(self.house.folder)

    def faults(self) -> list[str]:
        return history.faults(self.client, self.provider, self.watch, arrived=self.arrived)

    def hold(self) -> None:
        """Wait until a thread has come to the step `hold_at`."""
        eventually(self.house.hold.exists, what="the step to hold at")

    def let_go(self) -> None:
        self.house.hold.unlink()

    def let_lease_run_out(self, job_id: int) -> None:
        """As if an hour had passed, in which the process was suspended: no verb can make it pass."""
        self.write(f"UPDATE jobs SET lease_expires_at = 1 WHERE id = {job_id:d} AND status = 'running'")

    def write(self, statement: str) -> None:
        """Do to the file what nobody in the house does, and keep its rules: the lock, and no checkpoint."""
        with (self.house.folder / "write.lock").open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            db = sqlite3.connect(self.house.folder / "bedtime.db", isolation_level=None)
            db.execute("PRAGMA wal_autocheckpoint = 0")
            db.execute(statement)
            db.close()
