"""Pieces that lands are made of: ridges, peaks, roofs, trees, all in whole numbers."""

from bedtime.covers.brush import HEIGHT, WIDTH
from bedtime.covers.dice import Dice


def ridge(dice: Dice, y: int, *, swing: int, steps: int = 4) -> str:
    """A soft line of hills from edge to edge, closed at the bottom."""
    step = WIDTH // steps
    first, second = y + dice.roll(-swing, swing), y + dice.roll(-swing, swing)
    path = f"M0 {first}C{step // 2} {first} {step // 2} {second} {step} {second}"
    for i in range(2, steps + 1):
        at = y + dice.roll(-swing, swing)
        path += f"S{step * i - step // 2} {at} {step * i} {at}"
    return f"{path}V{HEIGHT}H0Z"


def crest(dice: Dice, y: int, *, x: int, rise: int) -> str:
    """One hill whose top lies at (x, y), closed at the bottom."""
    left, right = y + dice.roll(rise // 2, rise), y + dice.roll(rise // 2, rise)
    return f"M0 {left}C{x // 2} {left} {x // 2} {y} {x} {y}S{(x + WIDTH) // 2} {right} {WIDTH} {right}V{HEIGHT}H0Z"


def peaks(dice: Dice, y: int, *, height: int, count: int) -> tuple[str, str]:
    """A chain of mountains, and the snow on it."""
    step, rock, caps, x = WIDTH // count, f"M-40 {HEIGHT}V{y}", "", -40
    for _ in range(count + 1):
        rise, half = dice.roll(height * 6 // 10, height), step // 2 + dice.roll(0, step // 4)
        top_x, top_y, cap = x + half, y - rise, rise * 36 // 100
        side = half * 36 // 100
        rock += f"L{top_x} {top_y}L{top_x + half} {y}"
        caps += f"M{top_x} {top_y}l{side} {cap}-{side // 2}-9-{side // 2} 15-{side // 2}-14-{side - side // 2} 8z"
        x = top_x + half - dice.roll(10, 30)
    return f"{rock}V{HEIGHT}Z", caps


def roofs(dice: Dice, y: int, *, low: int, high: int) -> tuple[str, str]:
    """A street of gables, and dots where its windows are lit."""
    path, windows, x = f"M0 {HEIGHT}", "", 0
    while x < WIDTH:
        width, top = dice.roll(38, 66), y - dice.roll(low, high)
        gable = dice.pick((0, width // 2, width * 2 // 3))
        path += f"V{top}" + (f"l{width // 2}-{gable} {width - width // 2} {gable}" if gable else f"h{width}")
        for row in range(2):
            if dice.roll(0, 2):
                windows += f"M{x + dice.roll(12, width - 12)} {top + 20 + 26 * row}v5"
        x += width
    return f"{path}V{HEIGHT}Z", windows


def firs(dice: Dice, y: int, *, count: int, low: int, high: int) -> str:
    """Fir trees in a row, standing at about y."""
    path = ""
    for i in range(count):
        x = WIDTH * i // count + dice.roll(0, WIDTH // count)
        foot, third = y + dice.roll(0, 14), dice.roll(low, high) // 3
        out = third * 52 // 100
        down, up = f"l{out} {third}", f"l{out}-{third}"
        path += f"M{x} {foot - 3 * third}{down}h-9{down}h-9{down}h-{6 * out - 36}{up}h-9{up}h-9{up}z"
    return path


def grass(dice: Dice, y: int, *, blades: int, tall: int) -> str:
    """Blades along the lower edge, to be stroked."""
    path = ""
    for i in range(blades):
        x = WIDTH * i // blades + dice.roll(0, WIDTH // blades)
        path += f"M{x} {y}q{dice.roll(-4, 4)}-{tall // 2} {dice.roll(-14, 14)}-{dice.roll(tall // 2, tall)}"
    return path
