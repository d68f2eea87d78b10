"""Where and when a story plays, as far as its own words show it: what a cover is chosen by when nobody says."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

_PLACES: Mapping[str, Sequence[str]] = {
    "town": ("town", "street", "bakery", "shop", "square", "tram", "market", "city"),
    "house": ("kitchen", "room", "attic", "stairs", "cupboard", "hall", "drawer"),
    "garden": ("garden", "shed", "flowerpot", "hedge", "lawn", "greenhouse"),
    "forest": ("forest", "wood", "woods", "trees", "oak", "moss", "clearing"),
    "meadow": ("meadow", "grass", "field", "clover", "pasture"),
    "mountain": ("mountain", "mountains", "peak", "summit", "cliff", "valley"),
    "river": ("river", "stream", "bank", "bridge", "brook", "weir"),
    "sea": ("sea", "waves", "whale", "ocean", "island", "lighthouse", "tide"),
    "harbour": ("harbour", "harbor", "quay", "pier", "ferry", "dock"),
    "farm": ("farm", "barn", "hen", "cow", "tractor", "stable"),
    "sky": ("cloud", "clouds", "sky", "balloon", "moon", "comet"),
    "road": ("road", "lane", "bus", "train", "track", "journey"),
}
_SEASONS: Mapping[str, Sequence[str]] = {
    "winter": ("snow", "ice", "frost", "winter", "mitten", "mittens", "icicle"),
    "spring": ("blossom", "spring", "bud", "buds", "tadpoles", "nest"),
    "summer": ("summer", "strawberries", "hay", "swim", "swimming", "warm"),
    "autumn": ("autumn", "leaves", "chestnut", "apples", "pumpkin", "mushroom"),
}
_WORD = re.compile(r"[a-z]+")


def setting_of(text: str) -> tuple[str, str]:
    """The place and the season that most words of a text speak of; empty where none does."""
    counts = Counter(_WORD.findall(text.lower()))
    return _most(_PLACES, counts), _most(_SEASONS, counts)


def _most(kinds: Mapping[str, Sequence[str]], counts: Counter[str]) -> str:
    scores = {kind: sum(counts[word] for word in words) for kind, words in kinds.items()}
    best = max(scores, key=scores.__getitem__)
    return best if scores[best] else ""
