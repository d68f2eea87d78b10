"""How the work for a text grows with its length, or from one way to another, whatever the machine does meanwhile."""

import sys
import time
from collections.abc import Callable
from types import FrameType

PIECES = 64


def times_dearer(work: Callable[[int], object], length: int) -> float:
    """What `work` of a length costs, as a multiple of 64 times its 64th part: 1 for even growth, 64 for a square.

    CPU time, the lesser of two turns each, so that what a busy machine adds stays far below the gap between the two.
    """

    def seconds(size: int, times: int) -> float:
        before = time.process_time()
        for _ in range(times):
            work(size)
        return time.process_time() - before

    pairs = [(seconds(length, 1), seconds(length // PIECES, PIECES)) for _ in range(2)]
    return min(whole for whole, _ in pairs) / min(pieces for _, pieces in pairs)


def steps(work: Callable[[], object]) -> int:
    """How many functions `work` calls and how many generators it resumes, the second time, when every cache is warm."""
    count = 0

    def step(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event == "call"

    work()
    before = sys.getprofile()
    sys.setprofile(step)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
