"""What the season lets fall or fly."""

from bedtime.covers.brush import Brush, stroke
from bedtime.covers.palettes import mix

SEASONS = ("spring", "summer", "autumn", "winter")


def weather(brush: Brush, season: str) -> str:
    """Snow, leaves, blossom or fireflies; in no season at all, now and then a falling star or a few birds."""
    draw = {"winter": _snow, "autumn": _leaves, "spring": _blossom, "summer": _fireflies}.get(season, _passers_by)
    return draw(brush)


def _snow(brush: Brush) -> str:
    dice, palette = brush.dice, brush.palette
    small = "".join(f"M{dice.roll(4, 396)} {dice.roll(10, 490)}h.1" for _ in range(22))
    large = "".join(f"M{dice.roll(4, 396)} {dice.roll(10, 470)}h.1" for _ in range(11))
    return stroke(small, palette.pale, 5, ' opacity=".7"') + stroke(large, palette.pale, 10, ' opacity=".85"')


def _leaves(brush: Brush) -> str:
    dice, palette = brush.dice, brush.palette
    leaves = ["", ""]
    for i in range(12):
        turn = dice.pick(("q10-16 26-10-10 16-26 10", "q-2-18 14-24 4 18-14 24", "q16-10 26 4-18 8-26-4"))
        leaves[i % 2] += f"M{dice.roll(8, 370)} {dice.roll(150, 486)}{turn}"
    return f'<path d="{leaves[0]}" fill="{palette.tint}"/><path d="{leaves[1]}" fill="{palette.light}" opacity=".9"/>'


def _blossom(brush: Brush) -> str:
    dice, palette = brush.dice, brush.palette
    pink = mix("#f0a3b4", palette.pale, 35)
    flip = ' transform="translate(400)scale(-1 1)"' if brush.aside < 0 else ""  # not in front of the moon
    bough = stroke("M-10 22Q90 30 170 96M60 34Q110 20 150 26M100 54Q120 84 112 118", palette.ink, 7)
    spots = ((30, 22), (62, 40), (84, 28), (118, 22), (152, 28), (104, 60), (132, 74), (170, 98), (112, 92), (110, 120))
    flowers = "".join(f"M{x + dice.roll(-6, 6)} {y + dice.roll(-6, 6)}h.1" for x, y in spots)
    petals = "".join(f"M{dice.roll(20, 380)} {dice.roll(150, 480)}l4 3" for _ in range(9))
    boughs = bough + stroke(flowers, pink, 25) + stroke(flowers, "#c9637c", 7)
    return f"<g{flip}>{boughs}{stroke(petals, pink, 7)}</g>"


def _fireflies(brush: Brush) -> str:
    dice, palette = brush.dice, brush.palette
    spots = [(dice.roll(14, 386), dice.roll(300, 480)) for _ in range(10)]
    dots = "".join(f"M{x} {y}h.1" for x, y in spots)
    halos = "".join(f'<circle cx="{x}" cy="{y}" r="22"/>' for x, y in spots[:6])
    return f'<g fill="url(#g{brush.mark})">{halos}</g>' + stroke(dots, palette.light, 6)


def _passers_by(brush: Brush) -> str:
    dice, palette = brush.dice, brush.palette
    x, y = dice.roll(60, 300), dice.roll(60, 190)
    falling = stroke(f"M{x} {y}l46-22", palette.pale, 2, ' opacity=".6"') + stroke(f"M{x} {y}h.1", palette.pale, 6)
    flock = "".join(f"M{x + 26 * k} {y + dice.roll(-12, 12)}q7-9 12 0 5-9 12 0" for k in range(3))
    return dice.pick((falling, stroke(flock, palette.ink, 3), ""))
