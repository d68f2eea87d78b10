"""A picture for each story, drawn from its seed: sky, a light, land in three planes, one thing that it is about."""

import re
from xml.sax.saxutils import escape

from bedtime.covers import lands, motifs, rooms, sky, waters
from bedtime.covers.brush import Brush
from bedtime.covers.dice import Dice
from bedtime.covers.moonrise import STEPS, moonrise
from bedtime.covers.palettes import PALETTES
from bedtime.covers.weather import SEASONS, weather

__all__ = ["PLACES", "SEASONS", "STEPS", "cover", "moonrise"]

_LANDS = {
    "town": lands.town, "house": rooms.house, "garden": lands.garden, "forest": lands.forest, "meadow": lands.meadow,
    "mountain": lands.mountain, "river": waters.river, "sea": waters.sea, "harbour": waters.harbour,
    "farm": lands.farm, "sky": waters.sky, "road": lands.road,
}  # fmt: skip
PLACES = tuple(_LANDS)
_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def cover(seed: int, *, shape: str, place: str = "", season: str = "", title: str = "") -> str:
    """An SVG of 400 by 500 units, alike for ever for the same seed, shape, place and season; neighbours differ.

    Presentation attributes only, ids that hang on the seed. A shape, place or season that is unknown is drawn by lot.
    With a title it is a picture of that name, whatever is in it; without one it is decoration.
    """
    dice = Dice(seed)
    place = place if place in _LANDS else dice.pick(PLACES)
    motif = motifs.choose(dice, shape=shape, place=place)
    brush = _brush(seed, dice, motif, season)
    indoors = place == "house"
    above = sky.above(brush, hangs=motifs.moon_for(motif, indoors=indoors))
    land = _LANDS[place](brush)
    air = weather(brush, season)
    at = (brush.x, dice.roll(200, 240)) if motif in motifs.IN_THE_AIR else land.spot
    thing = motifs.draw(motif, brush, at=at)
    layers = (above, air, land.back, thing, land.front) if indoors else (above, land.back, thing, land.front, air)
    return f"{_opening(title)}{sky.gradients(brush)}{''.join(layers)}</svg>"


def _brush(seed: int, dice: Dice, motif: str, season: str) -> Brush:
    palette = PALETTES[seed * 4 % len(PALETTES)]  # neighbours lie far apart
    return Brush(
        dice=dice,
        palette=palette,
        mark=f"{seed & (1 << 64) - 1:x}",
        ground=palette.snow if season == "winter" else palette.near,
        x=dice.roll(150, 250),
        afloat=motif in motifs.ON_WATER | motifs.IN_THE_AIR,
    )


def _opening(title: str) -> str:
    name = escape(_NOT_XML.sub("", title)).strip()
    named = f'role="img"><title>{name}</title>' if name else 'aria-hidden="true">'
    return f'<svg xmlns="http://www.w3.org/2000/svg" class="cover" viewBox="0 0 400 500" stroke-linecap="round" {named}'
