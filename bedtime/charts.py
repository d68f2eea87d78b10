"""A month of days as bars: where each stands in a picture of fixed height, and what the lines across it mean."""

from collections.abc import Sequence
from dataclasses import dataclass

HEIGHT, DAY_WIDTH, GAP = 100, 10, 2
STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Bar:
    """One day: from `y` down what is known, and on top of it, from `doubt_y`, what nobody knows."""

    x: int
    y: float
    height: float
    doubt_y: float
    doubt_height: float


@dataclass(frozen=True, slots=True)
class Chart:
    """The bars, and what the upper edge stands for; the line in the middle is half of it."""

    width: int
    height: int
    bar_width: int
    top: int
    bars: tuple[Bar, ...]


def month(days: Sequence[tuple[int, int]]) -> Chart:
    """A chart of (known, unknown) amounts, a pair a day. None may be below 0."""
    top = round_up(max((known + unknown for known, unknown in days), default=0))
    return Chart(
        width=DAY_WIDTH * len(days),
        height=HEIGHT,
        bar_width=DAY_WIDTH - GAP,
        top=top,
        bars=tuple(_bar(number, known, unknown, top) for number, (known, unknown) in enumerate(days)),
    )


def round_up(amount: int) -> int:
    """The next amount that is easily read: 1, 2 or 5 and zeros; at least 1."""
    zeros = 1
    while True:
        for step in STEPS:
            if amount <= step * zeros:
                return step * zeros
        zeros *= 10


def _bar(number: int, known: int, unknown: int, top: int) -> Bar:
    height, doubt_height = (round(HEIGHT * amount / top, 2) for amount in (known, unknown))
    y = round(HEIGHT - height, 2)
    return Bar(number * DAY_WIDTH + GAP // 2, y, height, round(y - doubt_height, 2), doubt_height)
