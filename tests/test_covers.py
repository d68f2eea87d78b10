"""The pictures of the stories: alike for ever, different for neighbours, small, and harmless whatever the title."""

import hashlib
import itertools
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedtime.covers import PLACES, SEASONS, STEPS, cover, moonrise, motifs
from bedtime.covers.dice import Dice
from bedtime.covers.palettes import PALETTES, Palette, mix

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = tuple(motifs.BY_SHAPE)
ELEMENTS = {
    "svg",
    "title",
    "defs",
    "linearGradient",
    "radialGradient",
    "stop",
    "g",
    "path",
    "circle",
    "ellipse",
    "rect",
}
ATTRIBUTES = {
    "class", "viewBox", "role", "aria-hidden", "id", "x2", "y2", "offset", "stop-color", "stop-opacity", "d", "fill",
    "fill-rule", "opacity", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-dasharray",
    "transform", "cx", "cy", "r", "rx", "ry", "x", "y", "width", "height",
}  # fmt: skip

seeds = st.integers(0, 2**63 - 1)
pictures = {
    "shape": st.sampled_from(SHAPES),
    "place": st.sampled_from(PLACES),
    "season": st.sampled_from((*SEASONS, "any")),
}


def parsed(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


@given(seeds, st.text(max_size=400), st.text(), st.text(), st.text())
def test_a_picture_is_well_formed_whatever_the_title_or_the_words_about_the_story(
    seed: int, title: str, shape: str, place: str, season: str
) -> None:
    root = parsed(cover(seed, shape=shape, place=place, season=season, title=title))
    named = root.find(f"{SVG}title")
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == ("img" if named is not None else None)
    assert root.get("aria-hidden") == (None if named is not None else "true")


@pytest.mark.parametrize(
    "title",
    ["</title><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "&lt;b&gt; & ]]>", "القمر 🌙", "x" * 500],
)  # fmt: skip
def test_a_title_is_text_and_nothing_else(title: str) -> None:
    root = parsed(cover(7, shape="guest", title=title))
    assert root.findtext(f"{SVG}title") == title
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= ELEMENTS


def test_a_title_loses_the_characters_that_xml_cannot_hold() -> None:
    root = parsed(cover(7, shape="guest", title="The\x00 Moon\x1b\ud800\ufffe"))
    assert root.findtext(f"{SVG}title") == "The Moon"


def test_a_picture_without_a_title_is_decoration() -> None:
    for title in ("", " ", "\x00"):
        root = parsed(cover(7, shape="guest", title=title))
        assert (root.get("aria-hidden"), root.get("role"), root.find(f"{SVG}title")) == ("true", None, None)


@pytest.mark.parametrize(
    ("seed", "digest"),
    [
        (0, "deede5601164dc04997d9344820823bc2b7e593b911e9d13883e8e71bd5407a4"),
        (41, "3f2ade5b2bee94b306720f3edde85c6ceb636fba29499737b66627d00a66eb77"),
        (2**64 - 1, "74e27d650c206dac736a6158adda7dac18b104c32cd18b258bd092d0223c2cfa"),
    ],
)
def test_a_picture_is_alike_for_ever(seed: int, digest: str) -> None:
    picture = cover(seed, shape="shy-one", place="garden", season="spring", title="The Sneeze Behind the Bakery")
    assert hashlib.sha256(picture.encode()).hexdigest() == digest


def test_dice_fall_as_splitmix64_says() -> None:
    dice = Dice(1234567)
    assert [dice.roll(0, 2**64 - 1) for _ in range(3)] == [
        6457827717110365317, 3203168211198807973, 9817491932198370423,
    ]  # fmt: skip


@given(seeds, st.data())
def test_neighbours_differ_in_their_colours(seed: int, data: st.DataObject) -> None:
    words = {name: data.draw(choice) for name, choice in pictures.items()}
    for further in (1, 2, 3, 4):
        assert stops(cover(seed, **words)) != stops(cover(seed + further, **words))


def stops(picture: str) -> list[str | None]:
    return [stop.get("stop-color") for stop in parsed(picture).iter(f"{SVG}stop")]


@given(seeds, st.data())
def test_a_picture_is_small_and_holds_only_what_a_strict_page_allows(seed: int, data: st.DataObject) -> None:
    picture = cover(seed, **{name: data.draw(choice) for name, choice in pictures.items()})
    assert len(picture.encode()) < 4096
    for element in parsed(picture).iter():
        assert element.tag.removeprefix(SVG) in ELEMENTS
        assert element.attrib.keys() <= ATTRIBUTES
        for value in element.attrib.values():
            assert "url(" not in value or re.fullmatch(r"url\(#[sg][0-9a-f]+\)", value)


@given(seeds, st.data())
def test_coordinates_have_one_decimal_at_most(seed: int, data: st.DataObject) -> None:
    picture = cover(seed, **{name: data.draw(choice) for name, choice in pictures.items()})
    for element in parsed(picture).iter():
        for name in ("d", "transform", "cx", "cy", "r", "rx", "ry"):
            drawn = element.get(name, "") if name != "transform" else element.get(name, "").replace("scale(1.25)", "")
            assert not re.search(
                r"\.\d\d|e|nan|inf", drawn.replace("scale", "").replace("translate", "").replace("rotate", "")
            )


def test_every_id_belongs_to_one_seed_and_every_reference_stays_in_its_picture() -> None:
    seen: set[str] = set()
    for seed in range(200):
        picture = cover(seed, shape=SHAPES[seed % 12])
        ids = set(re.findall(r' id="([^"]+)"', picture))
        assert set(re.findall(r"url\(#([^)]+)\)", picture)) <= ids
        assert not ids & seen
        seen |= ids


@pytest.mark.parametrize(("shape", "place"), list(itertools.product(SHAPES, PLACES)))
def test_every_shape_has_something_to_show_in_every_place(shape: str, place: str) -> None:
    shown = {motifs.choose(Dice(seed), shape=shape, place=place) for seed in range(40)}
    assert shown <= motifs.drawings().keys()
    assert shown & set(motifs.BY_SHAPE[shape]) or shown <= set(motifs.BY_PLACE[place])


def test_every_drawing_is_shown_somewhere_and_there_are_more_than_two_dozen() -> None:
    told = set(itertools.chain(*motifs.BY_SHAPE.values(), *motifs.BY_PLACE.values()))
    assert told == set(motifs.drawings())
    assert len(told) > 24


def test_every_place_in_every_season_looks_different() -> None:
    looks = {cover(3, shape="guest", place=place, season=season) for place in PLACES for season in (*SEASONS, "any")}
    assert len(looks) == len(PLACES) * (len(SEASONS) + 1)


def test_no_snow_falls_into_a_room() -> None:
    picture = cover(3, shape="cannot-sleep", place="house", season="winter")
    wall, flakes = picture.index("evenodd"), [flake.start() for flake in re.finditer(r'stroke-width="10"', picture)]
    assert flakes[0] < wall


def luminance(colour: str) -> float:
    """As WCAG 2 defines it."""
    parts = [value / 255 for value in bytes.fromhex(colour[1:])]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", PALETTES)
def test_light_ink_and_tint_stand_out_from_the_ground_and_the_planes_from_each_other(palette: Palette) -> None:
    assert contrast(palette.light, palette.near) > 7
    assert contrast(palette.tint, palette.near) > 3
    assert contrast(palette.ink, palette.snow) > 4.5
    assert contrast(palette.ink, palette.low) > 4.5
    assert contrast(palette.light, palette.ink) > 7
    assert min(contrast(palette.low, palette.far), contrast(palette.far, palette.mid)) > 1.5
    assert contrast(palette.mid, palette.near) > 1.3


@pytest.mark.parametrize("motif", motifs.drawings())
@pytest.mark.parametrize("palette", PALETTES)
def test_every_motif_has_a_colour_that_stands_out_wherever_it_stands(motif: str, palette: Palette) -> None:
    drawing = motifs.drawings()[motif]
    colours = {getattr(palette, name) for name in ("light", "tint", "pale", "ink") if f'="{{{name}}}"' in drawing}
    colours |= {palette.ink} if re.search(r'<path d="[^"]+"/>', drawing) else set()
    aloft = motif in motifs.ON_WATER | motifs.IN_THE_AIR
    for ground in (palette.near, palette.mid, palette.middle if aloft else palette.snow):
        assert max(contrast(colour, ground) for colour in colours) > 2.8


def test_there_are_dusks_enough_and_no_two_alike() -> None:
    assert len({(palette.top, palette.low) for palette in PALETTES}) == len(PALETTES) >= 6


def test_colours_mix_by_the_hundredth() -> None:
    assert mix("#000000", "#ffffff", 50) == "#7f7f7f"
    assert (mix("#123456", "#ffffff", 0), mix("#123456", "#abcdef", 100)) == ("#123456", "#abcdef")


def moon_at(step: int) -> tuple[int, int]:
    halo = parsed(moonrise(step)).findall(f"{SVG}circle")[0]
    return int(halo.get("cx", "")), int(halo.get("cy", ""))


def test_the_moon_of_the_waiting_page_goes_its_way_and_never_back() -> None:
    way = [moon_at(step) for step in range(STEPS + 1)]
    assert [x for x, _ in way] == sorted({x for x, _ in way})
    assert min(y for _, y in way) < 70 < 120 < way[0][1]
    assert all(0 < x < 390 for x, _ in way)


@pytest.mark.parametrize(("step", "held"), [(-5, 0), (STEPS + 1, STEPS), (10**9, STEPS)])
def test_the_moon_is_held_at_the_ends_of_its_way(step: int, held: int) -> None:
    assert moonrise(step) == moonrise(held)
