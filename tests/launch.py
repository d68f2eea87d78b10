"""Starts the product as `make run` does, and kills it with SIGKILL at a step: no word of crashing stands in the product.

python tests/launch.py                 with CRASH_AT unset: as `python app.py`
CRASH_AT=mark.after_commit             at the first time that this step is heard
CRASH_AT=call.mid_body:3               at the third time
CRASH_AT=claim.after_commit@stories-1  in the thread of that name only
HOLD_AT=spool.reserved HOLD=FILE       the first thread that comes there makes FILE, and stays until FILE is gone
TRACE=FILE                             each step that is heard is written down there, a line each
"""

import os
import signal
import threading
from pathlib import Path

import app

_PAUSE = threading.Event()  # never set: it only waits


class Step:
    """`name[:n][@thread]`: true at the n-th time that the step is heard, in that thread if one is named."""

    def __init__(self, text: str) -> None:
        step, _, self._thread = text.partition("@")
        self._name, _, times = step.partition(":")
        self._left = int(times or 1)

    def is_now(self, name: str) -> bool:
        if name != self._name or self._thread not in ("", threading.current_thread().name):
            return False
        self._left -= 1
        return self._left == 0


class Observer:
    def __init__(self, *, crash_at: str, hold_at: str, hold: str, trace: str) -> None:
        self._crash_at, self._hold_at = Step(crash_at), Step(hold_at)
        self._hold, self._trace = Path(hold), Path(trace) if trace else None

    def __call__(self, name: str) -> None:
        if self._trace:
            with self._trace.open("a") as trace:
                trace.write(f"{name}\n")
        if self._crash_at.is_now(name):
            os.kill(os.getpid(), signal.SIGKILL)
        if self._hold_at.is_now(name):
            self._hold.touch()
            while self._hold.exists():
                _PAUSE.wait(0.005)


def main() -> None:
    names = ("crash_at", "hold_at", "hold", "trace")
    app.main(Observer(**{name: os.environ.get(name.upper(), "") for name in names}))


if __name__ == "__main__":
    main()
