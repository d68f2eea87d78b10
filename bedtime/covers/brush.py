"""What every part of a picture is drawn with."""

from dataclasses import dataclass

from bedtime.covers.dice import Dice
from bedtime.covers.palettes import Palette

WIDTH, HEIGHT = 400, 500


@dataclass(frozen=True, slots=True)
class Brush:
    """The dice and colours of one picture.

    `mark` ends the ids of its gradients, `ground` is the colour underfoot, `x` where the motif stands; `afloat` if it
    swims or flies instead.
    """

    dice: Dice
    palette: Palette
    mark: str
    ground: str
    x: int
    afloat: bool

    @property
    def aside(self) -> int:
        """1 where there is more room to the right of the motif, -1 where there is more to its left."""
        return 1 if self.x < WIDTH // 2 else -1


@dataclass(frozen=True, slots=True)
class Land:
    """What lies behind the motif, what lies before it, and the spot where it stands."""

    back: str
    front: str
    spot: tuple[int, int]


def fill(path: str, colour: str, more: str = "") -> str:
    """A filled path."""
    return f'<path d="{path}" fill="{colour}"{more}/>'


def stroke(path: str, colour: str, width: int, more: str = "") -> str:
    """Lines, with round ends as the picture says at its top; a line of hardly any length is a dot."""
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{more}/>'
