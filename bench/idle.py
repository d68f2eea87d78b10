"""What a house that nobody asks costs: processor time over half a minute."""

import tempfile
import time
from pathlib import Path

from running import Running

from bench.measure import table

SECONDS = 30


def run(seconds: float = SECONDS) -> str:
    with tempfile.TemporaryDirectory() as folder, Running(Path(folder) / "house") as house:
        assert house.process
        assert house.get("/healthz").status_code == 200
        time.sleep(seconds / 10)  # what is done once after the start is over
        before = _processor_seconds(house.process.pid)
        time.sleep(seconds)
        spent = _processor_seconds(house.process.pid) - before
    row = (f"{seconds:g} s", f"{spent * 1000:.0f} ms", f"{spent / seconds:.3%}")
    return "### Idle\n\n" + table(["over", "processor", "of a core"], [row])


def _processor_seconds(pid: int) -> float:
    """Of all its threads, to the nanosecond: https://docs.kernel.org/scheduler/sched-stats.html."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9
