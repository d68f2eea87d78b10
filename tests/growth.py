"""How the work for a text grows with its length, whatever the machine does meanwhile."""

import time
from collections.abc import Callable

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
