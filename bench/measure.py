"""Repeats, medians and tables; every number is shown beside the bare thing's of the same run."""

import os
import platform
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

REPEATS = 5


@dataclass(frozen=True)
class Rate:
    """Operations a second: the median of the repeats, with the least and the most."""

    median: float
    least: float
    most: float

    def __str__(self) -> str:
        return f"{self.median:,.0f}/s ({self.least:,.0f}–{self.most:,.0f})"


def rate(operation: Callable[[int], object], *, times: int, repeats: int = REPEATS) -> Rate:
    """Run `operation(n)` `times` times, `repeats` times over, after a tenth of it to warm up."""
    for n in range(max(times // 10, 1)):
        operation(n)
    rates, n = [], times
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(times):
            operation(n)
            n += 1
        rates.append(times / (time.perf_counter() - start))
    return Rate(statistics.median(rates), min(rates), max(rates))


def side_by_side(
    pairs: Sequence[tuple[Callable[[int], object], Callable[[int], object]]], *, times: int
) -> list[tuple[Rate, Rate, float]]:
    """Ours and the bare thing in turns, so that a slow moment of the machine meets both: rates and the ratio's median."""
    results = []
    for ours, bare in pairs:
        ratios, mine, theirs = [], [], []
        rate(ours, times=max(times // 10, 1), repeats=1)
        rate(bare, times=max(times // 10, 1), repeats=1)
        for _ in range(REPEATS):
            theirs.append(rate(bare, times=times, repeats=1).median)
            mine.append(rate(ours, times=times, repeats=1).median)
            ratios.append(mine[-1] / theirs[-1])
        results.append((_rate(mine), _rate(theirs), statistics.median(ratios)))
    return results


def _rate(rates: list[float]) -> Rate:
    return Rate(statistics.median(rates), min(rates), max(rates))


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of them lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows)])


def machine() -> str:
    """What it ran on."""
    return (
        f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()} {platform.release().split('-')[0]}; "
        f"Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}; load at the start {os.getloadavg()[0]:.1f}"
    )
