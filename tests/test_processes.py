"""Processes: however it is started one of them works; what is stopped, killed or frozen costs no story and no money."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import pytest
from conftest import paid_settings
from provider import Provider
from running import ROOT, Running, eventually

APP = ["app.py"]
FLASK_RUN = ["-m", "flask", "--app", "app", "run", "--port", "0"]
TREE = ("app.py", "bedtime", "templates", "static")

TOLD = "completed"
STOPS = pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])


class Served(Running):
    """A house served by a command of its own, with all that it starts in one process group."""

    def __init__(
        self, folder: Path, command: list[str], *, tree: Path = ROOT, log: str = "", **settings: object
    ) -> None:
        super().__init__(folder, **settings)
        self.command = command
        self.tree = tree
        self.log = folder.parent / f"{log or folder.name}.log"

    def start(self, **settings: object) -> Self:  # type: ignore[override]
        seen = len(self.said())
        more = {f"BEDTIME_{name.upper()}": str(value) for name, value in settings.items()}
        ours = {name: value for name, value in os.environ.items() if not name.startswith(("BEDTIME_", "FLASK_"))}
        place = {"BEDTIME_INSTANCE": str(self.folder), "BEDTIME_PORT": "0", "PYTHONPATH": str(self.tree)}
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, *self.command],
                cwd=self.tree,
                env={**ours, **place, **self.settings, **more},
                stdout=log,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        self.url = eventually(lambda: self._address(self.said()[seen:]), what=f"the start of {self.command}")
        return self

    def _address(self, said: str) -> str:
        assert self.process and self.process.poll() is None, said
        found = re.search(r"(?:open at|Running on) (http://\S+)\n", said)
        return found[1] if found else ""

    def said(self) -> str:
        return self.log.read_text() if self.log.exists() else ""

    def kill(self) -> None:
        """SIGKILL for the whole group, which only this test has started."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        if self.process:
            self.process.wait(30)

    def workers(self) -> list[int]:
        """The process ids of those who got the worker's lock, in order."""
        return [int(pid) for pid in re.findall(r"worker=here pid=(\d+)", self.said())]

    def worker(self) -> str:
        return str(self.get("/healthz").json()["worker"])


@pytest.fixture
def serve(tmp_path: Path, provider: Provider) -> Iterator[Callable[..., Served]]:
    """Makes houses whose stories cost money: `serve(["app.py"], "one", …)`; all of one folder unless it is named."""
    houses: list[Served] = []

    def make(command: list[str] = APP, log: str = "one", *, tree: Path = ROOT, **settings: object) -> Served:
        settings = {**paid_settings(provider), **settings}
        houses.append(Served(tmp_path / "house", command, tree=tree, log=log, **settings))
        return houses[-1].start()

    yield make
    for house in houses:
        house.__exit__()


# --- however it is started --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [APP, FLASK_RUN, [*FLASK_RUN, "--debug"], [*FLASK_RUN, "--debug", "--no-reload"], [*FLASK_RUN, "--reload"]],
    ids=["app.py", "flask run", "flask run --debug", "flask run --debug --no-reload", "flask run --reload"],
)
def test_however_it_is_started_one_worker_tells_the_story_once(
    serve: Callable[..., Served], provider: Provider, command: list[str]
) -> None:
    house = serve(command)
    eventually(lambda: house.worker() == "here", what="a worker in the process that serves")
    assert house.ended(house.asked())["status"] == TOLD
    assert house.ended(house.asked(idea="another one"))["status"] == TOLD
    assert len(provider.bills()) == 2
    assert len(house.workers()) == 1
    claimed_by = {row["claimed_by"] for row in house.rows("SELECT claimed_by FROM jobs")}
    assert claimed_by == {f"{house.workers()[0]}:stories-1"}


def test_the_reloader_restarts_while_one_story_is_told_and_one_waits(
    serve: Callable[..., Served], provider: Provider, tmp_path: Path
) -> None:
    """A restart kills the call that runs: unknown, never bought again. What waits is told by the next process."""
    tree = tmp_path / "tree"
    tree.mkdir()
    for source in map(ROOT.joinpath, TREE):
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, tree / source.name)
    provider.queue("hang_mid")
    house = serve([*FLASK_RUN, "--debug"], tree=tree)
    told = house.asked()
    provider.wait_for(1)
    house.until(told, lambda job: job["status"] == "running")
    waits = house.asked(idea="another one")
    (tree / "bedtime" / "loop.py").touch()
    eventually(lambda: len(house.workers()) == 2, what="the restart")
    assert house.ended(waits)["status"] == TOLD
    lost = house.ended(told)
    assert (lost["status"], lost["error_code"]) == ("failed", "maybe_billed")
    assert len(provider.bills()) == 2
    assert len(set(house.workers())) == 2


@pytest.mark.parametrize("command", [["routes"], ["--help"]], ids=" ".join)
def test_a_command_starts_no_worker(tmp_path: Path, command: list[str]) -> None:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("BEDTIME_", "FLASK_"))},
        "BEDTIME_INSTANCE": str(tmp_path / "house"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "flask", "--app", "app", *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "worker=here" not in done.stdout + done.stderr
    assert not (tmp_path / "house" / "worker.lock").exists()


# --- two on one folder ------------------------------------------------------------------------------


def two(serve: Callable[..., Served], **settings: object) -> tuple[Served, Served]:
    """One that works, and one that only serves."""
    works = serve(APP, "works", **settings)
    eventually(lambda: works.worker() == "here")
    serves = serve(APP, "serves", **settings)
    assert serves.worker() == "elsewhere"
    return works, serves


def test_of_two_on_one_folder_one_works_and_both_serve(serve: Callable[..., Served], provider: Provider) -> None:
    works, serves = two(serve)
    asked = [serves.asked(), works.asked(idea="another one"), serves.asked(idea="a third one")]
    assert [serves.ended(job_id)["status"] for job_id in asked] == [TOLD] * 3
    assert (len(provider.bills()), serves.workers()) == (3, [])


def test_one_key_sent_to_both_is_one_story(serve: Callable[..., Served], provider: Provider) -> None:
    works, serves = two(serve)
    answers = [house.ask("one-key") for house in (works, serves, works, serves)]
    assert {(answer.status_code, answer.json()["job_id"]) for answer in answers} == {(202, 1)}
    assert serves.ended(1)["status"] == TOLD
    assert len(provider.bills()) == 1


def test_what_another_process_enqueues_is_told_at_once(serve: Callable[..., Served], provider: Provider) -> None:
    """The worker rests for ten seconds at a time; the watcher looks at the file's data_version four times a second."""
    works, serves = two(serve)
    works.ended(works.asked())
    job_id = serves.asked(idea="another one")
    eventually(lambda: len(provider.requests()) == 2, seconds=5, what="the call")
    assert serves.ended(job_id)["status"] == TOLD


ASKS = """
import sys, time
from pathlib import Path
from bedtime import asking
from bedtime.db import Database
from bedtime.model import Listener, Wish
database = Database(Path(sys.argv[1]))
database.open()
rules = asking.AskRules("stories", "write_story", queue_max=8, expiry_seconds=3600.0)
wish = Wish((Listener("Mia", "4-5", "she"),), minutes=3)
print(asking.ask(database, wish, key="script", rules=rules, now=time.time()).job_id)
"""


def test_what_a_script_enqueues_is_told_at_once(serve: Callable[..., Served], provider: Provider) -> None:
    house = serve()
    eventually(lambda: house.worker() == "here")
    done = subprocess.run(
        [sys.executable, "-c", ASKS, house.folder / "bedtime.db"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    eventually(provider.requests, seconds=5, what="the call")
    assert house.ended(int(done.stdout))["status"] == TOLD


def test_when_the_one_that_works_is_killed_the_other_takes_over_and_tells_what_waits(
    serve: Callable[..., Served], provider: Provider
) -> None:
    works, serves = two(serve)
    provider.queue("hang_mid")
    sent = works.asked()
    provider.wait_for(1)
    works.until(sent, lambda job: job["status"] == "running")
    waits = works.asked(idea="another one")
    works.kill()
    eventually(lambda: serves.worker() == "here", seconds=5, what="the other one's turn")
    assert serves.ended(waits)["status"] == TOLD
    lost = serves.ended(sent)
    assert (lost["status"], lost["error_code"]) == ("failed", "maybe_billed")
    assert len(provider.bills()) == 2


# --- stopped, and stopped twice ---------------------------------------------------------------------


@STOPS
def test_a_stop_in_the_middle_of_a_call_ends_with_the_story_kept(
    serve: Callable[..., Served], provider: Provider, number: signal.Signals
) -> None:
    provider.set_mode("ok@0.02")
    house = serve()
    job_id = house.asked()
    waits = house.asked(idea="another one")
    provider.wait_for(1)
    house.signal(number)
    assert house.wait() == 0
    assert house.rows("SELECT id, status FROM jobs ORDER BY id") == [
        {"id": job_id, "status": "completed"},
        {"id": waits, "status": "pending"},
    ]
    assert len(provider.bills()) == 1, "nothing was claimed after the stop"
    provider.set_mode("ok")
    assert house.start().ended(waits)["status"] == TOLD


@STOPS
def test_a_second_stop_ends_at_once_and_nothing_is_bought_twice(
    serve: Callable[..., Served], provider: Provider, number: signal.Signals
) -> None:
    provider.queue("hang_mid")
    house = serve()
    job_id = house.asked()
    provider.wait_for(1)
    house.signal(number)
    eventually(lambda: "status=stopping" in house.said(), what="the first stop")
    assert house.process and house.process.poll() is None
    house.signal(number)
    assert house.wait(10) == 128 + number
    job = house.start().ended(job_id)
    assert (job["status"], job["error_code"]) == ("failed", "maybe_billed")
    assert house.ask("after").status_code == 202
    house.ended(2)
    assert [house.job(1)["status"], len(provider.bills())] == ["failed", 2]


def test_a_stop_while_nothing_runs_is_quick_and_clean(serve: Callable[..., Served]) -> None:
    house = serve()
    eventually(lambda: house.worker() == "here")
    house.signal(signal.SIGTERM)
    assert house.wait(10) == 0
    assert "Traceback" not in house.said()


def test_one_that_only_serves_stops_although_it_still_waits_for_its_turn(serve: Callable[..., Served]) -> None:
    works, serves = two(serve)
    serves.signal(signal.SIGTERM)
    assert serves.wait(10) == 0
    assert works.worker() == "here"


# --- frozen -----------------------------------------------------------------------------------------


def test_frozen_while_the_answer_comes_it_goes_on_where_it_was_and_keeps_the_story(
    serve: Callable[..., Served], provider: Provider
) -> None:
    """A process that is stopped keeps its lock, so nobody takes its place, although the lease of its claim is over.

    The mark has extended that lease to the call's own deadline; what becomes of a call when that one is over too, with
    the reaper of the same process first, is in test_late_answers.py, by an injected clock.
    """
    provider.queue("hang_mid")
    works, serves = two(serve, lease_seconds=1, reap_seconds=0.1)
    job_id = works.asked()
    provider.wait_for(1)
    works.until(job_id, lambda job: job["status"] == "running")
    works.signal(signal.SIGSTOP)
    provider.release()
    lease = serves.rows("SELECT claimed_at FROM jobs")[0]["claimed_at"] + 1
    eventually(lambda: _now(serves) > lease + 1, what="the end of the first lease")
    assert serves.worker() == "elsewhere"
    assert serves.job(job_id)["status"] == "running"
    works.signal(signal.SIGCONT)
    assert serves.ended(job_id)["status"] == TOLD
    assert (len(provider.bills()), len(serves.rows("SELECT 1 FROM stories"))) == (1, 1)
    assert serves.workers() == []


def test_frozen_longer_than_the_call_may_take_it_is_one_bill_and_what_arrived_is_kept(
    serve: Callable[..., Served], provider: Provider
) -> None:
    provider.queue("hang_mid")
    house = serve(lease_seconds=1, reap_seconds=0.1, llm_total_seconds=2, llm_idle_seconds=2)
    job_id = house.asked()
    provider.wait_for(1)
    house.until(job_id, lambda job: job["status"] == "running")
    sent_at = house.rows("SELECT sent_at FROM jobs")[0]["sent_at"]
    house.signal(signal.SIGSTOP)
    eventually(lambda: _now(house) > sent_at + 3, what="the end of the call's own time")
    house.signal(signal.SIGCONT)
    job = house.ended(job_id)
    assert (job["status"], job["error_code"]) == ("failed", "maybe_billed")
    assert house.rows("SELECT status FROM calls") == [{"status": "unknown"}]
    assert house.rows("SELECT draft FROM calls")[0]["draft"], "the half that arrived"
    assert len(provider.requests()) == 1


def _now(house: Running) -> float:
    """The clock on the wall, as SQLite tells it."""
    return float(house.rows("SELECT (julianday('now') - 2440587.5) * 86400.0 AS now")[0]["now"])
