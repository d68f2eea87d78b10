"""Nine dusks: six colours each, from which air and distance make the rest."""

from dataclasses import dataclass


def mix(one: str, other: str, percent: int) -> str:
    """`one` with so many percent of `other`, as #rrggbb."""
    pairs = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + bytes((a * (100 - percent) + b * percent) // 100 for a, b in pairs).hex()


@dataclass(frozen=True, slots=True)
class Palette:
    """Sky from top to horizon, the darkest ink, the light, and the tint that things are painted with."""

    top: str
    middle: str
    low: str
    ink: str
    light: str
    tint: str

    @property
    def pale(self) -> str:
        return mix(self.light, "#ffffff", 55)

    @property
    def far(self) -> str:
        return mix(mix(self.low, self.middle, 60), self.ink, 10)

    @property
    def mid(self) -> str:
        return mix(self.middle, self.ink, 30)

    @property
    def near(self) -> str:
        return mix(self.middle, self.ink, 70)

    @property
    def snow(self) -> str:
        return mix(self.pale, self.middle, 48)


PALETTES = (
    Palette("#171b3c", "#4c3f78", "#d38a86", "#0f0d22", "#ffd591", "#e0705c"),  # rose over indigo
    Palette("#0b2230", "#1f5a68", "#8fc0a6", "#06151c", "#ffdc93", "#e88a5a"),  # lagoon
    Palette("#26152c", "#74384f", "#e79462", "#160a18", "#ffd07c", "#d9a24a"),  # ember
    Palette("#0f1838", "#2c5192", "#a9c3de", "#081029", "#ffe2a0", "#d96a5f"),  # blue hour
    Palette("#142520", "#3f6148", "#c9c084", "#0a1713", "#ffdb86", "#c9694b"),  # moss
    Palette("#1b1342", "#56429a", "#c2a0dc", "#0d0824", "#ffdf9a", "#5fb3a3"),  # violet
    Palette("#231c1b", "#70503a", "#e6b26c", "#140e0c", "#ffe09a", "#5f97a0"),  # amber
    Palette("#161f2e", "#45566f", "#e3a58f", "#0b1119", "#ffd79a", "#cf5f62"),  # slate and coral
    Palette("#0a1f2c", "#2a6169", "#b7cf9d", "#05131b", "#fff0b0", "#b98ad0"),  # northern green
)
