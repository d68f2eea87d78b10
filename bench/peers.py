"""Other queues in a file, each used as its own documents say, beside ours; one that is not installed is left out, and said."""

import contextlib
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measure import percentile, table

ROOT = Path(__file__).parent.parent
OURS = ("ours", "bare")
PEERS = {"huey": "huey", "litequeue": "litequeue", "persist_queue": "persistqueue", "honker": "honker"}
SYNCHRONOUS = {0: "OFF", 1: "NORMAL", 2: "FULL", 3: "EXTRA"}
TABLES = ("jobs", "task", "queue", "ack_queue_default")
FSYNCS = ("fsync", "fdatasync")


@dataclass(frozen=True)
class Sizes:
    jobs: int = 200
    repeats: int = 5
    waits: int = 100
    histories: tuple[int, ...] = (0, 100_000, 1_000_000)
    queues: tuple[str, ...] = (*OURS, *PEERS)


def run(sizes: Sizes = Sizes()) -> str:
    there = [name for name in sizes.queues if _installed(name)]
    absent = [f"{name} is not installed here: left out." for name in sizes.queues if name not in there]
    parts = [_speed(there, sizes), _history(there, sizes), _waits(there, sizes), _keeping(there, sizes)]
    return "\n\n".join(["### Peers", *absent, *parts])


def _installed(name: str) -> bool:
    if name in OURS:
        return True
    python = _python(name)
    look = f"import {PEERS[name]}; from pathlib import Path; assert Path('bench/queues/{name}.py').exists()"
    return Path(python).exists() and _quiet([python, "-c", look])


def _quiet(command: list[str]) -> bool:
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0


def _speed(names: list[str], sizes: Sizes) -> str:
    """In turns, so that a slow moment of the machine meets all of them."""
    acts: list[tuple[str, Callable[[str, int], tuple[float, Counter[str]]]]] = [
        ("enqueue", _enqueue),
        ("claim + complete, one process", lambda name, jobs: _drain(name, jobs, processes=1)),
        ("two processes", lambda name, jobs: _drain(name, jobs, processes=2)),
    ]
    rates: dict[tuple[str, str], list[float]] = {(name, what): [] for name in names for what, _ in acts}
    faults: dict[str, Counter[str]] = {name: Counter() for name in names}
    for _ in range(sizes.repeats):
        for what, act in acts:
            for name in names:
                rate, wrong = act(name, sizes.jobs)
                rates[name, what].append(rate)
                faults[name] += wrong
    rows = [(name, *(_told(rates, names, name, what) for what, _ in acts)) for name in names]
    wrongs = [
        f"{name}: {wrong}, {many} times in {sizes.repeats} runs of {sizes.jobs} jobs."
        for name in names
        for wrong, many in faults[name].items()
    ]
    head = ["jobs a second (median, least–most; ours / it)", *(what for what, _ in acts)]
    return "\n\n".join([table(head, rows), *wrongs])


def _told(rates: dict[tuple[str, str], list[float]], names: list[str], name: str, what: str) -> str:
    found = rates[name, what]
    told = f"{statistics.median(found):,.0f} ({min(found):,.0f}–{max(found):,.0f})"
    if name == "ours" or "ours" not in names:
        return told
    ratio = statistics.median(ours / its for ours, its in zip(rates["ours", what], found, strict=True))
    return f"{told}; {ratio:.2f}"


def _enqueue(name: str, jobs: int) -> tuple[float, Counter[str]]:
    with tempfile.TemporaryDirectory() as folder:
        return jobs / _do(name, "enqueue", folder, jobs)["seconds"], Counter()


def _drain(name: str, jobs: int, *, processes: int) -> tuple[float, Counter[str]]:
    """Jobs a second until all are done, and what went wrong: a job that two processes had, an error."""
    with tempfile.TemporaryDirectory() as folder:
        _do(name, "enqueue", folder, jobs)
        crew = [_open(name, "drain", folder) for _ in range(processes)]
        for one in crew:
            assert one.stdout and one.stdin
            assert one.stdout.readline() == "ready\n"
        for one in crew:
            print("go", file=one.stdin, flush=True)
        answers = [json.loads(one.communicate()[0]) for one in crew]
    done = [number for answer in answers for number in answer["numbers"]]
    wrong = Counter({"a job was run twice": len(done) - len(set(done)), "a job was left": jobs - len(set(done))})
    for answer in answers:
        wrong.update(answer["faults"])
    return len(set(done)) / max(answer["seconds"] for answer in answers), +wrong


def _history(names: list[str], sizes: Sizes) -> str:
    rows = []
    for name in names:
        found = []
        for finished in sizes.histories:
            with tempfile.TemporaryDirectory() as folder:
                answer = _do(name, "history", folder, finished)
            found.append(answer["seconds"] / answer["pairs"] * 1000)
        rows.append((name, *(f"{ms:.2f} ms ({ms / found[0]:.2f})" for ms in found)))
    head = ["claim + complete after so many finished jobs", *(f"{finished:,}" for finished in sizes.histories)]
    return table(head, rows)


def _waits(names: list[str], sizes: Sizes) -> str:
    rows = []
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            spans = _do(name, "latency", folder, sizes.waits)["spans"]
        rows.append((name, f"{percentile(spans, 0.5):.2f} ms", f"{percentile(spans, 0.99):.2f} ms"))
    return table(["enqueue to start, one process", "p50", "p99"], rows)


def _keeping(names: list[str], sizes: Sizes) -> str:
    rows = []
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            level = SYNCHRONOUS[_do(name, "synchronous", folder)["synchronous"]]
        rows.append((name, level, _fsyncs(name, sizes.jobs // 5), _after_a_kill(name)))
    return table(
        ["durability as found", "synchronous", "fsyncs a job (put, take, done)", "a job whose worker was SIGKILLed"],
        rows,
    )


def _fsyncs(name: str, jobs: int) -> str:
    if shutil.which("strace") is None:
        return "strace is not here"
    return f"{(_counted(name, jobs) - _counted(name, 0)) / jobs:.2f}"


def _counted(name: str, jobs: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "strace"
        strace = ["strace", "-c", "-f", "-e", f"trace={','.join(FSYNCS)}", "-o", str(told)]
        _do(name, "load", folder, jobs, before=strace)
        lines = [line.split() for line in told.read_text().splitlines()]
    return sum(int(line[3]) for line in lines if line and line[-1] in FSYNCS)


def _after_a_kill(name: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        with _open(name, "hold", folder) as holder:
            assert holder.stdout
            assert holder.stdout.readline() == "held\n"
            holder.kill()
        again = _do(name, "after", folder)["again"]
        kept = any(_holds(file) for file in Path(folder).glob("*.db"))
    return "handed out again at the next start" if again else "kept, not handed out by itself" if kept else "lost"


def _holds(file: Path) -> bool:
    """Whether a table of jobs has a row."""
    with contextlib.closing(sqlite3.connect(file)) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()]
        return any(db.execute(f"SELECT 1 FROM [{name}]").fetchone() for name in tables if name.lower() in TABLES)


def _do(name: str, what: str, folder: str, number: int = 0, *, before: list[str] | None = None) -> dict[str, Any]:
    done = subprocess.run(
        [*(before or []), *_command(name, what, folder, number)],
        cwd=ROOT,
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{name} {what}: {done.stderr[-500:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _open(name: str, what: str, folder: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        _command(name, what, folder, 0), cwd=ROOT, env=_environment(), stdin=pipe, stdout=pipe, text=True
    )


def _command(name: str, what: str, folder: str, number: int) -> list[str]:
    return [_python(name), "-m", "bench.peer", name, what, folder, str(number)]


def _python(name: str) -> str:
    return sys.executable if name in OURS else str(ROOT / ".venv-bench" / "bin" / "python")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}
