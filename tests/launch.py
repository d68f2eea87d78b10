"""Starts the product as `make run` does, and kills it with SIGKILL at a step: no word of crashing stands in the product.

python tests/launch.py             with CRASH_AT unset: as `python app.py`
CRASH_AT=mark.after_commit         at the first time that this step is heard
CRASH_AT=call.mid_body:3           at the third time
TRACE=FILE                         each step that is heard is written down there, a line each
"""

import os
import signal
from pathlib import Path

import app


class Observer:
    def __init__(self, crash_at: str, trace: str) -> None:
        self._point, _, times = crash_at.partition(":")
        self._left = int(times or 1)
        self._trace = Path(trace) if trace else None

    def __call__(self, point: str) -> None:
        if self._trace:
            with self._trace.open("a") as trace:
                trace.write(f"{point}\n")
        if point != self._point:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    app.main(Observer(os.environ.get("CRASH_AT", ""), os.environ.get("TRACE", "")))
