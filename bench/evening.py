"""A long evening: twenty pages poll, a story a minute is told at a provider's pace, backups and checkpoints go on beside it."""

import contextlib
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import requests
from provider import Provider
from running import ROOT, Running

from bench.measure import percentile, table

FRAGMENT = {"HX-Request": "true", "Accept": "text/html"}
BACKUPS = 5  # an evening


@dataclass(frozen=True)
class Evening:
    """Spans in seconds; `provider` is how the fake one answers."""

    seconds: float = 1800.0
    pages: int = 20
    between_polls: float = 2.0
    between_stories: float = 60.0
    provider: str = "ok@0.25"  # 169 pieces, so a story takes 42 s


@dataclass
class Seen:
    """What was measured: moment, milliseconds of a poll; moment, memory in kB, open files, bytes of the WAL."""

    polls: list[tuple[float, float]] = field(default_factory=list)
    states: list[tuple[float, int, int, int]] = field(default_factory=list)
    backups: int = 0
    errors: list[str] = field(default_factory=list)


def run(evening: Evening = Evening()) -> str:
    with tempfile.TemporaryDirectory() as folder, Provider(Path(folder) / "bills.jsonl", evening.provider) as provider:
        paid = {"llm_url": provider.url, "llm_model": "storyteller-1", "llm_key": "key", "log_level": "warning"}
        money = {"price_in": "1", "price_out": "4", "monthly_cap": "500"}
        with Running(Path(folder) / "house", **paid, **money) as house:
            seen = _spend(house, evening)
            stories = house.rows("SELECT count(*) AS n FROM stories")[0]["n"]
    return _told(seen, evening, stories)


def _spend(house: Running, evening: Evening) -> Seen:
    seen, over = Seen(), threading.Event()
    newest = [house.asked(idea="the first")]
    numbers = itertools.count(2)

    def ask() -> None:
        newest[0] = house.asked(idea=f"number {next(numbers)}")

    def back_up() -> None:
        _back_up(house)
        seen.backups += 1

    begun = time.monotonic()
    acts = [
        (ask, evening.between_stories),
        (back_up, evening.seconds / BACKUPS),
        (lambda: seen.states.append((time.monotonic() - begun, *_state(house))), evening.seconds / 100),
        *((_page(house, newest, seen, begun), evening.between_polls) for _ in range(evening.pages)),
    ]
    threads = [threading.Thread(target=_again_and_again, args=(act, rest, over, seen)) for act, rest in acts]
    for thread in threads:
        thread.start()
    over.wait(evening.seconds)
    over.set()
    for thread in threads:
        thread.join()
    return seen


def _again_and_again(act: Callable[[], None], rest: float, over: threading.Event, seen: Seen) -> None:
    while not over.wait(rest):
        try:
            act()
        except Exception as error:
            seen.errors.append(f"{type(error).__name__}: {error}")


def _page(house: Running, newest: list[int], seen: Seen, begun: float) -> Callable[[], None]:
    """A waiting page in a browser of its own: it polls what was asked last."""
    browser = requests.Session()
    browser.trust_env = False

    def poll() -> None:
        start = time.perf_counter()
        answer = browser.get(f"{house.url}/stories/jobs/{newest[0]}", headers=FRAGMENT, timeout=30)
        seen.polls.append((time.monotonic() - begun, (time.perf_counter() - start) * 1000))
        answer.raise_for_status()

    return poll


def _state(house: Running) -> tuple[int, int, int]:
    assert house.process
    process = Path(f"/proc/{house.process.pid}")
    memory = next(line for line in (process / "status").read_text().splitlines() if line.startswith("VmRSS"))
    wal = house.folder / "bedtime.db-wal"
    size = 0
    with contextlib.suppress(FileNotFoundError):
        size = wal.stat().st_size
    return int(memory.split()[1]), len(os.listdir(process / "fd")), size  # noqa: PTH208


def _back_up(house: Running) -> None:
    environment = {**os.environ, **house.settings, "BEDTIME_INSTANCE": str(house.folder)}
    command = [sys.executable, "-m", "flask", "backup"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)


def _told(seen: Seen, evening: Evening, stories: int) -> str:
    parts = [(n * evening.seconds / 5, (n + 1) * evening.seconds / 5) for n in range(5)]
    rows = [row for span in parts for row in _row(seen, span)]
    head = ["minutes", "polls", "poll p50", "p99", "memory (median)", "open files", "WAL, least to most"]
    facts = f"{evening.pages} pages, {stories} stories told, {seen.backups} backups, {len(seen.errors)} errors"
    faults = "".join(f"\n\nAn error: {error[:200]}" for error in seen.errors[:3])
    return f"### A long evening of {evening.seconds / 60:g} minutes\n\n{facts}.{faults}\n\n{table(head, rows)}"


def _row(seen: Seen, span: tuple[float, float]) -> Iterator[tuple[object, ...]]:
    first, last = span
    polls = [took for at, took in seen.polls if first <= at < last]
    states = [rest for at, *rest in seen.states if first <= at < last]
    if polls and states:
        memory, files, wals = zip(*states, strict=True)
        yield (
            f"{first / 60:.3g}–{last / 60:.3g}",
            len(polls),
            f"{percentile(polls, 0.5):.1f} ms",
            f"{percentile(polls, 0.99):.1f} ms",
            f"{statistics.median(memory) / 1024:.1f} MB",
            f"{min(files)}–{max(files)}",
            f"{min(wals) // 1024:,}–{max(wals) // 1024:,} kB",
        )
