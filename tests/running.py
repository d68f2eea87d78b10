"""The product as its own process, over real HTTP on loopback: started, asked, killed, started again."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self, TypeVar

import requests
from nursery import Born, Nursery

ROOT = Path(__file__).parent.parent
MIA = {"nickname": "Mia", "band": "4-5", "pronouns": "she"}
T = TypeVar("T")

ENDED = ("completed", "failed", "cancelled")

_PAUSE = threading.Event()  # never set: it only waits


def eventually(look: Callable[[], T], *, seconds: float = 30.0, what: str = "it") -> T:
    """The first true answer of `look`; fails with what was seen last if it takes too long."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        if seen:
            return seen
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds} s; last seen: {seen!r}"
        _PAUSE.wait(0.02)


class Running:
    """One instance folder, and the process that serves it: of this tree, or of another one, put into `root`."""

    root = ROOT
    through: tuple[str, ...] = ()  # a program that runs it, as strace does
    nursery: Nursery | None = None  # where one stands, those of this tree are born there

    def __init__(self, folder: Path, **settings: object) -> None:
        self.folder = folder
        self.settings = {f"BEDTIME_{name.upper()}": str(value) for name, value in settings.items()}
        self.log = folder.parent / f"{folder.name}.log"
        self.hold = folder.parent / f"{folder.name}.hold"
        self.http = requests.Session()
        self.http.trust_env = False
        self.process: subprocess.Popen[str] | Born | None = None
        self.url = ""

    def start(self, *, crash_at: str = "", hold_at: str = "", trace: Path | None = None, **settings: object) -> Self:
        """Serve on a free port; returns once the address was printed (or the process has died before, at a crash point).

        At `hold_at` (see launch.py) the file `hold` appears, and the thread that came there waits until it is gone.
        """
        more = {f"BEDTIME_{name.upper()}": str(value) for name, value in settings.items()}
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("BEDTIME_", "FLASK_"))},
            "PYTHONPATH": str(self.root),
            "BEDTIME_INSTANCE": str(self.folder),
            "BEDTIME_PORT": "0",
            "CRASH_AT": crash_at,
            "HOLD_AT": hold_at,
            "HOLD": str(self.hold),
            "TRACE": str(trace or ""),
            **self.settings,
            **more,
        }
        with self.log.open("a") as log:
            if self.nursery and self.root == ROOT and not self.through:
                self.process = self.nursery.start(environment, log=log)
            else:
                self.process = subprocess.Popen(
                    [*self.through, sys.executable, str(self.root / "tests" / "launch.py")],
                    cwd=self.root,
                    env=environment,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                )
        assert self.process.stdout
        found = re.search(r"http://\S+", self.process.stdout.readline())
        self.url = found[0] if found else ""
        return self

    def __enter__(self) -> Self:
        return self if self.process else self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.http.close()

    def kill(self) -> None:
        """SIGKILL, and gone when this returns; nothing if it was never started."""
        if self.process:
            self.signal(signal.SIGKILL)
            self.wait()

    def signal(self, number: signal.Signals) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)

    def wait(self, seconds: float = 60.0) -> int:
        """The exit code, once it has ended by itself or by a signal."""
        assert self.process
        code = self.process.wait(seconds)
        if self.process.stdout:
            self.process.stdout.close()
        return code

    def get(self, path: str, **more: Any) -> requests.Response:
        return self.http.get(self.url + path, timeout=30, **more)

    def post(self, path: str, **more: Any) -> requests.Response:
        return self.http.post(self.url + path, timeout=30, allow_redirects=False, **more)

    def ask(self, key: str | None = None, **wish: object) -> requests.Response:
        """A wish as a script sends it; for Mia unless `children` says otherwise."""
        return self.post(
            "/stories/generate",
            json={"children": [MIA], "minutes": 3, **wish},
            headers={"Idempotency-Key": key or uuid.uuid4().hex},
        )

    def asked(self, **wish: object) -> int:
        """The job of a wish that was accepted."""
        answer = self.ask(**wish)
        assert answer.status_code == 202, answer.text
        return int(answer.json()["job_id"])

    def job(self, job_id: int) -> dict[str, Any]:
        answer = self.get(f"/stories/jobs/{job_id}")
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def ended(self, job_id: int, *, seconds: float = 30.0) -> dict[str, Any]:
        """The job once it is completed, failed or cancelled."""

        def look() -> dict[str, Any] | None:
            job = self.job(job_id)
            return job if job["status"] in ENDED else None

        return eventually(look, seconds=seconds, what=f"the end of job {job_id}")  # type: ignore[return-value]

    def until(self, job_id: int, seen: Callable[[dict[str, Any]], object], *, seconds: float = 30.0) -> dict[str, Any]:
        """The job once `seen` is true of it."""
        eventually(lambda: seen(self.job(job_id)), seconds=seconds, what=f"job {job_id}")
        return self.job(job_id)

    def rows(self, statement: str, *values: object) -> list[dict[str, Any]]:
        """What stands in the file, read beside the process."""
        db = sqlite3.connect(f"file:{self.folder / 'bedtime.db'}?mode=ro", uri=True)
        db.row_factory = sqlite3.Row
        try:
            return [dict(row) for row in db.execute(statement, values).fetchall()]
        finally:
            db.close()
