"""What hangs above: the sky's gradient, stars, clouds, the moon in its phase."""

from bedtime.covers.brush import WIDTH, Brush, stroke

PHASES = ("crescent", "half", "gibbous", "full")


def gradients(brush: Brush) -> str:
    """The definitions that a picture refers to, under ids that hang on the seed."""
    palette, mark = brush.palette, brush.mark
    return (
        f'<defs><linearGradient id="s{mark}" x2="0" y2="1"><stop offset="0" stop-color="{palette.top}"/>'
        f'<stop offset=".42" stop-color="{palette.middle}"/><stop offset=".72" stop-color="{palette.low}"/>'
        f'</linearGradient><radialGradient id="g{mark}"><stop offset="0" stop-color="{palette.light}" stop-opacity=".55"/>'
        f'<stop offset="1" stop-color="{palette.light}" stop-opacity="0"/></radialGradient></defs>'
    )


def above(brush: Brush, *, hangs: str) -> str:
    """Everything in the sky. The moon `hangs` in a "window", "high", "anywhere", or "nowhere"."""
    lit = "" if hangs == "nowhere" else _hung_moon(brush, hangs)
    return f'<path fill="url(#s{brush.mark})" d="M0 0H400V500H0Z"/>{_stars(brush)}{lit}{_clouds(brush)}'


def moon(colour: str, glow: str, *, x: int, y: int, radius: int, phase: str, tilt: int = 0) -> str:
    """The moon with its halo; the part in shadow is just to be seen."""
    halo = f'<circle cx="{x}" cy="{y}" r="{radius * 3}" fill="url(#{glow})"/>'
    if phase == "full":
        return f'{halo}<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}"/>'
    waist, bulges = {"crescent": (62, 0), "half": (0, 0), "gibbous": (55, 1)}[phase]
    edge = f"A{radius * waist // 100} {radius} 0 0 {bulges} 0-{radius}" if waist else ""
    lit = f'<path d="M0-{radius}A{radius} {radius} 0 0 1 0 {radius}{edge}Z"/>'
    dark = f'<circle r="{radius}" opacity=".14"/>'
    return f'{halo}<g transform="translate({x} {y})rotate({tilt})" fill="{colour}">{dark}{lit}</g>'


def _hung_moon(brush: Brush, hangs: str) -> str:
    """On the side where there is room; anywhere is now and then large and low behind the motif."""
    dice, colour, glow = brush.dice, brush.palette.pale, f"g{brush.mark}"
    if hangs == "anywhere" and not dice.roll(0, 3):
        return moon(colour, glow, x=brush.x, y=300, radius=104, phase="full")
    x = WIDTH // 2 + brush.aside * (dice.roll(44, 76) if hangs == "window" else dice.roll(72, 132))
    y, radius = dice.roll(88, 150), dice.roll(26, 38)
    return moon(colour, glow, x=x, y=y, radius=radius, phase=dice.pick(PHASES), tilt=dice.roll(-35, 35))


def _stars(brush: Brush) -> str:
    """A few large ones and more small ones, thinning out towards the horizon."""
    dice, colour = brush.dice, brush.palette.pale
    small = "".join(f"M{dice.roll(6, 394)} {dice.roll(8, 150 + dice.roll(0, 110))}h.1" for _ in range(22))
    large = "".join(f"M{dice.roll(10, 390)} {dice.roll(10, 190)}h.1" for _ in range(7))
    return stroke(small, colour, 3, ' opacity=".55"') + stroke(large, colour, 5, ' opacity=".9"')


def _clouds(brush: Brush) -> str:
    """Long clouds low over the horizon, as cut from paper."""
    dice, lines = brush.dice, ""
    for _ in range(dice.roll(1, 3)):
        x, y, length = dice.roll(-40, 300), dice.roll(150, 270), dice.roll(60, 130)
        lines += f"M{x} {y}h{length}M{x + dice.roll(20, 50)} {y + 14}h{length}"
    return stroke(lines, brush.palette.low, 15, ' opacity=".32"')
