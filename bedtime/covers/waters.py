"""Where a picture is set, on water and above it: river, sea, harbour, sky."""

from bedtime.covers.brush import HEIGHT, WIDTH, Brush, Land, fill, stroke
from bedtime.covers.palettes import mix
from bedtime.covers.shapes import crest, grass, ridge


def river(brush: Brush) -> Land:
    """A river that comes out of the hills, with reeds on its bank."""
    dice, palette = brush.dice, brush.palette
    back = fill(ridge(dice, 322, swing=26), palette.far) + fill(ridge(dice, 356, swing=14), palette.mid)
    back += fill(f"M0 394Q200 378 400 394V{HEIGHT}H0Z", brush.ground)
    x = brush.x if brush.afloat else WIDTH // 2 + brush.aside * 100
    water = f"M{x - 8} 384Q{x + 70} 398 {x - 30} 418T{x - 130} 500H{x + 150}Q{x + 140} 440 {x + 60} 414T{x + 8} 384Z"
    back += fill(water, mix(palette.middle, palette.low, 62))
    back += stroke(
        f"M{x - 20} 436h50M{x - 60} 462h36M{x + 30} 474h60M{x - 20} 490h40", palette.pale, 3, ' opacity=".6"'
    )
    bank = fill(f"M0 {HEIGHT}V470Q70 446 130 {HEIGHT}ZM400 {HEIGHT}V462Q330 450 290 {HEIGHT}Z", palette.ink)
    reeds = stroke(grass(dice, 504, blades=9, tall=90), palette.ink, 5)
    return Land(back, bank + reeds, (brush.x, 462 if brush.afloat else 432))


def sea(brush: Brush) -> Land:
    """Open water, and a rock for what cannot swim."""
    palette, x = brush.palette, brush.x
    back = _water(brush, 336)
    if not brush.afloat:
        back += fill(f"M{x - 150} 444Q{x - 96} 404 {x - 30} 402H{x + 40}Q{x + 90} 408 {x + 150} 444Z", brush.ground)
    front = fill(_waves(brush, 438), palette.near) + fill(_waves(brush, 472), palette.ink)
    return Land(back, front, (x, 430 if brush.afloat else 406))


def harbour(brush: Brush) -> Land:
    """Still water with a moored boat, a jetty in front."""
    dice, palette = brush.dice, brush.palette
    back = fill(ridge(dice, 326, swing=18), palette.far) + _water(brush, 344)
    at = WIDTH // 2 + brush.aside * 130 - 40
    moored = f"M{at} 372h76l-12 15h-50zM{at + 34} 368v-84h4v84zM{at + 42} 362v-66l30 66z"
    front = _piles(brush) if brush.afloat else _jetty(brush)
    return Land(back + fill(moored, palette.mid), front, (brush.x, 432 if brush.afloat else 428))


def sky(brush: Brush) -> Land:
    """Banks of cloud, and the nearest one to stand on."""
    dice, palette = brush.dice, brush.palette
    back = stroke(_puffs(brush, 372, 6), palette.far, 100) + stroke(_puffs(brush, 424, 7), palette.mid, 92)
    bank = fill(crest(dice, 442, x=brush.x, rise=10), brush.ground) + stroke(_puffs(brush, 468, 6), brush.ground, 74)
    return Land(back + bank, "", (brush.x, 444))


def _piles(brush: Brush) -> str:
    at = WIDTH // 2 + brush.aside * 140 - 30
    piles = f"M{at} 500V404h16v96zM{at + 48} 500V420h16v80z"
    return fill(_waves(brush, 440), brush.palette.near) + fill(piles, brush.palette.ink)


def _jetty(brush: Brush) -> str:
    pier = "M0 426H400V440H0Z" + "".join(f"M{at} 440h16v60h-16z" for at in (30, 140, 250, 350))
    boards = "".join(f"M{at} 428v10" for at in range(16, 400, 32))
    waves = fill(_waves(brush, 474), brush.palette.near)
    return waves + fill(pier, brush.palette.ink) + stroke(boards, brush.palette.mid, 2)


def _water(brush: Brush, y: int) -> str:
    """Water from the horizon down, with the light of the sky on it."""
    dice, palette = brush.dice, brush.palette
    lines = "".join(f"M{brush.x - dice.roll(0, 90)} {y + 10 + k * 11}h{dice.roll(24, 50) + k * 6}" for k in range(8))
    low = fill(f"M0 {y}H400V{HEIGHT}H0Z", mix(palette.middle, palette.low, 28))
    deep = fill(f"M0 {y + 44}H400V{HEIGHT}H0Z", palette.mid, ' opacity=".55"')
    return low + deep + stroke(lines, palette.pale, 4, ' opacity=".5"')


def _waves(brush: Brush, y: int) -> str:
    """A crest of even waves, closed at the bottom."""
    start = -brush.dice.roll(0, 60)
    return f"M{start} {y}" + "q20-16 40 0t40 0" * 6 + f"V{HEIGHT}H{start}Z"


def _puffs(brush: Brush, y: int, count: int) -> str:
    """Dots that make a bank of cloud when they are thick."""
    return "".join(f"M{400 * k // (count - 1)} {y + brush.dice.roll(-16, 22)}v60" for k in range(count))
