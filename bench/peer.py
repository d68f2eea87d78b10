"""One measurement of one queue, in a process of its own: `python -m bench.peer QUEUE DO FOLDER [NUMBER]`; JSON comes out.

enqueue N, pair N (take and done), history N (a pair after N finished ones), latency N, drain (waits for a line, then takes
until there is nothing), load N (puts, takes, does; for strace), hold (takes one and never ends it), after (what came of it).
"""

import importlib
import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.queues import Queue

PAIRS_AFTER_HISTORY = 300
NOTHING_FOR_SECONDS = 3.0


def enqueue(queue: Queue, times: int) -> dict[str, Any]:
    return {"seconds": _span(lambda: _put(queue, times))}


def pair(queue: Queue, times: int) -> dict[str, Any]:
    return {"seconds": _span(lambda: _finish(queue, times))}


def history(queue: Queue, finished: int) -> dict[str, Any]:
    queue.fill(finished)
    for n in range(PAIRS_AFTER_HISTORY):
        queue.put(n)
    return {**pair(queue, PAIRS_AFTER_HISTORY), "pairs": PAIRS_AFTER_HISTORY}


def latency(queue: Queue, times: int) -> dict[str, Any]:
    """Milliseconds from the return of a put to the first line of the job; the worker has rested before."""
    started: dict[int, float] = {}
    heard = threading.Event()

    def on_start(number: int) -> None:
        started[number] = time.perf_counter()
        heard.set()

    queue.work(on_start)
    spans = []
    for n in range(times):
        threading.Event().wait(0.05 + 0.001 * (n * 37 % 100))  # not in step with anybody's poll
        heard.clear()
        queue.put(n)
        asked = time.perf_counter()
        if not heard.wait(30):
            break
        spans.append(max(started[n] - asked, 0.0) * 1000)
    return {"spans": spans}


def drain(queue: Queue, _: int) -> dict[str, Any]:
    print("ready", flush=True)
    sys.stdin.readline()
    numbers: list[int] = []
    faults: Counter[str] = Counter()

    def until_empty() -> None:
        while sum(faults.values()) < 1000:
            try:
                job = queue.take()
                if job is None:
                    return
                queue.done(job)
                numbers.append(queue.number_of(job))
            except Exception as error:
                faults[f"{type(error).__name__}: {error}"[:100]] += 1

    return {"seconds": _span(until_empty), "numbers": numbers, "faults": faults}


def load(queue: Queue, times: int) -> dict[str, Any]:
    enqueue(queue, times)
    pair(queue, times)
    return {}


def hold(queue: Queue, _: int) -> dict[str, Any]:
    queue.put(7)
    assert queue.take() is not None
    print("held", flush=True)
    threading.Event().wait()
    return {}


def after(queue: Queue, _: int) -> dict[str, Any]:
    """Whether the job is handed out again by a new process, within some seconds."""
    queue.recover()
    until = time.monotonic() + NOTHING_FOR_SECONDS
    while time.monotonic() < until:
        if queue.take() is not None:
            return {"again": True}
        threading.Event().wait(0.1)
    return {"again": False}


def synchronous(queue: Queue, _: int) -> dict[str, Any]:
    return {"synchronous": queue.synchronous()}


DOES: dict[str, Callable[[Queue, int], dict[str, Any]]] = {
    act.__name__: act for act in (enqueue, pair, history, latency, drain, load, hold, after, synchronous)
}


def _put(queue: Queue, times: int) -> None:
    for n in range(times):
        queue.put(n)


def _finish(queue: Queue, times: int) -> None:
    for _ in range(times):
        queue.done(queue.take())


def _span(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def main(name: str, what: str, folder: str, number: str = "0") -> None:
    queue: Queue = importlib.import_module(f"bench.queues.{name}").open_in(Path(folder))
    print(json.dumps(DOES[what](queue, int(number))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)  # a consumer's threads would stay
