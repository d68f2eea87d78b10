"""Where a picture is set, indoors: the motif on a sill, the evening behind the glass."""

from bedtime.covers.brush import HEIGHT, WIDTH, Brush, Land, fill, stroke
from bedtime.covers.palettes import mix
from bedtime.covers.shapes import ridge

LEFT, TOP, RIGHT, SILL = 62, 60, 338, 388
_ARCHES = (
    f"V{TOP + 130}a138 138 0 0 1 276 0V{SILL}Z",
    f"V{TOP}H{RIGHT}V{SILL}Z",
    f"V{TOP + 60}q138-100 276 0V{SILL}Z",
)


def house(brush: Brush) -> Land:
    """Hills behind a window, a wall round it, curtains, and a sill."""
    palette, dice = brush.palette, brush.dice
    wall = mix(palette.middle, palette.ink, 58)
    opening = f"M{LEFT} {SILL}{dice.pick(_ARCHES)}"
    back = fill(ridge(dice, 340, swing=22), palette.far) + fill(ridge(dice, 372, swing=14), palette.mid)
    back += fill(f"M0 0H{WIDTH}V{HEIGHT}H0Z{opening}", wall, ' fill-rule="evenodd"')
    back += f'<path d="{opening}" fill="none" stroke="{palette.ink}" stroke-width="12"/>'
    back += stroke(f"M200 {TOP - 4}V{SILL}M{LEFT} 214H{RIGHT}", palette.ink, 6)
    back += _curtains(brush) + fill(f"M30 {SILL}H370v20H30Z", palette.ink)
    return Land(back + fill(f"M0 {SILL + 20}H400V{HEIGHT}H0Z", mix(wall, palette.ink, 35)), "", (brush.x, SILL + 4))


def _curtains(brush: Brush) -> str:
    cloth = "M0 0H96Q104 230 30 404H0ZM400 0H304Q296 230 370 404H400Z"
    folds = "M34 0Q40 210 12 400M68 0Q74 220 24 398M366 0Q360 210 388 400M332 0Q326 220 376 398"
    tint, ink = brush.palette.tint, brush.palette.ink
    return fill(cloth, tint, ' opacity=".82"') + stroke(folds, ink, 3, ' opacity=".25"')
