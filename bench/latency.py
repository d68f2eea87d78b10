"""From the commit of a request to the first line of its handler, in one process with the real worker thread."""

import tempfile
import threading
import time
from pathlib import Path

from bedtime import asking, jobs
from bedtime.asking import AskRules
from bedtime.crew import Crew
from bedtime.db import Database
from bedtime.loop import Loop
from bedtime.model import BOOK, TELL_TALE, Job, Listener, Wish
from bedtime.worker import Worker
from bench.measure import percentile, table

TIMES = 500
RULES = AskRules(BOOK, TELL_TALE, queue_max=50, expiry_seconds=43200.0)
WISH = Wish((Listener("Mia", "4-5", "she"),))


class _Started:
    """The handler: it only says when it was called."""

    def __init__(self, database: Database) -> None:
        self.at = 0.0
        self.heard = threading.Event()
        self._database = database

    def __call__(self, job: Job) -> None:
        self.at = time.perf_counter()
        with self._database.transaction("finish") as tx:
            jobs.complete(tx, job, now=time.time())
        self.heard.set()


def run(times: int = TIMES) -> str:
    with tempfile.TemporaryDirectory() as folder:
        spans = _spans(Path(folder), times)
    rows = [("enqueue to start, one process", f"{percentile(spans, 0.5):.2f} ms", f"{percentile(spans, 0.99):.2f} ms")]
    return "### From enqueue to start\n\n" + table(["", "p50", "p99"], rows)


def _spans(folder: Path, times: int) -> list[float]:
    """Milliseconds from the return of `ask` (both rows are on the disk) to the handler."""
    crews: list[Crew] = []
    database = Database(folder / "bedtime.db", observe=lambda point: _tell(crews, point))
    database.open()
    started = _Started(database)
    worker = Worker(
        database,
        BOOK,
        {TELL_TALE: started},
        name="bench",
        lease_seconds=60.0,
        max_failures=6,
        clock=time.time,
        dice=lambda: 0.5,
    )
    crews.append(
        Crew(
            folder / "worker.lock",
            [Loop("bench", worker.step, worker.rest, monotonic=time.monotonic, claims=True)],
            lambda: None,
        )
    )
    crews[0].start()
    spans = [_one(database, started, n) for n in range(times + 20)][20:]
    crews[0].stop()
    return spans


def _tell(crews: list[Crew], point: str) -> None:
    for crew in crews:
        crew.hear(point)


def _one(database: Database, started: _Started, n: int) -> float:
    started.heard.clear()
    asking.ask(database, WISH, key=f"k{n}", rules=RULES, now=time.time())
    asked = time.perf_counter()
    assert started.heard.wait(10)
    threading.Event().wait(0.002)  # the worker has gone to rest again
    return max(started.at - asked, 0.0) * 1000
