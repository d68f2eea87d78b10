"""Enqueue, claim and complete beside a bare loop that runs the same statements; the claim as history grows."""

import itertools
import statistics
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bedtime import asking, jobs
from bedtime.asking import AskRules
from bedtime.db import Database
from bedtime.db.originals import COARSEST_SECONDS
from bedtime.model import BOOK, TELL_TALE, Job, Listener, Wish
from bench.bare import RecordingDatabase, checkpoint_now_and_then, open_bare, replay
from bench.measure import rate, side_by_side, table

NOW = 1_800_000_000.0
ROOM = 50
WAITING = (1, 10_000)
TURNS = 9
RULES = AskRules(BOOK, TELL_TALE, queue_max=ROOM, expiry_seconds=43200.0)
WISH = Wish((Listener("Mia", "4-5", "she"),), idea="a lost mitten")


@dataclass(frozen=True)
class Sizes:
    times: int = 500
    claims: int = 200
    histories: tuple[int, ...] = (0, 100_000, 1_000_000)


def run(sizes: Sizes = Sizes()) -> str:
    return "\n\n".join([_spine(sizes.times), _history(sizes)])


def _spine(times: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        rows = [_enqueue(Path(folder), times), _claim_and_complete(Path(folder), times)]
    head = ["operation, durable (synchronous=FULL)", "bare loop, same statements", "ours", "ours / bare"]
    return "### The spine\n\n" + table(head, rows)


def _enqueue(folder: Path, times: int) -> tuple[object, ...]:
    ours = _database(folder / "ours")
    recording = RecordingDatabase(ours)
    asking.ask(ours, WISH, key="warm", rules=RULES, now=NOW)
    asking.ask(recording, WISH, key="recorded", rules=RULES, now=NOW)  # type: ignore[arg-type]
    other = _database(folder / "bare")
    asking.ask(other, WISH, key="warm", rules=RULES, now=NOW)
    bare, keys, bare_keys = open_bare(other.path), itertools.count(), itertools.count()

    def ask(_: int) -> None:
        key = next(keys)
        if key % (ROOM - 2) == 0:
            _empty(ours)
        asking.ask(ours, WISH, key=f"k{key}", rules=RULES, now=NOW)

    def bare_ask(_: int) -> None:
        key = next(bare_keys)
        if key % (ROOM - 2) == 0:
            _empty(other)
        replay(bare, recording.transactions[0], {"key": f"k{key}"})
        checkpoint_now_and_then(bare, key)

    _settle(ours)
    [(mine, theirs, ratio)] = side_by_side([(ask, bare_ask)], times=times)
    bare.close()
    return "a request with its job", theirs, mine, f"{ratio:.2f}"


def _claim_and_complete(folder: Path, times: int) -> tuple[object, ...]:
    ours, other = _database(folder / "ours2"), _database(folder / "bare2")
    for database in (ours, other):
        _fill(database, finished=0, waiting=times * 16)
    recording = RecordingDatabase(ours)
    job = _claim(recording)
    _complete(recording, job)
    claim, complete = recording.transactions
    bare = open_bare(other.path)

    pairs = itertools.count()

    def bare_pair(_: int) -> None:
        bare.execute("BEGIN IMMEDIATE")
        row = bare.execute(claim[0].statement, claim[0].values).fetchall()[0]
        bare.execute("COMMIT")
        bare.execute("BEGIN IMMEDIATE")
        bare.execute(complete[0].statement, {"id": row["id"], "attempts": row["attempts"], "now": NOW})
        bare.execute("COMMIT")
        checkpoint_now_and_then(bare, 2 * next(pairs))

    _settle(ours)
    [(mine, theirs, ratio)] = side_by_side([(lambda n: _complete(ours, _claim(ours)), bare_pair)], times=times)
    bare.close()
    return "claim, then complete (two commits)", theirs, mine, f"{ratio:.2f}"


def _history(sizes: Sizes) -> str:
    """All of them in turns, so that a slow moment of the machine meets each."""
    rows = list(itertools.product(sizes.histories, WAITING))
    spans: dict[tuple[int, int], list[float]] = {row: [] for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        databases = {row: _database(Path(folder) / f"{row[0]}-{row[1]}") for row in rows}
        for (finished, waiting), database in databases.items():
            _fill(database, finished=finished, waiting=waiting)
        for _ in range(TURNS):
            for row, database in databases.items():
                found = rate(partial(_claim_and_undo, database), times=sizes.claims, repeats=1)
                spans[row].append(1e6 / found.median)
        for database in databases.values():
            database.close()
    none = {waiting: spans[0, waiting] for waiting in WAITING}
    told = [(f"{row[0]:,}", f"{row[1]:,}", *_against(spans[row], none[row[1]])) for row in rows]
    head = [
        "finished jobs",
        "waiting jobs",
        "claim, rolled back (least–most)",
        "against none finished, median of the turns",
    ]
    return "### The claim as history grows\n\n" + table(head, told)


def _against(micros: list[float], none: list[float]) -> tuple[str, str]:
    ratio = statistics.median(own / first for own, first in zip(micros, none, strict=True))
    return f"{statistics.median(micros):.0f} µs ({min(micros):.0f}–{max(micros):.0f})", f"{ratio:.2f}"


def _empty(database: Database) -> None:
    """Make room: as many may wait as a household has wishes."""
    with database.transaction("empty") as tx:
        tx.execute("UPDATE jobs SET status = 'cancelled', completed_at = :now WHERE status = 'pending'", {"now": NOW})


class _Undo(Exception):
    pass


def _claim_and_undo(database: Database, _: int) -> None:
    try:
        with database.transaction("claim") as tx:
            assert jobs.claim(tx, BOOK, worker="bench", lease_seconds=60.0, now=NOW)
            raise _Undo
    except _Undo:
        pass


def _claim(database: Database | RecordingDatabase) -> Job:
    with database.transaction("claim") as tx:
        job = jobs.claim(tx, BOOK, worker="bench", lease_seconds=60.0, now=NOW)
    assert job is not None
    return job


def _complete(database: Database | RecordingDatabase, job: Job) -> None:
    with database.transaction("finish") as tx:
        jobs.complete(tx, job, now=NOW)


def _settle(database: Database) -> None:
    """A house runs for months; in the seconds after its folder changed it looks more often (see bedtime/db/originals.py)."""
    until = time.monotonic() + COARSEST_SECONDS + 0.5
    while time.monotonic() < until:
        with database.transaction("settle"):
            pass


def _database(folder: Path) -> Database:
    database = Database(folder / "bedtime.db")
    database.open()
    return database


def _fill(database: Database, *, finished: int, waiting: int) -> None:
    """History and queue as they would be, by one statement each: a million verbs would take an evening."""
    with database.transaction("fill") as tx:
        tx.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :most)
            INSERT INTO jobs (queue, kind, status, run_after, attempts, created_at, completed_at)
            SELECT 'book', 'tell_tale', 'completed', :now, 1, :now, :now FROM n WHERE :most > 0
            """,
            {"most": finished, "now": NOW - 1000},
        )
        tx.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :most)
            INSERT INTO jobs (queue, kind, run_after, created_at)
            SELECT 'book', 'tell_tale', :now, :now FROM n
            """,
            {"most": waiting, "now": NOW - 500},
        )
    database.checkpoint()
