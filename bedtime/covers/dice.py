"""Dice that fall alike for ever: splitmix64, whole numbers only, independent of Python's own random."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_64_BITS = (1 << 64) - 1


class Dice:
    """Throws that hang on the seed alone."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _64_BITS

    def roll(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + self._next() % (high - low + 1)

    def pick(self, things: Sequence[T]) -> T:
        """One of several things."""
        return things[self.roll(0, len(things) - 1)]

    def _next(self) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _64_BITS
        mixed = self._state
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _64_BITS
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _64_BITS
        return mixed ^ mixed >> 31
