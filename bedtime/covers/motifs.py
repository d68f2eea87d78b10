"""What a picture is of: the one thing in it, chosen by the story's shape and by where it is set."""

import functools
import tomllib
from pathlib import Path

from bedtime.covers.brush import Brush
from bedtime.covers.dice import Dice

ON_WATER = frozenset({"boat", "paper_boat", "whale"})
IN_THE_AIR = frozenset({"balloon", "kite"})
OUTDOORS = IN_THE_AIR | {"birds", "mitten", "bus", "lighthouse", "windmill", "house", "tent", "lamp", "door"}
ON_FIRM_GROUND = frozenset({"bus"})
BRIGHT = frozenset({"key", "lamp", "lighthouse", "paper_boat", "sheep"})
WATERS = frozenset({"river", "sea", "harbour"})
INDOORS = frozenset({"house"})

BY_SHAPE = {
    "lost-and-found": ("mitten", "key", "boots", "umbrella"),
    "sound-in-the-night": ("owl", "cat", "tent", "teapot"),
    "cannot-sleep": ("bed", "sheep", "bear"),
    "shy-one": ("dragon", "hedgehog", "snail", "whale"),
    "long-way-home": ("bus", "lantern", "snail", "boat"),
    "gift-to-make": ("parcel", "kite", "lantern"),
    "mistake-put-right": ("ladder", "teapot", "key"),
    "guest": ("suitcase", "door", "umbrella"),
    "last-awake": ("house", "lamp", "cat"),
    "swap": ("birds", "boots", "hedgehog"),
    "night-watch": ("lighthouse", "owl", "lantern", "fox"),
    "there-and-back": ("balloon", "boat", "paper_boat", "windmill"),
}
BY_PLACE = {
    "town": ("lamp", "house", "cat", "bus"),
    "house": ("cat", "teapot", "lantern", "parcel"),
    "garden": ("hedgehog", "snail", "boots"),
    "forest": ("owl", "fox", "bear", "tent"),
    "meadow": ("sheep", "fox", "kite"),
    "mountain": ("tent", "house", "balloon"),
    "river": ("paper_boat", "boat", "fox"),
    "sea": ("whale", "boat", "lighthouse"),
    "harbour": ("lighthouse", "boat", "suitcase"),
    "farm": ("sheep", "windmill", "house"),
    "sky": ("balloon", "kite", "ladder"),
    "road": ("bus", "lamp", "suitcase"),
}


def choose(dice: Dice, *, shape: str, place: str) -> str:
    """A motif that tells of the shape and can be where the story is; else one that belongs there."""
    told = BY_SHAPE.get(shape) or dice.pick(tuple(BY_SHAPE.values()))
    return dice.pick([motif for motif in told if _fits(motif, place)] or BY_PLACE[place])


def draw(motif: str, brush: Brush, *, at: tuple[int, int]) -> str:
    """The motif in the colours of the picture."""
    palette = brush.palette
    drawing = drawings()[motif].format(
        ink=palette.ink, light=palette.light, tint=palette.tint, pale=palette.pale, glow=f"g{brush.mark}"
    )
    return f'<g transform="translate({at[0]} {at[1]})scale(1.25)" fill="{palette.ink}">{drawing}</g>'


def moon_for(motif: str, *, indoors: bool) -> str:
    """Where the moon may hang: not large behind what is as bright as it is; a ladder leads to one of its own."""
    if motif == "ladder":
        return "nowhere"
    if indoors:
        return "window"
    return "high" if motif in BRIGHT else "anywhere"


@functools.cache
def drawings() -> dict[str, str]:
    """Every drawing by its name."""
    return tomllib.loads(Path(__file__).with_name("motifs.toml").read_text(encoding="utf-8"))


def _fits(motif: str, place: str) -> bool:
    if motif in ON_WATER:
        return place in WATERS or (motif == "paper_boat" and place in INDOORS)
    if motif in ON_FIRM_GROUND:
        return place not in WATERS | INDOORS | {"sky"}
    return motif not in OUTDOORS or place not in INDOORS
