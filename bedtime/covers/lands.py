"""Where a picture is set, on land: town, garden, forest, meadow, mountain, farm, road. Three planes each."""

from bedtime.covers.brush import HEIGHT, WIDTH, Brush, Land, fill, stroke
from bedtime.covers.palettes import mix
from bedtime.covers.shapes import crest, firs, grass, peaks, ridge, roofs


def town(brush: Brush) -> Land:
    """A street of gables with lit windows, seen from the cobbles."""
    dice, palette = brush.dice, brush.palette
    far, _ = roofs(dice, 352, low=10, high=76)
    mid, windows = roofs(dice, 420, low=16, high=72)
    back = fill(far, palette.far) + fill(mid, palette.mid) + stroke(windows, palette.light, 7, ' opacity=".9"')
    stones = "".join(f"M{dice.roll(0, 380)} {dice.roll(460, 492)}h{dice.roll(8, 16)}" for _ in range(14))
    front = stroke(stones, palette.mid, 5)
    return Land(back + fill(crest(dice, 434, x=brush.x, rise=14), brush.ground), front, (brush.x, 440))


def garden(brush: Brush) -> Land:
    """A fence, bushes behind it, flowers before it."""
    dice, palette = brush.dice, brush.palette
    bushes = "".join(f"M{dice.roll(0, 400)} {dice.roll(338, 372)}h.1" for _ in range(7))
    pickets = "".join(f"M{x} 430V366l9-12 9 12V430z" for x in range(2, 400, 30))
    back = fill(ridge(dice, 330, swing=16), palette.far) + stroke(bushes, palette.mid, 88)
    back += fill(f"{pickets}M0 380H400V388H0ZM0 412H400V420H0Z", mix(palette.far, palette.middle, 40))
    stems, heads = "", ""
    for _ in range(7):
        x, y = dice.roll(8, 392), dice.roll(440, 474)
        stems, heads = f"{stems}M{x} 500Q{x + 6} {y + 20} {x} {y}", f"{heads}M{x} {y}h.1"
    front = stroke(stems, palette.ink, 3) + stroke(heads, palette.tint, 17) + stroke(heads, palette.light, 6)
    return Land(back + fill(crest(dice, 424, x=brush.x, rise=18), brush.ground), front, (brush.x, 430))


def forest(brush: Brush) -> Land:
    """Firs in two depths between two dark trunks."""
    dice, palette = brush.dice, brush.palette
    back = fill(firs(dice, 372, count=7, low=110, high=200) + ridge(dice, 374, swing=8), palette.far)
    back += fill(firs(dice, 404, count=6, low=100, high=190) + ridge(dice, 408, swing=6), palette.mid)
    back += fill(crest(dice, 426, x=brush.x, rise=26), brush.ground)
    left, right = dice.roll(26, 40), dice.roll(362, 376)
    trunks = f"M0 0H{left}Q{left - 14} 300 {left + 12} 500H0ZM400 0H{right}Q{right + 10} 300 {right - 12} 500H400Z"
    branches = f"M{left - 8} 120Q80 110 118 72M{left} 84Q60 60 70 26M{right} 180Q340 170 316 134"
    return Land(back, fill(trunks, palette.ink) + stroke(branches, palette.ink, 8), (brush.x, 432))


def meadow(brush: Brush) -> Land:
    """Hills, long grass and flowers."""
    dice, palette = brush.dice, brush.palette
    back = fill(ridge(dice, 326, swing=24), palette.far) + fill(ridge(dice, 376, swing=24, steps=3), palette.mid)
    back += fill(crest(dice, 424, x=brush.x, rise=40), brush.ground)
    flowers = "".join(f"M{dice.roll(4, 396)} {dice.roll(462, 494)}h.1" for _ in range(12))
    front = stroke(grass(dice, 504, blades=22, tall=54), palette.ink, 4) + stroke(flowers, palette.tint, 8)
    return Land(back, front, (brush.x, 428))


def mountain(brush: Brush) -> Land:
    """Peaks with snow on them, foothills, the tips of firs."""
    dice, palette = brush.dice, brush.palette
    rock, caps = peaks(dice, 372, height=210, count=3)
    nearer, _ = peaks(dice, 410, height=90, count=4)
    back = fill(rock, palette.far) + fill(caps, palette.pale, ' opacity=".85"') + fill(nearer, palette.mid)
    back += fill(crest(dice, 426, x=brush.x, rise=34), brush.ground)
    return Land(back, fill(firs(dice, 512, count=5, low=60, high=110), palette.ink), (brush.x, 430))


def farm(brush: Brush) -> Land:
    """A barn and a silo over a ploughed field."""
    dice, palette = brush.dice, brush.palette
    back = fill(ridge(dice, 336, swing=20), palette.far)
    x = WIDTH // 2 + brush.aside * 115 - 45
    barn = f"M{x} 388V334l14-26h54l14 26v54zM{x + 92} 388v-76q12-22 24 0v76z"
    back += fill(barn, mix(palette.mid, palette.tint, 30))
    back += fill(f"M{x + 30} 388v-30h22v30zM{x + 35} 326h12v12h-12z", palette.light)
    back += fill(ridge(dice, 388, swing=8, steps=3), palette.mid)
    back += fill(crest(dice, 426, x=brush.x, rise=22), brush.ground)
    rows = "".join(f"M{brush.x + k * 26} 440Q{brush.x + k * 60} 462 {brush.x + k * 120} 504" for k in range(-5, 6))
    return Land(back + stroke(rows, palette.mid, 4, ' opacity=".8"'), "", (brush.x, 432))


def road(brush: Brush) -> Land:
    """A road that winds out of the hills."""
    dice, palette = brush.dice, brush.palette
    back = fill(ridge(dice, 324, swing=26), palette.far) + fill(ridge(dice, 364, swing=12, steps=3), palette.mid)
    back += fill(f"M0 396Q200 372 400 396V{HEIGHT}H0Z", brush.ground)
    bend, end = 200 + 90 * brush.aside, 200 + 20 * brush.aside
    path = f"M{end - 5} 384Q{bend} 402 {bend - 70} 430T40 500H360Q{bend + 120} 450 {bend + 40} 424T{end + 5} 384Z"
    back += fill(path, mix(palette.middle, palette.low, 45), ' opacity=".75"')
    stones = "".join(f"M{dice.roll(0, 400)} {dice.roll(420, 496)}h{dice.roll(3, 9)}" for _ in range(7))
    return Land(back, stroke(stones, palette.ink, 7), (brush.x, 452))
