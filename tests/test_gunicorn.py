"""Under a WSGI server with two processes one of them works; the other takes over when it is killed."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest
from conftest import paid_settings
from provider import Provider
from running import ROOT, Running, eventually

PRELOAD = pytest.mark.parametrize("preload", [[], ["--preload"]], ids=["each loads for itself", "preload"])


class Gunicorn(Running):
    """`gunicorn -w 2 'app:create_app()'` on a free port, in a process group of its own."""

    more: tuple[str, ...] = ()

    def start(self) -> Self:  # type: ignore[override]
        ours = {name: value for name, value in os.environ.items() if not name.startswith(("BEDTIME_", "FLASK_"))}
        command = [
            sys.executable,
            "-m",
            "gunicorn",
            "-w",
            "2",
            "--bind",
            "127.0.0.1:0",
            "--no-control-socket",
            *self.more,
        ]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [*command, "app:create_app()"],
                cwd=ROOT,
                env={**ours, "BEDTIME_INSTANCE": str(self.folder), **self.settings},
                stdout=log,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        self.url = eventually(self._address, what="the start of gunicorn")
        return self

    def _address(self) -> str:
        assert self.process and self.process.poll() is None, self.log.read_text()
        found = re.search(r"Listening at: (http://\S+)", self.log.read_text())
        return found[1] if found else ""

    def kill(self) -> None:
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.wait()

    def workers(self) -> list[int]:
        """Who got the worker's lock, in order."""
        return [int(pid) for pid in re.findall(r"worker=here pid=(\d+)", self.log.read_text())]

    def working(self, number: int) -> int:
        """The process that got the lock as the `number`-th; requests go on meanwhile, as from a page that polls."""

        def look() -> bool:
            self.get("/healthz")
            return len(self.workers()) >= number

        eventually(look, what=f"worker number {number}")
        return self.workers()[number - 1]


@pytest.fixture
def gunicorn(tmp_path: Path, provider: Provider, preload: list[str]) -> Iterator[Gunicorn]:
    house = Gunicorn(tmp_path / "house", **paid_settings(provider))
    house.more = tuple(preload)
    house.http.headers["Connection"] = "close"  # so that both processes are asked
    with house:
        yield house


@PRELOAD
def test_one_of_two_processes_works_and_the_other_takes_over_when_it_is_killed(
    gunicorn: Gunicorn, provider: Provider
) -> None:
    first = gunicorn.working(1)
    assert gunicorn.ended(gunicorn.asked())["status"] == "completed"
    assert gunicorn.workers() == [first]
    os.kill(first, signal.SIGKILL)
    assert gunicorn.working(2) != first
    assert gunicorn.ended(gunicorn.asked())["status"] == "completed"
    assert len(gunicorn.workers()) == 2
    assert len(provider.bills()) == 2


@PRELOAD
def test_what_the_killed_process_was_buying_is_not_bought_again(gunicorn: Gunicorn, provider: Provider) -> None:
    provider.set_mode("hang_mid@0.02")
    job_id = gunicorn.asked()
    gunicorn.until(job_id, lambda job: job["words"] > 50)
    provider.set_mode("ok")
    os.kill(gunicorn.working(1), signal.SIGKILL)
    gunicorn.working(2)
    job = gunicorn.ended(job_id)
    assert (job["status"], job["error_code"]) == ("failed", "maybe_billed")
    assert "lamp" in job["draft"]
    assert len(provider.bills()) == 1
